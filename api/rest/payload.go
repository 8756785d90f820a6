package rest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
)

// A payload is the body of a write: JSON, and the columns that it gives.
type payload struct {
	json    string // an object, or an array of objects
	columns []string
}

// object tells whether there is one row, not a list.
func (p payload) object() bool { return strings.HasPrefix(strings.TrimLeft(p.json, " \t\r\n"), "{") }

// payload reads the body of a write to a table. With ?columns= the database alone looks into it.
func (q *request) payload() (payload, error) {
	raw := q.body
	switch q.bodyType {
	case typeCSV:
		var err error
		if raw, err = csvToJSON(q.body); err != nil {
			return payload{}, err
		}
	case typeForm:
		pairs, err := readPairs(string(q.body))
		if err != nil {
			return payload{}, err
		}
		object := map[string]string{}
		for _, p := range pairs {
			object[p.key] = p.value
		}
		raw, _ = json.Marshal(object) // strings only
	case typeJSON, typeSingular, typeArray:
		if q.columns != nil {
			return payload{string(raw), q.columns}, nil
		}
	default:
		return payload{}, badBody("Content-Type not acceptable: " + q.bodyType)
	}
	columns, object, err := keysOf(raw)
	if err != nil {
		return payload{}, err
	}
	if columns == nil && !object { // what holds no rows
		return payload{json: "[]"}, nil
	}
	return payload{string(raw), columns}, nil
}

// keysOf lists the keys of a JSON object, or of the objects of an array, which must be the same in all. What is neither has none.
func keysOf(raw []byte) (keys []string, object bool, err error) {
	if !json.Valid(raw) {
		return nil, false, badBody("Empty or invalid json")
	}
	rows := []map[string]json.RawMessage{}
	trimmed := bytes.TrimSpace(raw)
	switch trimmed[0] {
	case '{':
		var one map[string]json.RawMessage
		if err := json.Unmarshal(trimmed, &one); err != nil {
			return nil, false, badBody("Empty or invalid json")
		}
		rows, object = append(rows, one), true
	case '[':
		if json.Unmarshal(trimmed, &rows) != nil {
			return nil, false, badBody("All object keys must match")
		}
	}
	for i, row := range rows {
		if row == nil { // null is no object
			return nil, false, badBody("All object keys must match")
		}
		if i == 0 {
			keys = make([]string, 0, len(row))
			for name := range row {
				keys = append(keys, name)
			}
			slices.Sort(keys)
			continue
		}
		same := len(row) == len(keys)
		for _, name := range keys {
			_, given := row[name]
			same = same && given
		}
		if !same {
			return nil, false, badBody("All object keys must match")
		}
	}
	return keys, object, nil
}

// csvToJSON makes rows of texts; NULL is null.
func csvToJSON(data []byte) ([]byte, error) {
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, badBody("All lines must have same number of fields")
	}
	rows := []map[string]*string{}
	for i, record := range records {
		if i == 0 {
			continue
		}
		row := map[string]*string{}
		for j, value := range record {
			if value == "NULL" {
				row[records[0][j]] = nil
			} else {
				row[records[0][j]] = &value
			}
		}
		rows = append(rows, row)
	}
	return json.Marshal(rows)
}
