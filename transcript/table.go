package transcript

import (
	"strconv"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A table is rows of cells: CSV, a worksheet, or a table of a document.
type table [][]string

// tableColumns are the indexes of the columns that a transcript has, or -1.
type tableColumns struct {
	speaker, text, start, end int
	first                     int // the first row that is not a heading

	lines bool           // the rows are lines of a text, which continue the row above if they have one cell
	tiers map[int]string // the speakers of a table with a column of words for each
}

// columnHeadings maps headings in lower case to what their columns have.
var columnHeadings = loadColumnHeadings()

func loadColumnHeadings() map[string]string {
	headings := map[string]string{}
	for _, pair := range lexicon.Pairs("columns") {
		headings[strings.ReplaceAll(pair[1], "_", " ")] = pair[0]
	}
	return headings
}

// maxTableColumns bounds how many columns of a table are looked at.
const maxTableColumns = 64

// findColumns returns the columns of a transcript. It returns false for a table that has no words, or neither
// speakers nor times.
func (t table) findColumns() (tableColumns, bool) {
	if len(t) < 2 {
		return tableColumns{}, false
	}
	for i, row := range t[:min(len(t), maxTitleRows)] {
		if c, ok := headedColumns(row); ok {
			c.first = i + 1
			if c.start < 0 && c.end < 0 {
				c.start = t[i+1:].timeColumn()
			}
			if c.speaker < 0 {
				c.speaker = t[i+1:].nameColumn(c)
			}
			return c, true
		}
	}
	if c, ok := t.speakerColumns(); ok {
		return c, true
	}
	c, ok := t.guessColumns()
	if ok && t.hasHeadings(c) {
		c.first = 1
	}
	if ok && c.start >= 0 && c.start < len(t[0]) && !isTimeCell(strings.TrimSpace(t[0][c.start])) && len(t) > 2 {
		c.first = 1 // the heading in a language that is not known
	}
	return c, ok
}

// timeColumn returns the first column whose cells are times, or -1.
func (t table) timeColumn() int {
	if len(t) == 0 {
		return -1
	}
	for column := range t[0][:min(len(t[0]), maxTableColumns)] {
		filled, times := 0, 0
		for _, row := range t[:min(len(t), clock.MaxSample)] {
			if column < len(row) && !plain.IsBlank(row[column]) {
				filled++
				if cell := strings.TrimSpace(row[column]); strings.Contains(cell, ":") && isTimeCell(cell) {
					times++
				}
			}
		}
		if times > 1 && times*10 >= filled*9 {
			return column
		}
	}
	return -1
}

// nameColumn returns the column between the times and the words, if nearly all of its cells are names that
// recur, or -1. Its heading is in a language that is not known, or has a word of its own.
func (t table) nameColumn(c tableColumns) int {
	column := c.text - 1
	if c.start != column-1 || c.start < 0 {
		return -1
	}
	profiles := t.profileColumns()
	if column >= len(profiles) {
		return -1
	}
	p := profiles[column]
	if names, labels := p.names.recurring(); names < 2 || labels*10 < p.filled*9 {
		return -1
	}
	return column
}

// maxTitleRows bounds where the row with the headings is looked for.
const maxTitleRows = 8

// headedColumns finds the columns by the headings in a row.
func headedColumns(row []string) (tableColumns, bool) {
	c := tableColumns{speaker: -1, text: -1, start: -1, end: -1}
	for i, cell := range row {
		switch column := columnHeadings[normalHeading(cell)]; {
		case column == "speaker" && c.speaker < 0:
			c.speaker = i
		case column == "text" && c.text < 0:
			c.text = i
		case column == "start" && c.start < 0:
			c.start = i
		case column == "end" && c.end < 0:
			c.end = i
		}
	}
	return c, c.text >= 0 && (c.speaker >= 0 || c.start >= 0)
}

// normalHeading returns a heading in lower case, with one space between words and without what is in brackets
// behind it, such as a unit.
func normalHeading(cell string) string {
	heading := strings.ToLower(strings.Trim(cell, " \t*#:\ufeff"))
	if i := strings.IndexAny(heading, "(["); i > 0 {
		heading = heading[:i]
	}
	return strings.Join(strings.FieldsFunc(heading, func(r rune) bool { return r == ' ' || r == '_' }), " ")
}

// A columnProfile counts what the cells of a column look like.
type columnProfile struct {
	filled, times int
	counting      int // numbers that are one more than the number above, as those of rows are
	last          string
	words         float64
	names         tally
}

// guessColumns finds the columns by their cells: most words are text, times are starts and ends, and names
// that recur are speakers.
func (t table) guessColumns() (tableColumns, bool) {
	sample := t
	if len(t) > 3 {
		sample = t[1:] // the first row may have headings
	}
	profiles := sample.profileColumns()
	c := tableColumns{speaker: -1, text: -1, start: -1, end: -1}
	total, most := 0.0, 0.0
	for i, p := range profiles {
		total += p.words
		if p.words > most && p.times*2 < p.filled {
			c.text, most = i, p.words
		}
	}
	if c.text < 0 || most*2 < total || most < 3*float64(profiles[c.text].filled)/2 {
		return c, false
	}
	bestNames := 0
	for i, p := range profiles {
		switch {
		case i == c.text || p.filled == 0 || p.filled > 3 && p.counting == p.filled-1:
		case p.times*10 >= p.filled*9:
			if c.start < 0 {
				c.start = i
			} else if c.end < 0 {
				c.end = i
			}
		default:
			if names, labels := p.names.recurring(); names > 1 && labels*10 >= p.filled*7 && labels > bestNames {
				c.speaker, bestNames = i, labels
			}
		}
	}
	if c.speaker < 0 && c.start >= 0 && c.text != 0 && t.hasTierNames() {
		c.speaker = 0
	}
	return c, c.speaker >= 0 || c.start >= 0
}

func (t table) profileColumns() []columnProfile {
	var profiles []columnProfile
	for _, row := range t {
		for i, cell := range row[:min(len(row), maxTableColumns)] {
			if i == len(profiles) {
				profiles = append(profiles, columnProfile{names: newTally()})
			}
			cell = strings.TrimSpace(cell)
			if cell == "" {
				continue
			}
			p := &profiles[i]
			p.filled++
			if isNextNumber(p.last, cell) {
				p.counting++
			}
			p.last = cell
			if isTimeCell(cell) {
				p.times++
				continue
			}
			p.words += plain.CountWords(cell)
			p.names.add(trimName(cell))
		}
	}
	return profiles
}

// hasHeadings reports whether the first row has a known heading, or, above names that recur, one that does
// not and a word or two above the words.
func (t table) hasHeadings(c tableColumns) bool {
	for _, cell := range t[0][:min(len(t[0]), maxTableColumns)] {
		if columnHeadings[normalHeading(cell)] != "" {
			return true
		}
	}
	if c.speaker < 0 || c.speaker >= len(t[0]) || c.text >= len(t[0]) || len(t) < 4 {
		return false
	}
	text := strings.TrimSpace(t[0][c.text])
	if plain.EndsSentence(text) || len(strings.Fields(text)) > 2 {
		return false
	}
	for _, row := range t[1:] {
		if c.speaker < len(row) && strings.TrimSpace(row[c.speaker]) == strings.TrimSpace(t[0][c.speaker]) {
			return false
		}
	}
	return true
}

// isNextNumber reports whether a cell has the integer that follows the one above.
func isNextNumber(above, cell string) bool {
	before, err := strconv.Atoi(strings.TrimRight(above, ".)"))
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(strings.TrimRight(cell, ".)"))
	return err == nil && n == before+1
}

// trimName removes what surrounds a name in a cell: bold, brackets, a colon.
func trimName(cell string) string {
	if strings.HasPrefix(cell, "@") && !strings.Contains(cell, " ") {
		cell = strings.TrimPrefix(cell, "@") // a tier: "@dana-text"
		if i := strings.LastIndexAny(cell, "-_"); i > 0 && tierKinds[strings.ToLower(cell[i+1:])] {
			cell = cell[:i]
		}
	}
	return speaker.TrimBrackets(strings.TrimSpace(strings.TrimSuffix(strings.Trim(cell, "* "), ":")))
}

// isTimeCell reports whether a cell is a number, or a time in any notation.
func isTimeCell(cell string) bool {
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return true
	}
	if h, ok := clock.ReadStamp(cell); ok && h.Rest == "" {
		return true
	}
	_, rest, ok := clock.Parse(strings.Trim(cell, "[]()"))
	return ok && rest == ""
}

