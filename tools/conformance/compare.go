package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// differences describes how a response's status and body differ from the expected ones.
func (e *expectation) differences(a answer) (list []string) {
	differ := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if e.Status != 0 && e.Status != a.status {
		differ("status %d instead of %d", a.status, e.Status)
	}
	got, isJSON := decode(a.body)
	if want, given := decode(e.JSON); given && !(isJSON && reflect.DeepEqual(got, want)) {
		differ("body %.200s instead of %.200s", a.body, e.JSON)
	}
	if e.Text != nil && *e.Text != string(a.body) {
		differ("text %.200q instead of %.200q", a.body, *e.Text)
	}
	if e.Bytes != nil && !bytes.Equal(*e.Bytes, a.body) {
		differ("the bytes differ")
	}
	for _, p := range e.Paths {
		value, found := follow(got, p.Path)
		want, compared := decode(p.Equals)
		switch {
		case p.Absent && found:
			differ("%v is there", p.Path)
		case (p.Present || compared) && !found:
			differ("%v is missing", p.Path)
		case compared && !reflect.DeepEqual(value, want):
			differ("%v is %.200v", p.Path, value)
		}
	}
	if slices.Contains(e.Extra, "error_format") {
		fields, _ := got.(map[string]any)
		if _, has := fields["message"]; !has {
			differ("not the body of an error: %.200s", a.body)
		}
	}
	return list
}

func decode(raw []byte) (value any, ok bool) {
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}

// follow returns the value at a path of names and positions. Negative positions count from the end.
func follow(value any, path []any) (any, bool) {
	for _, key := range path {
		switch k := key.(type) {
		case string:
			object, _ := value.(map[string]any)
			next, has := object[k]
			if !has {
				return nil, false
			}
			value = next
		case float64:
			list, _ := value.([]any)
			i := int(k)
			if i < 0 {
				i += len(list)
			}
			if i < 0 || i >= len(list) {
				return nil, false
			}
			value = list[i]
		}
	}
	return value, true
}

// holds reports whether a header is as expected.
func (h headerCheck) holds(header http.Header) bool {
	values := header.Values(h.Name)
	if h.Absent || len(values) == 0 {
		return h.Absent && len(values) == 0
	}
	matches := func(pattern *string) bool {
		re, err := regexp.Compile(*pattern)
		return err == nil && re.MatchString(values[0])
	}
	switch {
	case h.Equals != nil:
		return slices.Contains(values, *h.Equals)
	case h.Contains != nil:
		return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, *h.Contains) })
	case h.Regex != nil:
		return matches(h.Regex)
	case h.RegexNot != nil:
		return !matches(h.RegexNot)
	}
	return true
}
