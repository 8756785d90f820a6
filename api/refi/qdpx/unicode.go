package qdpx

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decoded returns a text in UTF-8 without a byte order mark. What is not Unicode is taken for Windows-1252,
// as old programs wrote it: then isGuessed is true.
func decoded(data []byte) (text []byte, isGuessed bool) {
	data = unicodeText(data)
	if utf8.Valid(data) {
		return data, false
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(data)
	if err != nil {
		text = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	return text, true
}

// unicodeText returns a text without a byte order mark. One in UTF-16 has such a mark, and is returned in
// UTF-8.
func unicodeText(data []byte) []byte {
	order := binary.ByteOrder(binary.LittleEndian)
	switch {
	case bytes.HasPrefix(data, []byte(mark)):
		return data[len(mark):]
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
