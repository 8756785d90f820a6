package transcript

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode/utf32"

	utf "golang.org/x/text/encoding/unicode"
)

// sample is how much of a file the guessing of its encoding reads.
const sample = 64 << 10

// decode turns a text file into UTF-8. It says false for what is no text.
func decode(data []byte) (string, bool) {
	text, ok := toUTF8(data)
	if !ok || binaryText(text) {
		return "", false
	}
	return text, true
}

// toUTF8 goes by the byte-order mark if there is one, then by what the bytes can be.
func toUTF8(data []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return strings.ToValidUTF8(string(data[3:]), "\uFFFD"), true
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return from(utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), data[4:])
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return from(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), data[4:])
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return from(utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), data[2:])
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return from(utf.UTF16(utf.BigEndian, utf.IgnoreBOM), data[2:])
	}
	if wide := wideEncoding(data); wide != nil {
		return from(wide, data[:len(data)/2*2]) // a cut file may end in half a character
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	if utf8.Valid(data) {
		if bytes.Contains(data, []byte("\x1b$")) {
			return from(japanese.ISO2022JP, data)
		}
		return string(data), true
	}
	if mostlyUTF8(data) {
		return strings.ToValidUTF8(string(data), "\uFFFD"), true
	}
	return from(legacyEncoding(data), data)
}

func from(e encoding.Encoding, data []byte) (string, bool) {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return "", false
	}
	return strings.ToValidUTF8(string(out), "\uFFFD"), true
}

// wideEncoding recognises UTF-16 and UTF-32 without a mark: read in the right order nearly all units are characters that
// text is made of, and many of them ASCII (spaces, digits, line breaks), in any language.
func wideEncoding(data []byte) encoding.Encoding {
	head := data[:min(len(data), sample)]
	if len(data) < 4 || bytes.Count(head, []byte{0})*50 < len(head) {
		return nil
	}
	if len(data)%4 == 0 && bytes.Count(head, []byte{0})*2 >= len(head) {
		for _, e := range []encoding.Encoding{utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)} {
			if plausible(e, head[:len(head)/4*4]) {
				return e
			}
		}
	}
	for _, e := range []encoding.Encoding{utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), utf.UTF16(utf.BigEndian, utf.IgnoreBOM)} {
		if plausible(e, head[:len(head)/2*2]) {
			return e
		}
	}
	return nil
}

func plausible(e encoding.Encoding, head []byte) bool {
	text, ok := from(e, head)
	if !ok {
		return false
	}
	all, ascii, odd := 0, 0, 0
	for _, r := range text {
		all++
		switch {
		case r == '\n' || r == '\r' || r == '\t' || ' ' <= r && r <= '~':
			ascii++
		case r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			odd++
		}
	}
	return ascii*50 >= all && odd*100 <= all
}

// mostlyUTF8 holds for UTF-8 with a few broken places, as truncation and careless tools leave them.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	return good >= bad*10
}

// binaryText holds for what decodes but is no text: control characters all over.
func binaryText(text string) bool {
	all, odd := 0, 0
	for _, r := range text {
		all++
		if r == utf8.RuneError || unicode.IsControl(r) && !isBreak(r) && r != '\t' && r != 0x1b {
			odd++
		}
	}
	return odd*50 > all
}

// normalise makes "\n" of every line break.
func normalise(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && isBreak(r) }) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	from := 0
	for i, r := range text {
		if r == '\n' || !isBreak(r) {
			continue
		}
		out.WriteString(text[from:i])
		from = i + utf8.RuneLen(r)
		if r != '\r' || from >= len(text) || text[from] != '\n' {
			out.WriteByte('\n')
		}
	}
	out.WriteString(text[from:])
	return out.String()
}