// turns reads the rows. A row without a speaker or a time belongs to nobody; one without words is left out.
func (t table) turns(c tableColumns) turn.List {
	if len(c.tiers) > 0 {
		t, c = t.joinTiers(c)
	}
	var list turn.List
	for _, row := range t[:c.first] {
		if len(row) == 1 {
			list.AddText(row[0]) // a title above the table
		}
	}
	rows := t[c.first:]
	unit, stamped := rows.unit(c), c.start < 0 && rows.areStamped(c)
	var day clock.Wall
	clocks := rows.clockLines(c)
	_, inHours := clock.DayPlace(clocks, len(rows), false)
	list.Hours = !inHours && clock.AreAmbiguous(clocks)
	var paragraphs []string // that continue the last turn
	addParagraphs := func() {
		if len(paragraphs) > 0 {
			last := &list.Turns[len(list.Turns)-1]
			last.Text += "\n" + strings.Join(paragraphs, "\n")
			paragraphs = nil
		}
	}
	for _, row := range rows {
		if len(row) == 1 && c.text > 0 {
			if c.lines && len(list.Turns) > 0 && plain.EndsSentence(strings.TrimSpace(row[0])) {
				paragraphs = append(paragraphs, row[0])
			} else {
				addParagraphs()
				list.AddText(row[0])
			}
			continue
		}
		cell := func(i int) string {
			if i < 0 || i >= len(row) {
				return ""
			}
			return strings.TrimSpace(row[i])
		}
		text := cell(c.text)
		if text == "" {
			continue
		}
		said := turn.Turn{Speaker: trimName(cell(c.speaker)), Text: text}
		if c.lines && c.speaker == 0 && c.start < 0 && said.Speaker == "" && len(list.Turns) > 0 {
			paragraphs = append(paragraphs, text) // behind a tab
			continue
		}
		switch h, ok := clock.ReadBracketed(text); {
		case stamped && ok:
			said.Start, said.End, said.Timed, said.Ended, said.Text = h.Start, h.End, true, h.Ended, h.Rest
		default:
			said.Start, said.Timed = readTimeCell(cell(c.start), unit, inHours, &day)
			if h, isRange := clock.ReadBare(cell(c.start)); isRange && h.Ended {
				said.End, said.Ended = h.End, true
			}
			if said.Timed && cell(c.end) != "" {
				said.End, said.Ended = readTimeCell(cell(c.end), unit, inHours, &day)
			}
		}
		addParagraphs()
		list.Add(said)
	}
	addParagraphs()
	orderTiers(&list)
	fillSpeakers(&list)
	for i := range list.Turns {
		if said := &list.Turns[i]; isNoteLabel(said.Speaker) {
			said.Speaker = "" // a row of the transcriber
		}
	}
	return list
}

