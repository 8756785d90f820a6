// Package glyphname reads the names of glyphs: which ones the codes of a font are for, by the program of the
// font, and which characters they are. It follows Adobe's Type 1 Font Format, its Technical Note 5176 (CFF)
// and its [glyph list].
//
// It is for files of strangers: time and memory are linear in the size of a program. It draws nothing.
//
// [glyph list]: https://github.com/adobe-type-tools/agl-specification
package glyphname

import (
	"bytes"
	"strconv"
)

// OfType1 returns the names of the glyphs of the codes of a Type 1 font: "/Encoding StandardEncoding def", or
// lines such as "dup 12 /fi put". They are in the part that is not encrypted. It is false if the font names
// none.
func OfType1(data []byte) (names [256]string, ok bool) {
	data, _, _ = bytes.Cut(data, []byte("eexec"))
	_, data, ok = bytes.Cut(data, []byte("/Encoding"))
	if !ok {
		return names, false
	}
	code, name := -1, ""
	for word := range bytes.FieldsSeq(bytes.ReplaceAll(data, []byte("/"), []byte(" /"))) {
		switch word := string(word); word {
		case "StandardEncoding":
			return Standard(), true
		case "put":
			if code >= 0 && code < len(names) && name != ".notdef" {
				names[code] = name
			}
		case "def", "readonly":
			return names, true
		default:
			if word[0] == '/' {
				name = word[1:]
			} else if n, err := strconv.Atoi(word); err == nil {
				code = n
			}
		}
	}
	return names, false
}
