package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript/pdf"
)

const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	tree    = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	leaf    = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>"
	times   = "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>"
)

// fileOf returns a PDF of objects that are numbered from 1. Its first object is the catalog.
func fileOf(objects ...string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer\n<</Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

func stream(entries, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

func deflate(content string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func pageOf(content string) []byte { return fileOf(catalog, tree, leaf, stream("", content), times) }

// lines returns the text of a file's lines, with "" before those that are set apart, and "…" after full ones.
func lines(t *testing.T, data []byte) []string {
	t.Helper()
	pages, err := pdf.Read(data)
	require.NoError(t, err)
	var out []string
	for _, page := range pages {
		for i, line := range page {
			if i > 0 && line.SetApart {
				out = append(out, "")
			}
			if line.Full {
				line.Text += " …"
			}
			out = append(out, line.Text)
		}
	}
	return out
}

func TestReadsLines(t *testing.T) {
	t.Parallel()
	unicodeFont := "<</Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</DW 500>>]>>"
	cmap := "2 beginbfchar <0001> <0048> <0002> <D83DDE00> endbfchar " +
		"1 beginbfrange <0003> <0005> <0061> endbfrange"
	page := "BT /F 10 Tf 9 700 Td "
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"strings": {
			pageOf(page + `(Dana: \(so\)\077) Tj 0 -12 Td <53616D> Tj ET`), []string{"Dana: (so)?", "Sam"},
		},
		"spaces from gaps": {
			pageOf(page + `[(Wo) 20 (rd) -300 (by) -3000 (col)] TJ ET`), []string{"Word by\tcol"},
		},
		"leading": {
			pageOf(page + `12 TL (a) Tj T* (b) Tj (c) ' 0 0 (d) " ET`), []string{"a", "b", "c", "d"},
		},
		"paragraphs by distance": {
			pageOf(page + `12 TL (a) Tj (b) ' (c) ' 0 -20 Td (d) Tj (e) ' ET`), []string{"a", "b", "c", "", "d", "e"},
		},
		"full lines": {
			pageOf(page + `12 TL (a) Tj (Somebody said this) ' (and something that is very long) ' ` +
				`(and then) ' (stopped) ' (z) ' ET`),
			[]string{"a", "Somebody said this", "and something that is very long …", "and then", "stopped", "z"},
		},
		"upside-down coordinates": {
			pageOf(`1 0 0 -1 0 800 cm BT /F 10 Tf 1 0 0 -1 9 100 Tm (a) Tj 1 0 0 -1 9 112 Tm (b) Tj ET`),
			[]string{"a", "b"},
		},
		"without what is not upright": {
			pageOf(page + `(so we waited for it) Tj 0.7 0.7 -0.7 0.7 9 9 Tm (OLD) Tj ET`),
			[]string{"so we waited for it"},
		},
		"pages that are turned": {
			fileOf(catalog, tree, "<</Rotate 90"+leaf[2:], stream("", "BT /F 9 Tf 0 1 -1 0 9 9 Tm (a) Tj ET"), times),
			[]string{"a"},
		},
		"text that runs upwards": {
			pageOf("BT /F 9 Tf 0 1 -1 0 90 9 Tm (Dana: so) Tj 0 -12 Td (Sam: yes) Tj 1 0 0 1 9 9 Tm (so) Tj ET"),
			[]string{"Dana: so", "Sam: yes"},
		},
		"text that runs downwards": {
			pageOf("BT /F 9 Tf 0 -1 1 0 90 700 Tm (a) Tj 0 -12 Td (b) Tj ET"), []string{"a", "b"},
		},
		"text upside down": {
			pageOf("BT /F 9 Tf -1 0 0 -1 90 9 Tm (a) Tj 0 -12 Td (b) Tj ET"), []string{"a", "b"},
		},
		"spaces that Ghostscript writes between characters": {
			pageOf(page + `0 Tc (us ho) Tj 3 Tc [(wh) 300 (e)] TJ 0 Tc (best) Tj ET`), []string{"us how he best"},
		},
		"letters that are set wide": {pageOf(page + `3 Tc (wide) Tj ET`), []string{"wide"}},
		"replaced text among the resources": {
			fileOf(catalog, tree, strings.Replace(leaf, "/Font", "/Properties<</P 6 0 R>>/Font", 1),
				stream("", page+"/Span/P BDC (xyz) Tj EMC ET"), times, "<</ActualText(\357\273\277f\303\274r)>>"),
			[]string{"für"},
		},
		"replaced text of glyphs without names": {
			fileOf(catalog, tree, leaf, stream("", page+"/Span<</ActualText(so)>> BDC <00010002> Tj EMC ET"),
				"<</Subtype/Type0>>"), []string{"so"},
		},
		"replaced text": {
			pageOf(page + `(a) Tj /Span<</ActualText<FEFF00E900E8>>> BDC (xyz) Tj EMC (b) Tj ET`), []string{"aéèb"},
		},
		"bold by drawing twice": {
			pageOf(page + `(a) Tj ET BT /F 10 Tf 9.2 700 Td (a) Tj ET`), []string{"a"},
		},
		"inline images": {
			pageOf("BI /W 1 /H 1 ID (((\x00 EI\n" + page + `(a) Tj ET`), []string{"a"},
		},
		"packed content": {
			fileOf(catalog, tree, leaf, stream("/Filter/FlateDecode", deflate(page+"(a) Tj ET")),
				times), []string{"a"},
		},
		"forms": {
			fileOf(catalog, tree, leaf, stream("", "/X Do"), times, stream("/Subtype/Form", page+"(a) Tj ET")),
			[]string{"a"},
		},
		"names of glyphs": {
			fileOf(catalog, tree, leaf, stream("", page+"(abcde) Tj ET"),
				"<</Encoding<</Differences[97/eacute/uni00DF/quoteright/fi/a.small]>>>>"), []string{"éß’fia"},
		},
		"maps to Unicode": {
			fileOf(catalog, tree, leaf, stream("", page+"<00010002000300040005> Tj ET"),
				unicodeFont, stream("", cmap)),
			[]string{"H😀abc"},
		},
		"spaces without a width": {
			fileOf(catalog, tree, leaf, stream("", page+"<000100020001> Tj ET"),
				strings.Replace(unicodeFont, "/DW 500", "/DW 500/W[2[0]]", 1),
				stream("", "2 beginbfchar <0001> <0048> <0002> <200B> endbfchar")), []string{"HH"},
		},
		"ligatures whose bytes Ghostscript swaps": {
			fileOf(catalog, tree, leaf, stream("", page+"<00010002> Tj ET"), unicodeFont,
				stream("", "2 beginbfchar <0001> <74006900> <0002> <006D> endbfchar")), []string{"tim"},
		},
		"accents that TeX draws before letters": {
			fileOf(catalog, tree, leaf, stream("", page+"<0001> Tj -1 0 Td <0002> Tj ET"), unicodeFont,
				stream("", "2 beginbfchar <0001> <00A8> <0002> <006F> endbfchar")), []string{"ö"},
		},
		"names right behind times, where a column starts": {
			pageOf(page + `(00:25Sam) Tj 25 -12 Td (a) Tj 0 -12 Td (b) Tj 0 -12 Td (c) Tj ET`),
			[]string{"00:25\tSam", "a", "b", "c"},
		},
		"streams of objects": {
			[]byte("%PDF-1.5\n9 0 obj\n" + stream("/Type/ObjStm/N 2/First 10/Filter/FlateDecode",
				deflate(fmt.Sprintf("1 0 2 %-4d", len(catalog))+catalog+tree)) + "\nendobj\n" +
				"3 0 obj\n" + leaf + "\nendobj\n4 0 obj\n" + stream("", page+"(a) Tj ET") +
				"\nendobj\n5 0 obj\n" + times +
				"\nendobj\n8 0 obj\n" + stream("/Type/XRef/Root 1 0 R", "") + "\nendobj\n"), []string{"a"},
		},
		"hybrid files, whose tables leave out what is in streams of objects": {
			append(fileOf(catalog, tree, leaf, stream("", page+"(a) Tj ET")), "9 0 obj\n"+
				stream("/Type/ObjStm/N 1/First 4", "5 0 "+times)+"\nendobj\n"+
				"trailer\n<</Root 1 0 R/XRefStm 9>>\n"...), []string{"a"},
		},
		"an update whose trailer is a stream with another root": {
			append(pageOf(page+"(old) Tj ET"), "14 0 obj\n"+stream("", page+"(new) Tj ET")+"\nendobj\n"+
				"10 0 obj\n<</Type/Catalog/Pages 12 0 R>>\nendobj\n"+
				"12 0 obj\n<</Kids[13 0 R]>>\nendobj\n"+
				"13 0 obj\n"+strings.Replace(leaf, "4 0 R", "14 0 R", 1)+"\nendobj\n"+
				"11 0 obj\n"+stream("/Type/XRef/Root 10 0 R", "x")+"\nendobj\n"...),
			[]string{"new"},
		},
		"objects that were replaced": {
			append(pageOf(page+"(old) Tj ET"), "4 0 obj\n"+stream("", page+"(new) Tj ET")+"\nendobj\n"...),
			[]string{"new"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, lines(t, c.data))
		})
	}
}

func TestRejectsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	page := "BT /F 10 Tf 9 700 Td "
	bomb := deflate(strings.Repeat(" ", 40<<20))
	drawing := func(content string, objects ...string) []byte {
		return fileOf(append([]string{catalog, tree, leaf, stream("", content)}, objects...)...)
	}
	packed := func(filter, content string) []byte {
		return fileOf(catalog, tree, leaf, stream("/Filter/"+filter, content), times)
	}
	const mapped = "<</ToUnicode 6 0 R>>"
	manyCodes := "1 beginbfrange " + strings.Repeat("<0000><FFFF><0041>", 1<<10) + " endbfrange"
	manyWidths := "<</Subtype/Type0/DescendantFonts[<</W[" + strings.Repeat("0 65535 1 ", 1<<10) + "]>>]>>"
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":    {[]byte("%PDF-1.7"), pdf.ErrDamaged},
		"no pages":   {fileOf("<<>>"), pdf.ErrDamaged},
		"a scan":     {drawing("/X Do", times, stream("/Subtype/Image", "x")), pdf.ErrNoText},
		"encryption": {append(pageOf(page+"(a) Tj ET"), "trailer<</Encrypt 9 0 R>>"...), pdf.ErrEncrypted},
		"unknown glyphs within words": {
			drawing(page+"(na\x01ve) Tj ET", "<</ToUnicode 6 0 R>>",
				stream("", "4 beginbfchar <61> <0061> <65> <0065> <6E> <006E> <76> <0076> endbfchar")), pdf.ErrUnmapped,
		},
		"glyphs without names": {drawing(page+"<0001> Tj ET", "<</Subtype/Type0>>"), pdf.ErrUnmapped},
		"codes of a font's own": {
			drawing(page+"(a) Tj ET", "<</Subtype/TrueType/FontDescriptor<</Flags 4>>>>"), pdf.ErrUnmapped,
		},
		"an unknown filter":     {packed("LZWDecode", "x"), pdf.ErrDamaged},
		"content that is cut":   {packed("FlateDecode", deflate(page)[:9]), pdf.ErrDamaged},
		"text on a slope":       {pageOf("BT /F 9 Tf 1 1 -1 1 9 9 Tm (a) Tj ET"), pdf.ErrDamaged},
		"a string that is cut":  {pageOf(page + "(Dana: so) Tj (Sam: ye"), pdf.ErrDamaged},
		"a tree in itself":      {fileOf(catalog, "<</Kids[2 0 R]>>"), pdf.ErrDamaged},
		"a tree of pages":       {fileOf(catalog, "<</Kids["+strings.Repeat("<<>>", 2001)+"]>>"), pdf.ErrTooLarge},
		"a form in itself":      {drawing("/X Do", times, stream("/Subtype/Form", "/X Do")), pdf.ErrDamaged},
		"arrays in arrays":      {pageOf(strings.Repeat("[", 5<<20)), pdf.ErrDamaged},
		"dictionaries in them":  {fileOf(strings.Repeat("<</A", 1<<20)), pdf.ErrDamaged},
		"a length of itself":    {fileOf("<</Length 1 0 R>>\nstream\n"), pdf.ErrDamaged},
		"references in a ring":  {fileOf("2 0 R", "1 0 R"), pdf.ErrDamaged},
		"a bomb":                {packed("FlateDecode", bomb), pdf.ErrTooLarge},
		"strings without end":   {fileOf(strings.Repeat("1 0 obj(", 1<<20)), pdf.ErrTooLarge},
		"streams without end":   {fileOf(strings.Repeat("1 0 obj<<>>stream ", 1<<19)), pdf.ErrTooLarge},
		"a map of many codes":   {drawing(page+"(a) Tj", mapped, stream("", manyCodes)), pdf.ErrTooLarge},
		"widths of many codes":  {drawing(page+"(a) Tj ET", manyWidths), pdf.ErrTooLarge},
		"a font for each glyph": {fontsOf(strings.Repeat("/F 1 Tf ", 1<<17)), pdf.ErrTooLarge},
		"a bomb on every page": {
			fileOf(catalog, "<</Kids["+strings.Repeat("<</Contents 4 0 R>>", 1999)+"]>>", "null",
				stream("/Filter/FlateDecode", deflate(strings.Repeat(" ", 20<<20)))), pdf.ErrTooLarge,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pdf.Read(c.data)
			require.ErrorIs(t, err, c.want)
		})
	}
}

