package service

import (
	"bytes"
	"encoding/json"
	"strings"

	"research/transcript/internal/plain"
)

// Open reads a JSON file, or one with an object on each line. It returns false for text that is not JSON.
func Open(text string) (doc Document, ok bool) {
	text = joinJSONLines(strings.TrimSpace(strings.TrimPrefix(text, plain.ByteOrderMark)))
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return Document{}, false
	}
	doc, _ = readDocument(json.RawMessage(text))
	return doc, true
}

// A Document is a JSON array, or the first maxMembers members of a JSON object.
type Document struct {
	list    json.RawMessage
	raw     json.RawMessage // the object
	members map[string]json.RawMessage
}

// maxMembers bounds the objects that are read. Those of services have fewer than 40 members.
const maxMembers = 1000

// readDocument reads an array or an object, without decoding its elements.
func readDocument(raw json.RawMessage) (doc Document, ok bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return Document{}, false
	case raw[0] == '[':
		return Document{list: raw}, true
	case raw[0] != '{':
		return Document{}, false
	}
	doc.raw, doc.members = raw, map[string]json.RawMessage{}
	whole := eachMember(raw, func(name string, value json.RawMessage) bool {
		doc.members[name] = value
		return len(doc.members) < maxMembers
	})
	if !whole && len(doc.members) < maxMembers {
		return Document{}, false
	}
	return doc, true
}

// Has reports whether the object has a member that is not null.
func (d Document) Has(name string) bool {
	raw, ok := d.members[name]
	return ok && !bytes.Equal(raw, []byte("null"))
}

// Member returns a member as it is written, or nil.
func (d Document) Member(name string) json.RawMessage { return d.members[name] }

// inner returns the object or array that is a member.
func (d Document) inner(name string) (Document, bool) {
	if !d.Has(name) {
		return Document{}, false
	}
	return readDocument(d.members[name])
}

// Text returns a member that is a string, or "".
func (d Document) Text(name string) string {
	var s string
	if json.Unmarshal(d.members[name], &s) != nil {
		return ""
	}
	return s
}

// Each decodes the elements of a JSON array one by one, so that a hostile array takes no memory of its
// own. It stops and returns false at the first element of another type, or when visit returns false.
func Each[T any](list json.RawMessage, visit func(T) bool) bool {
	if len(list) == 0 || bytes.TrimSpace(list)[0] != '[' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(list))
	if _, err := decoder.Token(); err != nil {
		return false
	}
	for decoder.More() {
		var element T
		if decoder.Decode(&element) != nil || !visit(element) {
			return false
		}
	}
	return true
}

// eachMember visits the members of a JSON object in their order. It stops and returns false where the object
// is damaged, or when visit returns false.
func eachMember(object json.RawMessage, visit func(name string, value json.RawMessage) bool) bool {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return false
	}
	for decoder.More() {
		token, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return false
		}
		if name, _ := token.(string); !visit(name, value) {
			return false
		}
	}
	return true
}

// isList reports whether a JSON value is an array.
func isList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}

// joinJSONLines returns the objects of a file with one on each line as an array, or the text as it is.
func joinJSONLines(text string) string {
	if text == "" || text[0] != '{' {
		return text
	}
	var out bytes.Buffer
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] != '{' || !json.Valid([]byte(line)) {
			return text
		}
		separator := byte(',')
		if n == 0 {
			separator = '['
		}
		out.WriteByte(separator)
		out.WriteString(line)
		n++
	}
	if n < 2 {
		return text
	}
	out.WriteByte(']')
	return out.String()
}