// isNoteLabel reports whether the speaker of a row is a word for notes, which is not also one for people.
func isNoteLabel(name string) bool {
	lower := strings.ToLower(name)
	return speaker.NoteLabels[lower] && !speaker.PeopleWords[lower]
}

// areStamped reports whether the words of nearly all rows begin with a time in brackets.
func (t table) areStamped(c tableColumns) bool {
	stamped, filled := 0, 0
	for _, row := range t {
		if c.text >= len(row) || plain.IsBlank(row[c.text]) {
			continue
		}
		filled++
		if _, ok := clock.ReadBracketed(strings.TrimSpace(row[c.text])); ok {
			stamped++
		}
	}
	return stamped*10 >= filled*8
}

// clockLines returns the starts and words of the rows as lines of a text.
func (t table) clockLines(c tableColumns) string {
	var out strings.Builder
	for _, row := range t {
		if c.start < 0 || max(c.start, c.text) >= len(row) || strings.Count(row[c.start], ":") != 1 {
			return ""
		}
		words := strings.Join(strings.Fields(row[c.text]), " ")
		out.WriteString("[" + strings.Trim(row[c.start], " []()") + "] " + words + "\n")
	}
	return out.String()
}

// readTimeCell reads the time in a cell. With inHours, "10:02" is a time of day.
func readTimeCell(cell string, unit clock.Unit, inHours bool, day *clock.Wall) (time.Duration, bool) {
	if c, rest, ok := clock.ParseDay(strings.Trim(cell, "[]()")); inHours && ok && rest == "" {
		return day.Elapsed(c), true
	}
	if h, ok := clock.ReadStamp(cell); ok && h.Rest == "" {
		return h.Start, true
	}
	if at, rest, ok := clock.Parse(strings.Trim(cell, "[]()")); ok && rest == "" {
		return day.Elapsed(at), true
	}
	return unit(cell)
}

// unit returns the unit of the starts, if these are numbers.
func (t table) unit(c tableColumns) clock.Unit {
	if c.start < 0 {
		return clock.Seconds
	}
	words, first, last := 0.0, -1.0, 0.0
	for _, row := range t[:min(len(t), clock.MaxSample)] {
		if c.start >= len(row) || c.text >= len(row) {
			continue
		}
		if at, err := strconv.ParseFloat(strings.TrimSpace(row[c.start]), 64); err == nil {
			words += plain.CountWords(row[c.text])
			if first < 0 {
				first = at
			}
			last = max(last, at)
		}
	}
	return clock.UnitByRate(words, last-first, clock.Seconds)
}
