package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// counts are of the characters of a file.
type counts struct {
	bytes, letters, rightToLeft, unmapped int
	turned                                int // that are not upright, and are left out
	holes                                 int // unmapped ones within words
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl",
	"\u00AD", "-", "\u2010", "-", "\t", " ", "\u00A0", " ", "\n", " ", "\r", " ")

// add counts the characters of a glyph, and returns what they are in plain text.
func (c *counts) add(characters string) string {
	characters = ligatures.Replace(strings.ToValidUTF8(characters, ""))
	r, _ := utf8.DecodeRuneInString(characters)
	switch {
	case characters == "" || unicode.Is(unicode.Co, r) || r == unicode.ReplacementChar || unicode.IsControl(r):
		c.unmapped++
		return unknown
	case unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana):
		c.rightToLeft++
	}
	c.letters++
	if c.bytes += len(characters); c.bytes > maxText {
		panic(ErrTooLarge)
	}
	return characters
}

// unknown stands for a glyph whose characters are not known.
const unknown = "\uFFFD"

// maxHoles is how many letters there are, at least, for each glyph within words that is unknown. A ligature
// that is not mapped is more frequent.
const maxHoles = 500

// check rejects a file whose text is missing, or cannot be put together.
func (c *counts) check() error {
	switch {
	case c.turned*5 > c.letters:
		return ErrDamaged
	case c.letters == 0 && c.unmapped == 0:
		return ErrNoText
	case c.unmapped*20 > c.letters || c.holes*maxHoles > c.letters:
		return ErrUnmapped
	case c.rightToLeft*20 > c.letters:
		return ErrRightToLeft
	}
	return nil
}

// A drawnLine is a line and its place on the page.
type drawnLine struct {
	text        string
	firstX, end float64
	y, size     float64
	firstWord   float64 // its width
	inFirstWord bool    // no space was drawn yet
	lastX       float64 // of the last glyph
	lastText    string
	gaps        []gap
	columns     []float64 // where columns start that are far from the text before them
}

// A gap is a place in a line where a column may start.
type gap struct {
	at int     // in the text
	x  float64 // of the glyph behind it
}

// maxGaps bounds how many gaps of a line are remembered.
const maxGaps = 64

// Distances between glyphs, in ems.
const (
	sameLine  = 0.4
	wordGap   = 0.18
	columnGap = 2.0
	overlap   = 1.0
)

// linesOf joins the glyphs of a page to lines.
func (f *file) linesOf(glyphs []glyph) []drawnLine {
	var lines []drawnLine
	var out strings.Builder
	var line drawnLine
	flush := func() {
		if line.text = strings.TrimSpace(out.String()); line.text != "" {
			indent := len(out.String()) - len(strings.TrimLeftFunc(out.String(), unicode.IsSpace))
			for i := range line.gaps {
				line.gaps[i].at -= indent
			}
			lines = append(lines, line)
		}
		out.Reset()
	}
	for _, g := range composed(glyphs) {
		em := max(g.size, line.size)
		if g.text == unknown {
			last, _ := utf8.DecodeLastRuneInString(out.String())
			if !unicode.IsLetter(last) || math.Abs(g.y-line.y) > sameLine*em || math.Abs(g.x-line.end) > wordGap*em {
				continue
			}
			f.count.holes++
		}
		if line.size == 0 || math.Abs(g.y-line.y) > sameLine*em || g.x < line.end-overlap*em {
			flush()
			line = drawnLine{y: g.y, size: g.size, firstX: g.x, end: g.x, inFirstWord: true}
		}
		if g.text == line.lastText && g.text != "" && math.Abs(g.x-line.lastX) < 0.1*g.size && out.Len() > 0 {
			continue // drawn twice, to look bold
		}
		switch width := g.x - line.end; {
		case out.Len() == 0:
		case width > columnGap*em:
			if len(line.columns) < maxGaps {
				line.columns = append(line.columns, g.x)
			}
			out.WriteByte('\t')
			line.inFirstWord = false
		case width > wordGap*em && !strings.HasSuffix(out.String(), " ") && g.text != " ":
			line.addGap(out.Len(), g.x)
			out.WriteByte(' ')
			line.inFirstWord = false
		case startsName(out.String(), g.text):
			line.addGap(out.Len(), g.x)
		}
		if g.text == " " && out.Len() > 0 {
			line.inFirstWord = false
		}
		out.WriteString(g.text)
		if r, _ := utf8.DecodeRuneInString(g.text); isIdeographic(r) {
			line.inFirstWord = line.inFirstWord && out.Len() == len(g.text)
		}
		line.lastX, line.lastText = g.x, g.text
		if g.text != " " {
			line.end, line.size = max(line.end, g.end), max(line.size, g.size)
		}
		if line.inFirstWord {
			line.firstWord = line.end - line.firstX
		}
	}
	flush()
	return lines
}

