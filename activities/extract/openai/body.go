package openai

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
)

var (
	gzipMagic     = []byte{0x1f, 0x8b}
	byteOrderMark = []byte{0xef, 0xbb, 0xbf}
)

// readBody decodes the JSON of a response's body, as maps and lists, or returns nil if there is none. It
// reads what servers and proxies add: compression without its header, a byte order mark, numbers that JSON
// does not have, and the events of a server that always streams.
func readBody(raw []byte) any {
	if bytes.HasPrefix(raw, gzipMagic) {
		raw = decompress(raw)
	}
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, byteOrderMark))
	if isEventStream(raw) {
		return joinEvents(raw)
	}
	return decodeJSON(raw)
}

// decompress returns at most maxCompletionBody bytes, and nothing if they are not compressed.
func decompress(raw []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxCompletionBody))
	if err != nil {
		return nil
	}
	return plain
}

func decodeJSON(raw []byte) any {
	var v any
	if json.Unmarshal(raw, &v) == nil {
		return v
	}
	if json.Unmarshal(withoutNaN(raw), &v) == nil {
		return v
	}
	return nil
}

// withoutNaN replaces the numbers of JavaScript and Python that JSON does not have by null.
func withoutNaN(raw []byte) []byte {
	var b bytes.Buffer
	isString := false
	for i := 0; i < len(raw); {
		switch {
		case isString && raw[i] == '\\' && i+1 < len(raw):
			b.WriteByte(raw[i])
			i++
		case raw[i] == '"':
			isString = !isString
		case !isString:
			if size := notANumber(raw[i:]); size > 0 {
				b.WriteString("null")
				i += size
				continue
			}
		}
		b.WriteByte(raw[i])
		i++
	}
	return b.Bytes()
}

// notANumber returns the size of the word at the beginning of a text that stands for no number, or 0.
func notANumber(text []byte) int {
	for _, word := range []string{"NaN", "-Infinity", "Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// member returns a member of nested objects, or nil.
func member(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// textOf returns a string, and "" for any other value.
func textOf(v any) string {
	text, _ := v.(string)
	return text
}

// listOf returns a list, and nil for any other value.
func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// numberOf returns a number that counts something: neither negative nor beyond any count.
func numberOf(v any) int64 {
	number, _ := v.(float64)
	return int64(min(max(number, 0), 1<<40))
}

// isEmpty reports whether a member says nothing: null, false, "", {} or [].
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
