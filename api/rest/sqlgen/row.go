package sqlgen

import (
	"cmp"
	"fmt"
	"strconv"
)

// A Row is the one row that the statement of a read, a write or a call returns.
type Row struct {
	Total    *int64 // rows that the request matches; nil where they are not counted
	Rows     int64  // rows of the answer
	Body     []byte
	Headers  []byte // the setting response.headers; nil where a function did not set it
	Status   []byte // the setting response.status; nil where a function did not set it
	Cut      bool   // more rows match than an answer may hold
	Key      []byte // the key of a row that was inserted alone, as a JSON object; nil means none
	Inserted *int64 // rows that are new, where a write may also update; nil where they are not counted
}

// The names of the row's columns.
const (
	columnTotal    = "total"
	columnRows     = "rows"
	columnBody     = "body"
	columnHeaders  = "headers"
	columnStatus   = "status"
	columnCut      = "cut"
	columnKey      = "key"
	columnInserted = "inserted"
)

// rowColumns is how many they are.
const rowColumns = 8

// A rowSQL has the expressions of the row's columns that depend on the plan. An empty expression is null.
type rowSQL struct {
	total, rows, body, cut, key, inserted string
	write                                 bool
}

// Functions and triggers can set the answer's headers and status in the transaction.
const settingsColumns = ", nullif(current_setting('response.headers', true), '') as " + columnHeaders +
	", nullif(current_setting('response.status', true), '') as " + columnStatus

// sql is the list of columns. The order is PostgREST's, which clients see where they ask for PostgreSQL's
// plan: in a write, the key is in front of the body.
func (r rowSQL) sql() string {
	total, rows := cmp.Or(r.total, "null::bigint")+" as "+columnTotal, ", "+r.rows+" as "+columnRows
	key, body := ", "+cmp.Or(r.key, "null::text")+" as "+columnKey, ", "+cmp.Or(r.body, "''")+" as "+columnBody
	inserted := ", " + cmp.Or(r.inserted, "null::text") + " as " + columnInserted
	cut := ", " + cmp.Or(r.cut, "null::bool") + " as " + columnCut
	if r.write {
		return total + rows + key + body + settingsColumns + inserted + cut
	}
	return total + rows + body + settingsColumns + inserted + cut + key
}

// DecodeRow reads the row by the names of its columns. Values are as text; nil is null. No row at all is the
// result of a function that returned nothing.
func DecodeRow(columns []string, rows [][][]byte) (Row, error) {
	if len(rows) == 0 {
		return Row{Total: new(int64)}, nil
	}
	var row Row
	found := 0
	for i, name := range columns {
		var err error
		switch value := rows[0][i]; name {
		case columnTotal:
			row.Total, err = number(value)
		case columnRows:
			row.Rows, err = strconv.ParseInt(string(value), 10, 64)
		case columnBody:
			row.Body = value
		case columnHeaders:
			row.Headers = value
		case columnStatus:
			row.Status = value
		case columnCut:
			row.Cut = string(value) == "t"
		case columnKey:
			row.Key = value
		case columnInserted:
			row.Inserted, err = number(value)
		default:
			continue
		}
		if err != nil {
			return Row{}, fmt.Errorf("read the column %s: %w", name, err)
		}
		found++
	}
	if found != rowColumns {
		return Row{}, fmt.Errorf("the statement returned the columns %q", columns)
	}
	return row, nil
}

func number(text []byte) (*int64, error) {
	if text == nil {
		return nil, nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return &n, err
}
