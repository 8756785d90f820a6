package transcript_test

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// contain puts a text into a file of the template's kind. In documents "**" is bold and "⏎" breaks a line.
func (s template) contain(text string) []byte {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var rows [][]string
	for _, line := range lines {
		rows = append(rows, strings.Split(line, "\t"))
	}
	switch s.container {
	case "docx":
		return markedDocx(lines...)
	case "docxtable":
		return docxOf(wordTable(rows, markedParagraph))
	case "odt":
		for i, line := range lines {
			lines[i] = odtText(strings.ReplaceAll(line, "**", ""))
		}
		return odtOf("<text:p>" + strings.Join(lines, "</text:p><text:p>") + "</text:p>")
	case "rtf":
		return rtfOf(lines)
	case "pdf":
		return printed(text)
	case "html":
		return pageOf(lines)
	case "xlsx":
		return inlineXLSX(rows)
	}
	if s.flags["numbered"] {
		lines = wrapLines(text, 66)
		for i := range lines {
			lines[i] = fmt.Sprintf("%3d  %s", i+1, lines[i])
		}
		text = strings.Join(lines, "\n")
	}
	if s.flags["crlf"] {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if s.flags["cp1252"] {
		return windows1252(text)
	}
	return []byte(text)
}

// inlineXLSX writes a spreadsheet whose cells have their texts, and not the numbers of shared ones.
func inlineXLSX(rows [][]string) []byte {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for k, cell := range row {
			fmt.Fprintf(&b, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+k, i+1, vttEscape.Replace(cell))
		}
		b.WriteString("</row>")
	}
	return worksheetOf(b.String())
}

func rtfOf(lines []string) []byte {
	var b strings.Builder
	b.WriteString(rtfHead)
	for _, line := range lines {
		b.WriteString(`\pard `)
		eachRun(line, func(text string, bold bool) {
			if bold {
				b.WriteString(`{\b ` + rtfText(text) + "}")
			} else {
				b.WriteString(rtfText(text))
			}
		})
		b.WriteString(`\par` + "\n")
	}
	return []byte(b.String() + "}")
}

// pageOf writes a page as Google Docs exports documents.
func pageOf(lines []string) []byte {
	var b strings.Builder
	b.WriteString(`<html><head><meta charset="UTF-8"><style>p{margin:0}</style></head>` +
		`<body class="doc-content">`)
	for _, line := range lines {
		b.WriteString("<p>")
		eachRun(line, func(text string, bold bool) {
			class := "c1"
			if bold {
				class = "c2"
			}
			b.WriteString(`<span class="` + class + `">` + htmlText(text) + "</span>")
		})
		b.WriteString("</p>")
	}
	return []byte(b.String() + "</body></html>")
}

// windows1252 encodes a text, with question marks for what the encoding does not have.
func windows1252(text string) []byte {
	var out []byte
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		out = append(out, b)
	}
	return out
}

// wrapLines breaks paragraphs into lines of at most width characters.
func wrapLines(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Split(wrapAt(paragraph, width, ""), "\n")...)
	}
	return lines
}

// printed prints a text on pages with page numbers, as a word processor does.
func printed(text string) []byte {
	lines := wrapLines(strings.ReplaceAll(text, "**", ""), 84)
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
			fmt.Fprintf(&content, "BT /F1 11 Tf 72 %d Td (%s) Tj ET\n", 760-i*18, windows1252(shown))
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
