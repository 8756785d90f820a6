package pdf_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript/pdf"
)

const unmappedFont = "<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+CMR10" +
	"/FontDescriptor<</Type/FontDescriptor/Flags 4/%s 6 0 R>>>>"

// embedded returns a page whose font has a program, and neither an encoding nor a map to Unicode.
func embedded(entry, entries, program, codes string) []byte {
	return fileOf(catalog, tree, leaf, stream("", fmt.Sprintf("BT /F 10 Tf 9 700 Td <%x> Tj ET", codes)),
		fmt.Sprintf(unmappedFont, entry), stream(entries, program))
}

func type1(encoding string) string {
	return "%!PS-AdobeFont-1.0: CMR10\n/FontName /CMR10 def\n" + encoding +
		"\ncurrentfile eexec\n\xD9\xD6 dup 65/B put"
}

func TestReadsTheEncodingOfType1Programs(t *testing.T) {
	t.Parallel()
	const start = "/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n"
	for name, c := range map[string]struct{ encoding, codes, want string }{
		"pdfTeX's ligatures": {
			start + "dup 11 /ff put\ndup 14/ffi put dup 111 /o put\ndup 99 /c put\nreadonly def", "o\x0Bo\x0Ec",
			"offoffic",
		},
		"names of variants and of ligatures' letters": {
			start + "dup 1/a.sc put dup 2/f_j put dup 3/uni00660066 put dup 4/u00DF put readonly def",
			"\x01\x02\x03\x04", "afjffß",
		},
		"letters of other scripts": {
			start + "dup 1/afii10041 put dup 2/afii10072 put dup 3/afii10055 put dup 4/Sigma put dup 5/omega put def",
			"\x01\x02\x03\x04\x05", "ЧжІΣω",
		},
		"the standard encoding":        {"/Encoding StandardEncoding def", "a\xAEb\xD0\x27", "afib—’"},
		"codes outside and characters": {start + "dup 300/a put dup -1/b put dup 97/c put def", "a", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := embedded("FontFile", "/Filter/FlateDecode", deflate(type1(c.encoding)), c.codes)
			require.Equal(t, []string{c.want}, lines(t, data))
		})
	}
}

// The names of a font's differences are before those of its program.
func TestDifferencesReplaceNamesOfPrograms(t *testing.T) {
	t.Parallel()
	program := type1("/Encoding 256 array dup 97/a put dup 98/b put def")
	data := fileOf(catalog, tree, leaf, stream("", "BT /F 10 Tf 9 700 Td (ab) Tj ET"),
		"<</Subtype/Type1/Encoding<</Differences[98/fl]>>/FontDescriptor<</Flags 4/FontFile 6 0 R>>>>",
		stream("", program))
	require.Equal(t, []string{"afl"}, lines(t, data))
}

// cff returns a font in the Compact Font Format with the glyphs A, ff (a standard name) and uni20AC, which is
// a name of its own.
func cff(charset, encoding string) string {
	index := func(items ...string) string {
		out := fmt.Sprintf("\x00%c", len(items))
		if len(items) == 0 {
			return "\x00\x00"
		}
		offset := 1
		out += "\x01\x01"
		for _, item := range items {
			offset += len(item)
			out += string([]byte{byte(offset)})
		}
		return out + strings.Join(items, "")
	}
	number := func(n int) string { return string([]byte{28, byte(n >> 8), byte(n)}) }
	dict := func(charset, encoding, glyphs int) string {
		return number(charset) + "\x0F" + number(encoding) + "\x10" + number(glyphs) + "\x11"
	}
	head := func(d string) string {
		return "\x01\x00\x04\x01" + index("Font") + index(d) + index("uni20AC") + index()
	}
	at := len(head(dict(0, 0, 0)))
	encodingAt := at + len(charset)
	if encoding == "" {
		encodingAt = 0
	}
	return head(dict(at, encodingAt, at+len(charset)+len(encoding))) + charset + encoding +
		index("\x0E", "\x0E", "\x0E", "\x0E")
}

