package transcript_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// contain puts a text into a file of the style's kind. In documents "**" is bold and "⏎" breaks a line.
func (s ninthStyle) contain(text string) []byte {
	switch s.container {
	case "docx":
		return ninthDocx(ninthParagraphs(text))
	case "docxtable":
		return ninthDocx(ninthTable(text))
	case "odt":
		return ninthODT(text)
	case "rtf":
		return ninthRTF(text)
	case "pdf":
		return ninthPDF(text)
	case "html":
		return ninthHTML(text)
	case "xlsx":
		return ninthXLSX(text)
	}
	if s.flags["numbered"] {
		lines := ninthWrap(text, 66)
		for i := range lines {
			lines[i] = fmt.Sprintf("%3d  %s", i+1, lines[i])
		}
		text = strings.Join(lines, "\n")
	}
	if s.flags["crlf"] {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if s.flags["cp1252"] {
		return ninthWindows(text)
	}
	return []byte(text)
}

func ninthEscape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

var ninthBold = regexp.MustCompile(`\*\*(.+?)\*\*|([^*]+|\*)`)

// ninthRuns calls run for each piece of a line.
func ninthRuns(line string, run func(text string, bold bool)) {
	for _, m := range ninthBold.FindAllStringSubmatch(line, -1) {
		if m[1] != "" {
			run(m[1], true)
		} else if m[2] != "*" {
			run(m[2], false)
		}
	}
}

func ninthParagraph(line string) string {
	var b strings.Builder
	b.WriteString("<w:p>")
	ninthRuns(line, func(text string, bold bool) {
		b.WriteString("<w:r>")
		if bold {
			b.WriteString("<w:rPr><w:b/></w:rPr>")
		}
		text = ninthEscape(text)
		text = strings.NewReplacer(
			"&#x9;", `</w:t><w:tab/><w:t xml:space="preserve">`,
			"⏎", `</w:t><w:br/><w:t xml:space="preserve">`,
		).Replace(text)
		b.WriteString(`<w:t xml:space="preserve">` + text + "</w:t></w:r>")
	})
	b.WriteString("</w:p>")
	return b.String()
}

func ninthParagraphs(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString(ninthParagraph(line))
	}
	return b.String()
}

