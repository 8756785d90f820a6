package rest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// headersJSON returns the headers as a JSON object, with names in lower case. Package json would take ten
// times as long, on every request.
func headersJSON(header http.Header) string {
	size := 2
	names := make([]string, 0, 16)
	for name, values := range header {
		names = append(names, name)
		for _, value := range values {
			size += len(name) + len(value) + 8
		}
	}
	slices.Sort(names)
	object := append(make([]byte, 0, size), '{')
	for i, name := range names {
		if i > 0 {
			object = append(object, ',')
		}
		object = appendLowerJSON(object, name)
		object = append(object, ':')
		if values := header[name]; len(values) == 1 {
			object = appendJSON(object, values[0])
		} else {
			object = appendJSON(object, strings.Join(values, ", "))
		}
	}
	return string(append(object, '}'))
}

// cookiesJSON returns the request's cookies as a JSON object.
func cookiesJSON(r *http.Request) string {
	if r.Header["Cookie"] == nil {
		return "{}"
	}
	cookies := map[string]string{}
	for _, c := range r.Cookies() {
		cookies[c.Name] = c.Value
	}
	object, _ := json.Marshal(cookies) // texts cannot fail
	return string(object)
}

// appendJSON appends a text as a JSON string.
func appendJSON(to []byte, text string) []byte {
	if isPlain(text) {
		to = append(to, '"')
		to = append(to, text...)
		return append(to, '"')
	}
	escaped, _ := json.Marshal(text) // a string cannot fail
	return append(to, escaped...)
}

// appendLowerJSON appends the name of a header in lower case as a JSON string.
func appendLowerJSON(to []byte, name string) []byte {
	if !isPlain(name) {
		return appendJSON(to, strings.ToLower(name))
	}
	to = append(to, '"')
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return append(to, '"')
}

// plain has the bytes that need no escapes in JSON.
var plain = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = !strings.ContainsRune("\"\\<>&", c)
	}
	return is
}()

// isPlain reports whether a text needs no escapes in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if !plain[text[i]] {
			return false
		}
	}
	return true
}
