package transcript_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

const (
	xmlHead     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	openXML     = "http://schemas.openxmlformats.org/"
	openXMLType = "application/vnd.openxmlformats-officedocument."
)

var vttEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// zipOf returns an archive of names and contents.
func zipOf(files ...string) []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for i := 0; i < len(files); i += 2 {
		part, err := archive.Create(files[i])
		if err == nil {
			_, err = io.WriteString(part, files[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

func relationship(kind, target string) string {
	return xmlHead + `<Relationships xmlns="` + openXML +
		`package/2006/relationships"><Relationship Id="rId1" ` +
		`Type="` + openXML + `officeDocument/2006/relationships/` + kind + `" Target="` + target +
		`"/></Relationships>`
}

// docxOf returns a Word document with the given body.
func docxOf(body string) []byte {
	return zipOf(
		"[Content_Types].xml", xmlHead+`<Types xmlns="`+openXML+`package/2006/content-types">`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/word/document.xml" ContentType="`+openXMLType+
			`wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", relationship("officeDocument", "word/document.xml"),
		"word/document.xml", xmlHead+`<w:document xmlns:w="`+openXML+`wordprocessingml/2006/main"><w:body>`+
			body+`<w:sectPr/></w:body></w:document>`,
	)
}

// docx returns a Word document of paragraphs. A line break is a break within a paragraph.
func docx(paragraphs ...string) []byte {
	var body strings.Builder
	for _, p := range paragraphs {
		body.WriteString(wordParagraph(p))
	}
	return docxOf(body.String())
}

// wordParagraph writes a paragraph in one run.
func wordParagraph(text string) string {
	return "<w:p><w:r>" + wordText(text) + "</w:r></w:p>"
}

func wordText(text string) string {
	return `<w:t xml:space="preserve">` + strings.NewReplacer(
		"\t", `</w:t><w:tab/><w:t xml:space="preserve">`, "\n", `</w:t><w:br/><w:t xml:space="preserve">`,
		"⏎", `</w:t><w:br/><w:t xml:space="preserve">`,
	).Replace(vttEscape.Replace(text)) + "</w:t>"
}

// markedParagraph writes a paragraph in which "**" is bold.
func markedParagraph(text string) string {
	var b strings.Builder
	b.WriteString("<w:p>")
	eachRun(text, func(text string, bold bool) {
		b.WriteString("<w:r>")
		if bold {
			b.WriteString("<w:rPr><w:b/></w:rPr>")
		}
		b.WriteString(wordText(text) + "</w:r>")
	})
	return b.String() + "</w:p>"
}

// markedDocx returns a Word document of paragraphs in which "**" is bold.
func markedDocx(paragraphs ...string) []byte {
	var body strings.Builder
	for _, p := range paragraphs {
		body.WriteString(markedParagraph(p))
	}
	return docxOf(body.String())
}

var runs = regexp.MustCompile(`\*\*(.+?)\*\*|([^*]+|\*)`)

// eachRun calls run for each piece of a line in which "**" is bold.
func eachRun(line string, run func(text string, bold bool)) {
	for _, m := range runs.FindAllStringSubmatch(line, -1) {
		if m[1] != "" {
			run(m[1], true)
		} else if m[2] != "*" {
			run(m[2], false)
		}
	}
}

// documentOf writes paragraphs without escapes.
func documentOf(lines ...string) string {
	return "<w:p><w:r><w:t>" + strings.Join(lines, "</w:t></w:r></w:p><w:p><w:r><w:t>") + "</w:t></w:r></w:p>"
}

// wordField writes a Word document with paragraphs before the turns.
func wordField(before string, turns []said, turn func(s said) string) []byte {
	var b strings.Builder
	for line := range strings.Lines(before) {
		b.WriteString(wordParagraph(strings.TrimSpace(line)))
	}
	for _, s := range turns {
		b.WriteString(turn(s))
	}
	return docxOf(b.String())
}

// docxParagraphs writes a Word document with paragraphs for each turn.
func docxParagraphs(paragraphs func(s said) []string) func([]said) []byte {
	return func(turns []said) []byte {
		var all []string
		for _, s := range turns {
			all = append(all, paragraphs(s)...)
		}
		return docx(all...)
	}
}

// docxTable writes a Word document with a table.
func docxTable(rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte { return docxOf(wordTable(rows(turns), wordParagraph)) }
}

// wordTable writes a table whose cells are written by paragraph.
func wordTable(rows [][]string, paragraph func(text string) string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr/>")
	for _, row := range rows {
		b.WriteString("<w:tr>")
		for _, cell := range row {
			b.WriteString("<w:tc><w:tcPr/>" + paragraph(cell) + "</w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl><w:p/>"
}

// odtOf writes an OpenDocument text with the given body.
func odtOf(body string) []byte {
	const open = "urn:oasis:names:tc:opendocument:xmlns:"
	return zipOf(
		"mimetype", "application/vnd.oasis.opendocument.text",
		"content.xml", xmlHead+`<office:document-content xmlns:office="`+open+`office:1.0" xmlns:text="`+open+
			`text:1.0" xmlns:table="`+open+`table:1.0" office:version="1.3"><office:body><office:text>`+body+
			`</office:text></office:body></office:document-content>`,
	)
}

func odtTurns(turn func(s said) string) func([]said) []byte {
	return func(turns []said) []byte { return odtOf(string(between("", "", eachOf(turn))(turns))) }
}

// eachOf makes of a function of a turn one of its number, too.
func eachOf(turn func(s said) string) func(int, said) string {
	return func(_ int, s said) string { return turn(s) }
}

func odtText(s string) string {
	return strings.ReplaceAll(vttEscape.Replace(s), "\n", "<text:line-break/>")
}

// rtfText escapes a text as word processors do.
func rtfText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\line `)
		case r == '\t':
			b.WriteString(`\tab `)
		case r == '\\' || r == '{' || r == '}':
			b.WriteString(`\` + string(r))
		case r < 128:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%d?`, int16(unit))
			}
		}
	}
	return b.String()
}

const rtfHead = `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}}` +
	`{\*\generator Riched20;}{\info{\title Interview}}\viewkind4\uc1\pard\f0\fs24 `

func rtfTurns(turn func(s said) string) func([]said) []byte {
	return between(rtfHead, "}", eachOf(turn))
}

func htmlText(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\n", "<br>\n") }

// rowsOf writes the turns as rows with the given cells.
func rowsOf(heading []string, cells func(i int, s said) []string) func([]said) [][]string {
	return func(turns []said) [][]string {
		var rows [][]string
		if heading != nil {
			rows = append(rows, heading)
		}
		for i, s := range turns {
			rows = append(rows, cells(i, s))
		}
		return rows
	}
}

func speakerAndText(_ int, s said) []string { return []string{s.speaker, s.text} }

func timeSpeakerText(_ int, s said) []string {
	return []string{clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text}
}

func csvOf(separator rune, rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = separator
		if err := w.WriteAll(rows(turns)); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

func csvCell(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func xlsxOf(rows func([]said) [][]string) func([]said) []byte {
	return func(turns []said) []byte {
		file := excelize.NewFile()
		for i, row := range rows(turns) {
			if err := file.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				panic(err)
			}
		}
		var b bytes.Buffer
		if err := file.Write(&b); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// worksheetOf returns a spreadsheet whose only worksheet has the given rows. It has as few parts as a
// spreadsheet can have.
func worksheetOf(rows string) []byte {
	return zipOf(
		"[Content_Types].xml", xmlHead+`<Types xmlns="`+openXML+`package/2006/content-types">`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/xl/workbook.xml" ContentType="`+openXMLType+`spreadsheetml.sheet.main+xml"/>`+
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="`+openXMLType+
			`spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels", relationship("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", xmlHead+`<workbook xmlns="`+openXML+`spreadsheetml/2006/main" xmlns:r="`+openXML+
			`officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>`+
			`</workbook>`,
		"xl/_rels/workbook.xml.rels", relationship("worksheet", "worksheets/sheet1.xml"),
		"xl/worksheets/sheet1.xml", xmlHead+`<worksheet xmlns="`+openXML+`spreadsheetml/2006/main"><sheetData>`+
			rows+`</sheetData></worksheet>`,
	)
}
