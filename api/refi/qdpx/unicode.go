package qdpx

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// unicodeText returns a text in UTF-8 without a byte order mark. One in UTF-16 has such a mark.
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
