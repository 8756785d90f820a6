package transcript

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// Bounds on what stands above a table.
const (
	maxLinesAbove    = 2 // of any table
	minTitledColumns = 4 // of one with more lines above: text with tabs behind its labels has fewer
)

// detectCSV detects text whose lines are the rows of a table with speakers or times: values separated by
// tabs, semicolons, commas or bars.
func detectCSV(text string) (parse func() turn.List, ok bool) {
	for _, separator := range []rune{'\t', ';', ',', '|'} {
		t, ok := parseCSV(text, separator)
		if !ok {
			continue
		}
		titles := t.titles()
		if titles == len(t) || titles > maxLinesAbove && len(t[titles]) < minTitledColumns {
			continue
		}
		if c, ok := t[titles:].findColumns(); ok {
			c.lines = separator == '\t' && c.first == 0
			c.first += titles
			return func() turn.List { return t.turns(c) }, true
		}
	}
	return nil, false
}

// parseCSV reads rows of values (RFC 4180). It returns false unless nearly all rows have the same number of
// values, and more than one.
func parseCSV(text string, separator rune) (table, bool) {
	if !looksSeparated(text, separator) {
		return nil, false
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = separator, true, -1
	var rows table
	counts := map[int]int{} // of rows by their number of values
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(rows) > turn.Max+1 {
			return nil, false
		}
		if len(rows) > 0 && len(row) > len(rows[0]) && isHeading(rows[0]) {
			row = joinLastCells(row, len(rows[0]), separator)
		}
		for i, cell := range row {
			row[i] = plain.UnescapeEntities(cell) // tables for web pages have them
		}
		rows = append(rows, row)
		counts[len(row)]++
	}
	for values, n := range counts {
		if values > 1 && n*10 >= (len(rows)-min(counts[1], maxTitleRows-1))*9 && n > len(rows)/2 {
			return rows, true
		}
	}
	return nil, false
}

// titles returns how many rows above the others have a single cell.
func (t table) titles() int {
	n := 0
	for n < min(len(t), maxTitleRows-1) && len(t[n]) == 1 {
		n++
	}
	return n
}

// isHeading reports whether a row has the headings of a transcript, the last of which is that of the words.
func isHeading(row []string) bool {
	c, ok := headedColumns(row)
	return ok && c.text == len(row)-1
}

// joinLastCells joins the words of a row that were not in quotes, so that their commas divided them.
func joinLastCells(row []string, columns int, separator rune) []string {
	last := strings.Join(row[columns-1:], string(separator))
	return append(row[:columns-1], last)
}

// looksSeparated reports whether one of the first lines of a text has the separator, and separators are not
// those of sentences, which a space follows, or the first line has headings.
func looksSeparated(text string, separator rune) bool {
	lines, found := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		if found = strings.ContainsRune(line, separator); found || lines == maxLinesAbove && separator != '\t' ||
			lines == maxTitleRows-1 {
			break
		}
		lines++
	}
	if !found {
		return false
	}
	heading, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if isHeading(strings.Split(heading, string(separator))) {
		return true
	}
	head := text[:min(len(text), plain.SampleSize)]
	all := strings.Count(head, string(separator))
	spaced := strings.Count(head, string(separator)+" ")
	return separator == '\t' || separator == '|' || spaced*2 < all || spaced < all && strings.Contains(head, `"`)
}

// detectMarkdownTable detects text that is a table in Markdown with speakers or times.
func detectMarkdownTable(text string) (parse func() turn.List, ok bool) {
	t, headed := markdownTable(text)
	if t == nil {
		return nil, false
	}
	c, ok := t.findColumns()
	if !ok {
		return nil, false
	}
	if headed {
		c.first = max(c.first, 1)
	}
	return func() turn.List { return t.turns(c) }, true
}

// markdownTable returns the rows of a text that is a table in Markdown, or nil, and whether the first row is
// its heading. Each line above the table is a row of its own.
func markdownTable(text string) (rows table, headed bool) {
	var above table
	lines, inTable := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if !strings.HasPrefix(line, "|") || len(line) < 3 {
			if inTable == 0 && len(above) < maxTitleRows-1 {
				above = append(above, []string{strings.TrimLeft(line, "# ")})
			}
			continue
		}
		inTable++
		if strings.Trim(line, "|-: ") == "" {
			headed = headed || len(rows) == 1
			continue
		}
		line = strings.ReplaceAll(strings.TrimSuffix(line[1:], "|"), `\|`, "\x00")
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			cells[i] = removeBold(strings.ReplaceAll(strings.ReplaceAll(cell, "\x00", "|"), "<br>", "\n"))
		}
		rows = append(rows, cells)
	}
	if inTable < 3 || inTable*10 < (lines-len(above))*9 || inTable <= len(above) {
		return nil, false
	}
	return append(above, rows...), headed && len(above) == 0
}