// Chromium writes the place of each letter. The longest interviews have some 60,000 words.
func TestReadsLongTranscripts(t *testing.T) {
	t.Parallel()
	line := "1 0 0 1 9 700 Tm " + strings.Repeat("<41> Tj 7.328125 0 Td <42> Tj 10.5842743 0 Td ", 40)
	got := lines(t, pageOf("BT /F 10 Tf "+strings.Repeat(line, 4500)+"ET"))
	require.Len(t, got, 4500)
}

// fontsOf returns a page whose font is not an object of its own, so that it is read each time it is set.
func fontsOf(content string) []byte {
	return fileOf(catalog, tree, strings.Replace(leaf, "5 0 R", "<<>>", 1), stream("", content))
}

// Words written from right to left are drawn from left to right by some programs and not by others.
func TestRejectsTextFromRightToLeft(t *testing.T) {
	t.Parallel()
	font := "<</Subtype/Type0/ToUnicode 6 0 R>>"
	cmap := "1 beginbfrange <0001> <0005> <05D0> endbfrange"
	_, err := pdf.Read(fileOf(catalog, tree, leaf,
		stream("", "BT /F 10 Tf 9 700 Td <000100020003> Tj ET"), font, stream("", cmap)))
	require.ErrorIs(t, err, pdf.ErrRightToLeft)
}

// FuzzContent changes what a page draws, and the map of its font.
func FuzzContent(f *testing.F) {
	f.Add("BT /F 10 Tf 9 700 Td 12 TL [(Wo) 20 (rd) -300 (by)] TJ (b) ' 0 0 (c) \" ET",
		"1 beginbfchar <41> <42> endbfchar")
	f.Add("q 1 0 0 -1 0 800 cm BI /W 1 ID x EI /X Do Q", "1 beginbfrange <00> <FF> [<0041> <0042>] endbfrange")
	f.Add("/Span<</ActualText<FEFF00E9>>> BDC BT 1 0 0 1 9 9 Tm <41> Tj ET EMC", "")
	f.Fuzz(func(t *testing.T, content, cmap string) {
		font := strings.TrimSuffix(times, ">>") + "/ToUnicode 7 0 R>>"
		pages, err := pdf.Read(fileOf(catalog, tree, leaf, stream("", content), font,
			stream("/Subtype/Form", content), stream("", cmap)))
		if err != nil {
			return
		}
		for _, page := range pages {
			for _, line := range page {
				require.NotEmpty(t, line.Text)
				require.True(t, utf8.ValidString(line.Text))
			}
		}
	})
}
