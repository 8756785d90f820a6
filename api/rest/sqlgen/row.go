package sqlgen

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"research/api/rest/plan"
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
	TooLarge bool   // the body is larger than the format permits, and left out
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
	columnTooLarge = "too_large" // only where the body has a limit
	columnOneRow   = "one_row"   // the body of a read that has one row at most; null where there is no row
)

// rowColumns is how many every row has.
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

// answerSQL selects the row from the rows of the page. A body above the format's limit is left out. It is
// made once, in the inner query: the outer one uses it three times.
func (b *builder) answerSQL(r rowSQL, page string, f plan.Format) string {
	limited := f.MaxBytes > 0 && f.Explain == nil && r.body != ""
	size := "pg_column_size(_row." + columnBody + ") - 4" // without the header
	if limited {
		r.body = bounded(r.body, "_page", "", f.MaxBytes)
		if f.Handler != nil { // the value may be compressed
			r.body, size = "("+r.body+")::text", "octet_length(_row."+columnBody+")"
		}
	}
	sql := "select " + r.sql() + " from (" + page + ") _page"
	if !limited {
		return sql
	}
	tooLarge := size + " > " + b.number(f.MaxBytes) + "::bigint"
	names := []string{columnTotal, columnRows, columnHeaders, columnStatus, columnInserted, columnCut, columnKey}
	return "select " + strings.Join(names, ", ") + ", " + tooLarge + " as " + columnTooLarge + ", " +
		"case when not " + tooLarge + " then _row." + columnBody + " end as " + columnBody +
		" from (" + sql + ") _row"
}

// DecodeRow reads the row by the names of its columns. Values are as text; nil is null. A function that
// returned nothing has no row.
func DecodeRow(columns []string, rows [][][]byte) (Row, error) {
	if len(rows) == 0 {
		return Row{Total: new(int64)}, nil
	}
	if columns[0] == columnOneRow {
		return decodeOneRow(columns, rows[0]), nil
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
		case columnTooLarge:
			row.TooLarge = string(value) == "t"
			continue
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

// decodeOneRow reads the row of a read that has one row at most. Without a row the body is an empty list: the
// plan rejects an answer that is to be one object.
func decodeOneRow(columns []string, values [][]byte) Row {
	row := Row{Rows: 1}
	for i, name := range columns {
		switch value := values[i]; name {
		case columnOneRow:
			row.Body = value
		case columnHeaders:
			row.Headers = value
		case columnStatus:
			row.Status = value
		case columnTooLarge:
			row.TooLarge = string(value) == "t"
		}
	}
	if row.Body == nil && !row.TooLarge {
		row.Rows, row.Body = 0, []byte("[]")
	}
	return row
}

func number(text []byte) (*int64, error) {
	if text == nil {
		return nil, nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return &n, err
}
