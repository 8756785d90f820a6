package query

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// A Payload is the body of a write or of a function's call.
type Payload struct {
	Type    string // the media type
	Raw     []byte // as it was sent
	JSON    []byte // of rows and arguments: an object, or an array of objects
	Columns []string
}

// IsObject reports whether the JSON is one object, not a list of them.
func (p Payload) IsObject() bool {
	return bytes.HasPrefix(bytes.TrimLeft(p.JSON, " \t\r\n"), []byte("{"))
}

// contentType returns the media type of the body, which defaults to JSON.
func (in Input) contentType() string {
	if in.ContentType == "" {
		return TypeJSON
	}
	return ParseMediaType(in.ContentType).String()
}

// parsePayload reads the rows of a write. With ?columns=, JSON is not parsed here but by the database.
func parsePayload(in Input, columns []string) (Payload, error) {
	p := Payload{Type: in.contentType(), Raw: in.Body, JSON: in.Body}
	var err error
	switch p.Type {
	case TypeCSV:
		p.JSON, err = csvToJSON(in.Body)
	case TypeForm:
		p.JSON, err = formToJSON(in.Body)
	case TypeJSON, TypeSingular, TypeArray:
		err = checkRows(in.Body)
		if err == nil && columns != nil {
			p.Columns = columns
			return p, nil
		}
	default:
		err = invalidBody("Content-Type not acceptable: " + p.Type)
	}
	if err != nil {
		return p, err
	}
	var isObject bool
	p.Columns, isObject, err = keysOf(p.JSON)
	if p.Columns == nil && !isObject { // there are no rows
		p.JSON = []byte("[]")
	}
	return p, err
}

// parseArguments reads the arguments of a function that is called by POST: a form gives them by name, JSON
// holds them, and any other body is an argument as a whole.
func parseArguments(in Input, columns []string) (p Payload, arguments []Argument, err error) {
	p = Payload{Type: in.contentType(), Raw: in.Body}
	switch p.Type {
	case TypeForm:
		var pairs []pair
		pairs, err = parsePairs(string(in.Body))
		for _, pair := range pairs {
			arguments = append(arguments, Argument{pair.key, pair.value})
		}
	case TypeText, TypeXML, TypeBinary:
	case TypeJSON:
		if p.JSON = in.Body; len(in.Body) == 0 {
			p.JSON = []byte("{}")
		}
		if !p.IsObject() {
			if err := checkRows(p.JSON); err != nil {
				return p, nil, err
			}
		}
		if p.Columns = columns; columns == nil {
			p.Columns, _, err = keysOf(p.JSON)
		}
	default:
		err = invalidBody("Content-Type not acceptable: " + p.Type)
	}
	return p, arguments, err
}

// ArgumentNames returns the names of a call's arguments, each once.
func (r *Request) ArgumentNames() []string {
	if r.Payload.Type == TypeJSON {
		return r.Payload.Columns
	}
	var names []string
	for _, a := range r.Arguments {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// keysOf returns the keys of a JSON object, or of the objects of an array, which must be the same in all of
// them. Other values have none.
func keysOf(raw []byte) (keys []string, isObject bool, err error) {
	if !json.Valid(raw) {
		return nil, false, invalidBody("Empty or invalid json")
	}
	rows := []map[string]json.RawMessage{}
	trimmed := bytes.TrimSpace(raw)
	switch trimmed[0] {
	case '{':
		var row map[string]json.RawMessage
		if err := json.Unmarshal(trimmed, &row); err != nil {
			return nil, false, invalidBody("Empty or invalid json")
		}
		rows, isObject = append(rows, row), true
	case '[':
		if json.Unmarshal(trimmed, &rows) != nil {
			return nil, false, invalidBody("All object keys must match")
		}
	}
	for i, row := range rows {
		if row == nil || i > 0 && !sameKeys(row, keys) { // null is not an object
			return nil, false, invalidBody("All object keys must match")
		}
		if i == 0 {
			keys = make([]string, 0, len(row))
			for name := range row {
				keys = append(keys, name)
			}
			slices.Sort(keys)
		}
	}
	return keys, isObject, nil
}

func sameKeys(row map[string]json.RawMessage, keys []string) bool {
	for _, name := range keys {
		if _, given := row[name]; !given {
			return false
		}
	}
	return len(row) == len(keys)
}

// formToJSON converts a form to one row of strings.
func formToJSON(body []byte) ([]byte, error) {
	pairs, err := parsePairs(string(body))
	if err != nil {
		return nil, err
	}
	row := map[string]string{}
	for _, p := range pairs {
		row[p.key] = p.value
	}
	return json.Marshal(row)
}

// csvToJSON converts CSV to rows of strings. The text NULL becomes null.
func csvToJSON(body []byte) ([]byte, error) {
	reader := csv.NewReader(bytes.NewReader(body))
	reader.ReuseRecord = true
	var names []string
	rows := []map[string]*string{}
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return json.Marshal(rows)
		case err != nil:
			return nil, invalidBody("All lines must have same number of fields")
		case names == nil:
			names = slices.Clone(record)
			continue
		case len(rows) == maxRows:
			return nil, tooManyRows()
		}
		row := make(map[string]*string, len(record))
		for i, value := range record {
			row[names[i]] = &value
			if value == "NULL" {
				row[names[i]] = nil
			}
		}
		rows = append(rows, row)
	}
}