func TestReadsTheEncodingOfCFFPrograms(t *testing.T) {
	t.Parallel()
	const (
		each  = "\x00\x00\x22\x01\x0A\x01\x87" // A, ff (266) and the first name of its own (391)
		spans = "\x01\x00\x22\x00\x01\x0A\x00\x01\x87\x00"
		wide  = "\x02\x00\x22\x00\x02"
	)
	for name, c := range map[string]struct{ charset, encoding, codes, want string }{
		"a code for each glyph":  {each, "\x00\x03\x01\x02\x03", "\x01\x02\x03", "Aff€"},
		"ranges":                 {spans, "\x01\x01\x10\x02", "\x10\x11\x12", "Aff€"},
		"wide ranges of glyphs":  {wide, "\x01\x01\x10\x02", "\x10\x11\x12", "ABC"},
		"further codes":          {each, "\x80\x01\x01\x01\x42\x01\x0A", "\x01B", "Aff"},
		"the standard encoding":  {each, "", "A\xAE", "Afi"},
		"more codes than glyphs": {each, "\x01\x01\x10\xFF", "\x10\x11", "Aff"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := embedded("FontFile3", "/Subtype/Type1C", cff(c.charset, c.encoding), c.codes)
			require.Equal(t, []string{c.want}, lines(t, data))
		})
	}
}

func TestRejectsProgramsThatNameNoLetters(t *testing.T) {
	t.Parallel()
	font := cff("\x00\x00\x22\x01\x0A\x01\x87", "\x00\x03\x01\x02\x03")
	for name, data := range map[string][]byte{
		"nothing": embedded("FontFile", "", "", "ab"),
		"no encoding": embedded("FontFile", "",
			"%!PS-AdobeFont-1.0: CMR10\neexec /Encoding StandardEncoding", "ab"),
		"an encoding cut":  embedded("FontFile", "", "/Encoding 256 array dup 97/a put", "ab"),
		"numbers as names": embedded("FontFile", "", type1("/Encoding 256 array dup 97/G97 put def"), "aa"),
		"a CFF font cut":   embedded("FontFile3", "/Subtype/Type1C", font[:12], "\x01"),
		"bitmaps": fileOf(catalog, tree, leaf, stream("", "BT /F 10 Tf 9 700 Td (ab) Tj ET"),
			"<</Subtype/Type3/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[97/a97/a98]>>>>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pdf.Read(data)
			require.ErrorIs(t, err, pdf.ErrUnmapped)
		})
	}
}

func TestJoinsAccentsThatTeXDraws(t *testing.T) {
	t.Parallel()
	const encoding = "/Encoding 256 array dup 18/grave put dup 19/acute put dup 24/cedilla put dup " +
		"16/dotlessi put " +
		"dup 32/suppress put dup 97/a put dup 67/C put dup 76/L put dup 94/circumflex put dup 95/dotaccent put " +
		"dup 90/Z put def"
	for name, c := range map[string]struct{ content, want string }{
		"before a letter":              {`[(a\022) 500 (a)] TJ`, "aà"},
		"above an i without a dot":     {`[(a\023) 389 (\020)] TJ`, "aí"},
		"behind a letter":              {`[(C) 480 (\030) -139 (a)] TJ`, "Ça"},
		"through an L":                 {`[( ) 319 (La)] TJ`, "Ła"},
		"above a capital, on a rise":   {`0 2 Td [(\137)] TJ 0.4 -2 Td (Za) Tj`, "Ża"},
		"not where it is a sign":       {`(a^a) Tj`, "aˆa"},
		"not at the end of a line":     {`(a^) Tj 0 -12 Td (a) Tj`, "aˆ|a"},
		"not with what takes no marks": {`[(a\024) 500 (C)] TJ`, "aC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := fileOf(catalog, tree, leaf, stream("", "BT /F 10 Tf 9 700 Td "+c.content+" ET"),
				fmt.Sprintf(unmappedFont, "FontFile"), stream("", type1(encoding)))
			if name == "not with what takes no marks" {
				data = []byte(strings.Replace(string(data), "dup 16", "dup 20/cwm put dup 16", 1))
			}
			require.Equal(t, c.want, strings.Join(lines(t, data), "|"))
		})
	}
}

// FuzzPrograms changes the programs of fonts.
func FuzzPrograms(f *testing.F) {
	f.Add(type1("/Encoding 256 array dup 97/a put dup 98/f_f put readonly def"))
	f.Add(cff("\x00\x00\x22\x01\x0A\x01\x87", "\x00\x03\x61\x62\x63"))
	f.Add(cff("\x01\x00\x22\x00\x01\x0A\x00\x01\x87\x00", "\x81\x01\x61\x02\x01\x42\x01\x0A"))
	f.Fuzz(func(t *testing.T, program string) {
		for _, entry := range []string{"FontFile", "FontFile3"} {
			pages, err := pdf.Read(embedded(entry, "/Subtype/Type1C", program, "abcB"))
			if err == nil {
				for _, line := range pages[0] {
					require.True(t, utf8.ValidString(line.Text))
				}
			}
			require.NotErrorIs(t, err, pdf.ErrDamaged)
		}
	})
}
