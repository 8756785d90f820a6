// Package charset decodes files to UTF-8: by their byte-order mark, or by guessing which encoding reads best.
//
// It knows bytes and letters. What the text says belongs to others.
package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"research/transcript/internal/plain"
)

var (
	utf16LE = utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM)
	utf16BE = utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
	utf32LE = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	utf32BE = utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
)

// Decode turns a text file into UTF-8. It returns false for a file that is not text.
func Decode(data []byte) (string, bool) {
	text, ok := toUTF8(data)
	if !ok || isBinary(text) {
		return "", false
	}
	return text, true
}

// toUTF8 relies on the byte-order mark if there is one, else on the bytes.
func toUTF8(data []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return strings.ToValidUTF8(string(data[3:]), "\uFFFD"), true
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return DecodeFrom(utf32LE, data[4:])
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return DecodeFrom(utf32BE, data[4:])
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return DecodeFrom(utf16LE, data[2:])
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return DecodeFrom(utf16BE, data[2:])
	}
	if wide := guessWide(data); wide != nil {
		return DecodeFrom(wide, data[:len(data)/2*2]) // a truncated file may end in half a character
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	if utf8.Valid(data) {
		if bytes.Contains(data, []byte("\x1b$")) {
			return DecodeFrom(japanese.ISO2022JP, data)
		}
		return string(data), true
	}
	if isMostlyUTF8(data) {
		return strings.ToValidUTF8(string(data), "\uFFFD"), true
	}
	return DecodeFrom(guessLegacy(data), data)
}

// DecodeFrom decodes data from an encoding to UTF-8. It reports whether the encoding could read it.
func DecodeFrom(e encoding.Encoding, data []byte) (string, bool) {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return "", false
	}
	return strings.ToValidUTF8(string(out), "\uFFFD"), true
}

// guessWide recognizes UTF-16 and UTF-32 without a byte-order mark. In the right byte order nearly all units
// are characters of text and many are ASCII (spaces, digits, line breaks), in any language.
func guessWide(data []byte) encoding.Encoding {
	head := data[:min(len(data), plain.SampleSize)]
	zeros := bytes.Count(head, []byte{0})
	if len(data) < 4 || zeros*50 < len(head) {
		return nil
	}
	if len(data)%4 == 0 && zeros*2 >= len(head) {
		for _, e := range []encoding.Encoding{utf32LE, utf32BE} {
			if isPlausible(e, head[:len(head)/4*4]) {
				return e
			}
		}
	}
	for _, e := range []encoding.Encoding{utf16LE, utf16BE} {
		if isPlausible(e, head[:len(head)/2*2]) {
			return e
		}
	}
	return nil
}

// isPlausible reports whether the bytes are text in the encoding.
func isPlausible(e encoding.Encoding, head []byte) bool {
	text, ok := DecodeFrom(e, head)
	if !ok {
		return false
	}
	all, ascii, invalid := 0, 0, 0
	for _, r := range text {
		all++
		switch {
		case r == '\n' || r == '\r' || r == '\t' || ' ' <= r && r <= '~':
			ascii++
		case r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			invalid++
		}
	}
	return ascii*50 >= all && invalid*100 <= all
}

// isMostlyUTF8 reports whether the bytes are UTF-8 with few errors, such as truncated files have.
func isMostlyUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			valid++
		}
		i += size
	}
	return valid >= invalid*10
}

// isBinary reports whether decoded bytes are not text: control characters everywhere.
func isBinary(text string) bool {
	const (
		escape = 0x1b // in ISO 2022
		bullet = 0x15 // around the times in a CHAT file of CLAN
	)
	all, invalid := 0, 0
	for _, r := range text {
		all++
		if r == utf8.RuneError || unicode.IsControl(r) && !plain.IsLineBreak(r) && r != '\t' &&
			r != escape && r != bullet {
			invalid++
		}
	}
	return invalid*50 > all
}
