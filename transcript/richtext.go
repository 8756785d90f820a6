package transcript

import (
	"strings"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/running"
	"research/transcript/internal/turn"
)

// richText collects the text of a document: a line for each break, a blank line after each paragraph, and the
// rows of its tables.
type richText struct {
	out    strings.Builder
	rows   table
	row    []string
	tables int // depth within tables
	cell   int // where the text of the cell starts

	above     []string // the row above
	continued bool     // the cell is merged with the one above
	spans     []int    // for each column, how many rows below its last cell reaches

	pictures bool // the document has some

	heading  int            // where the text of a heading starts, plus one, or 0
	headings map[string]int // how often each occurs
}

func (d *richText) startTable() {
	if d.tables++; d.tables == 1 {
		d.spans = nil
	}
}

func (d *richText) endTable() { d.tables = max(0, d.tables-1) }

func (d *richText) startRow() {
	if d.tables == 1 {
		d.row = nil
	}
}

func (d *richText) startCell() {
	if d.tables != 1 {
		return
	}
	for len(d.row) < len(d.spans) && d.spans[len(d.row)] > 0 {
		d.spans[len(d.row)]--
		d.row = append(d.row, d.nameAbove())
	}
	d.cell, d.continued = d.out.Len(), false
}

// spanRows says that the cell reaches down to the next rows, in formats whose rows leave out such cells.
func (d *richText) spanRows(rows int) {
	if d.tables != 1 || rows < 2 || len(d.row) >= maxTableColumns {
		return
	}
	for len(d.spans) <= len(d.row) {
		d.spans = append(d.spans, 0)
	}
	d.spans[len(d.row)] = min(rows, turn.Max) - 1
}

// continueCell says that the cell is merged with the one above, in formats whose rows have such cells.
func (d *richText) continueCell() { d.continued = d.tables == 1 }

// nameAbove returns what the cell above says, if it may be a name or a time. Words are not said twice.
func (d *richText) nameAbove() string {
	if n := len(d.row); n < len(d.above) && len(d.above[n]) <= plain.MaxLabel {
		return d.above[n]
	}
	return ""
}

func (d *richText) endCell() {
	if d.tables != 1 || len(d.row) >= maxTableColumns || d.cell > d.out.Len() {
		return
	}
	cell := strings.TrimSpace(withoutSoftHyphens(d.out.String()[d.cell:]))
	if cell == "" && d.continued {
		cell = d.nameAbove()
	}
	d.row = append(d.row, cell)
}

func (d *richText) endRow() {
	if d.tables == 1 && len(d.row) > 0 && len(d.rows) <= turn.Max {
		d.rows = append(d.rows, d.row)
		d.above, d.row = d.row, nil
	}
}

// withoutSoftHyphens removes the marks where a word may be divided, which nobody sees within a line.
func withoutSoftHyphens(text string) string { return strings.ReplaceAll(text, "\u00AD", "") }

func (d *richText) endParagraph() { d.out.WriteString("\n\n") }

// source detects the format of the text: that of a table if most words are in one with speakers or times, or
// one of the text formats.
func (d *richText) source(f format.Format) (source, error) {
	text := plain.UnifyLineBreaks(withoutSoftHyphens(d.out.String()))
	text = joinCopiedHeads(plain.TrimMarks(running.StripPages(text)))
	if plain.IsBlank(text) && d.pictures {
		return source{}, format.Unsupported("It is a document of pictures without text. Please export the " +
			"transcript as text, or let a program for text recognition (OCR) read the pictures.")
	}
	if plain.IsBlank(text) {
		return source{}, format.Unsupported("It is a document without text. " +
			"Please upload the transcript of a conversation.")
	}
	text, _ = cutMeetClosing(text)
	text = dropTitles(unifyBracketedNames(text), d.headings)
	if d.isMostlyTable(text) {
		if c, ok := d.rows.findColumns(); ok {
			return source{format: f, parse: func() turn.List { return d.rows.turns(c) }, text: text}, nil
		}
	}
	src := detectText(endAtDecisions(text))
	src.text = text
	if src.format != format.WebVTT && src.format != format.SubRip {
		src.format = f
	}
	return src, nil
}

func (d *richText) isMostlyTable(text string) bool {
	inCells := 0
	for _, row := range d.rows {
		for _, cell := range row {
			inCells += len(cell)
		}
	}
	return inCells*10 >= len(text)*6
}