func (l *drawnLine) addGap(at int, x float64) {
	if len(l.gaps) < maxGaps {
		l.gaps = append(l.gaps, gap{at, x})
	}
}

// startsName reports whether a letter is behind a time, as where a column of times is narrow.
func startsName(line, next string) bool {
	const minutes = 3 // the size of ":25"
	letter, _ := utf8.DecodeRuneInString(next)
	n := len(line) - minutes
	return n > 0 && line[n] == ':' && '0' <= line[n+2] && line[n+2] <= '9' && unicode.IsLetter(letter)
}

// splitColumns puts tabs where a column starts without much space before it: where other lines, or their
// columns, start.
func splitColumns(page []drawnLine) {
	starts, left := map[int]int{}, math.Inf(1)
	for _, line := range page {
		starts[int(math.Round(line.firstX))]++
		for _, x := range line.columns {
			starts[int(math.Round(x))]++
		}
		left = min(left, line.firstX)
	}
	for i, line := range page {
		for j := len(line.gaps) - 1; j >= 0; j-- {
			g := line.gaps[j]
			x := int(math.Round(g.x))
			isColumn := starts[x]+starts[x-1]+starts[x+1] >= minColumnLines && g.x >= left+columnGap*line.size
			if !isColumn || g.at <= 0 || g.at > len(page[i].text) {
				continue
			}
			page[i].text = page[i].text[:g.at] + "\t" + strings.TrimPrefix(page[i].text[g.at:], " ")
		}
	}
}

// minColumnLines is how many lines start a column, at least.
const minColumnLines = 3

// isIdeographic reports whether a line may end behind a character, without a space.
func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F ||
		r >= 0xFF00 && r <= 0xFF60
}

// arrange finds which lines are set apart, and which are full, by the distances in the whole file.
func arrange(pages [][]drawnLine) [][]Line {
	lead, right := usualLead(pages), rightEdge(pages)
	var out [][]Line
	for _, page := range pages {
		splitColumns(page)
		lines := make([]Line, len(page))
		for i, line := range page {
			lines[i].Text, lines[i].X, lines[i].Y = line.text, line.firstX, line.y
			if i == 0 {
				lines[i].SetApart = true
				continue
			}
			above := page[i-1]
			distance := above.y - line.y
			sameSize := math.Abs(above.size-line.size) <= 0.1*line.size
			isLeft := math.Abs(distance) <= sameLine*line.size && line.firstX < above.firstX-line.size
			lines[i].Above = distance < -0.5*line.size || isLeft
			lines[i].SetApart = lines[i].Above || distance > 1.25*lead*line.size
			lines[i-1].Full = !lines[i].SetApart && sameSize && above.end+0.2*line.size+line.firstWord > right
		}
		markMargins(page, lines, lead)
		out = append(out, lines)
	}
	return out
}

// maxMarginRows is how many rows a header or a footer has.
const maxMarginRows = 3

// markMargins marks the rows at the top and at the bottom of a page that are set apart from those between.
func markMargins(page []drawnLine, lines []Line, lead float64) {
	order := make([]int, len(page))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(page[j].y, page[i].y) })
	for range 2 {
		rows := 1
		for i := 1; i < len(order) && rows <= maxMarginRows; i++ {
			last, next := page[order[i-1]], page[order[i]]
			size := max(last.size, next.size)
			switch distance := math.Abs(last.y - next.y); {
			case distance <= sameLine*size:
				continue
			case distance > 1.25*lead*size:
				for _, margin := range order[:i] {
					lines[margin].Margin = true
				}
			}
			rows++
		}
		slices.Reverse(order)
	}
}

// usualLead returns the distance of lines within paragraphs, in ems: one that few are below.
func usualLead(pages [][]drawnLine) float64 {
	var leads []float64
	for _, page := range pages {
		for i := 1; i < len(page); i++ {
			if lead := (page[i-1].y - page[i].y) / page[i].size; lead > 0.5 && lead < 3 {
				leads = append(leads, lead)
			}
		}
	}
	if len(leads) == 0 {
		return 1.2
	}
	slices.Sort(leads)
	return min(leads[len(leads)/10], 2)
}

// minWidth is the width of the narrowest text that is broken into full lines, in ems.
const minWidth = 15

// rightEdge returns where the longest line ends, except for the first and the last lines of pages, which may
// be headers and footers. It is infinite if all lines are short.
func rightEdge(pages [][]drawnLine) float64 {
	edge, width := math.Inf(-1), 0.0
	for _, page := range pages {
		inside := page
		if len(page) > 4 {
			inside = page[1 : len(page)-1]
		}
		for _, line := range inside {
			edge, width = max(edge, line.end), max(width, (line.end-line.firstX)/line.size)
		}
	}
	if width < minWidth {
		return math.Inf(1)
	}
	return edge
}