func ninthTable(text string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr/>")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString("<w:tr>")
		for cell := range strings.SplitSeq(line, "\t") {
			b.WriteString("<w:tc><w:tcPr/>" + ninthParagraph(cell) + "</w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	b.WriteString("</w:tbl><w:p/>")
	return b.String()
}

func ninthZip(files ...string) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

const ninthXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

func ninthDocx(body string) []byte {
	const office = "http://schemas.openxmlformats.org/"
	return ninthZip(
		"[Content_Types].xml", ninthXML+`<Types xmlns="`+office+`package/2006/content-types">`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-`+
			`officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", ninthXML+`<Relationships xmlns="`+office+`package/2006/relationships">`+
			`<Relationship Id="rId1" Type="`+office+`officeDocument/2006/relationships/officeDocument" `+
			`Target="word/document.xml"/></Relationships>`,
		"word/document.xml", ninthXML+`<w:document xmlns:w="`+office+`wordprocessingml/2006/main"><w:body>`+
			body+`<w:sectPr/></w:body></w:document>`,
	)
}

func ninthXLSX(text string) []byte {
	const office = "http://schemas.openxmlformats.org/"
	var rows strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fmt.Fprintf(&rows, `<row r="%d">`, i+1)
		for k, cell := range strings.Split(line, "\t") {
			fmt.Fprintf(&rows, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+k, i+1, ninthEscape(cell))
		}
		rows.WriteString("</row>")
	}
	return ninthZip(
		"[Content_Types].xml", ninthXML+`<Types xmlns="`+office+`package/2006/content-types">`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-`+
			`officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" `+
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels", ninthXML+`<Relationships xmlns="`+office+`package/2006/relationships">`+
			`<Relationship Id="rId1" Type="`+office+`officeDocument/2006/relationships/officeDocument" `+
			`Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", ninthXML+`<workbook xmlns="`+office+`spreadsheetml/2006/main" xmlns:r="`+office+
			`officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>`+
			`</workbook>`,
		"xl/_rels/workbook.xml.rels", ninthXML+`<Relationships xmlns="`+office+`package/2006/relationships">`+
			`<Relationship Id="rId1" Type="`+office+`officeDocument/2006/relationships/worksheet" `+
			`Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml", ninthXML+`<worksheet xmlns="`+office+`spreadsheetml/2006/main"><sheetData>`+
			rows.String()+`</sheetData></worksheet>`,
	)
}

func ninthODT(text string) []byte {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString("<text:p>" + ninthEscape(strings.ReplaceAll(line, "**", "")) + "</text:p>")
	}
	const open = "urn:oasis:names:tc:opendocument:xmlns:"
	return ninthZip(
		"mimetype", "application/vnd.oasis.opendocument.text",
		"content.xml", ninthXML+`<office:document-content xmlns:office="`+open+`office:1.0" xmlns:text="`+open+
			`text:1.0" office:version="1.3"><office:body><office:text>`+b.String()+
			`</office:text></office:body></office:document-content>`,
	)
}

func ninthRTF(text string) []byte {
	var b strings.Builder
	b.WriteString(`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Calibri;}}\fs22` + "\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString(`\pard `)
		ninthRuns(line, func(text string, bold bool) {
			if bold {
				b.WriteString(`{\b `)
			}
			for _, r := range text {
				switch {
				case r == '\\' || r == '{' || r == '}':
					b.WriteString(`\` + string(r))
				case r == '\t':
					b.WriteString(`\tab `)
				case r < utf8.RuneSelf:
					b.WriteRune(r)
				default:
					fmt.Fprintf(&b, `\u%d?`, r)
				}
			}
			if bold {
				b.WriteString("}")
			}
		})
		b.WriteString(`\par` + "\n")
	}
	b.WriteString("}")
	return []byte(b.String())
}

func ninthHTML(text string) []byte {
	var b strings.Builder
	b.WriteString(`<html><head><meta charset="UTF-8"><style>p{margin:0}</style></head>` +
		`<body class="doc-content">`)
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString("<p>")
		ninthRuns(line, func(text string, bold bool) {
			class := "c1"
			if bold {
				class = "c2"
			}
			b.WriteString(`<span class="` + class + `">` + ninthEscape(text) + "</span>")
		})
		b.WriteString("</p>")
	}
	b.WriteString("</body></html>")
	return []byte(b.String())
}

// ninthWindows encodes a text in Windows-1252.
func ninthWindows(text string) []byte {
	const special = "€\x00‚ƒ„…†‡ˆ‰Š‹Œ\x00Ž\x00\x00‘’“”•–—˜™š›œ\x00žŸ"
	bytesOf := map[rune]byte{}
	i := byte(0x80)
	for _, r := range special {
		bytesOf[r] = i
		i++
	}
	var out []byte
	for _, r := range text {
		switch {
		case r < 0x80 || r >= 0xA0 && r <= 0xFF:
			out = append(out, byte(r))
		case bytesOf[r] != 0:
			out = append(out, bytesOf[r])
		default:
			out = append(out, '?')
		}
	}
	return out
}

func ninthWrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && utf8.RuneCountInString(line+word) >= width {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}

// ninthPDF prints a text on pages with page numbers, as a word processor does.
func ninthPDF(text string) []byte {
	lines := ninthWrap(strings.ReplaceAll(text, "**", ""), 84)
	const perPage = 36
	var objects []string
	var kids []string
	for page := 0; page*perPage < len(lines); page++ {
		var content strings.Builder
		rows := lines[page*perPage : min((page+1)*perPage, len(lines))]
		for i, line := range rows {
			if line == "" {
				continue
			}
			shown := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)
			fmt.Fprintf(&content, "BT /F1 11 Tf 72 %d Td (%s) Tj ET\n", 760-i*18, ninthWindows(shown))
		}
		fmt.Fprintf(&content, "BT /F1 9 Tf 300 40 Td (%d) Tj ET\n", page+1)
		n := 4 + 2*page
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] "+
				"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", n+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", content.Len(), content.String()))
	}
	objects = append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}, objects...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}
