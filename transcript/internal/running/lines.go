package running

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// Running lines are the headers and footers that a document has on every page. They recur at nearly equal
// distances, or have a number that counts the pages. Speech and names do neither.
const (
	MinPages       = 3     // pages
	minPageLines   = 8     // between two running lines that are the same
	minCountLines  = 4     // between two that count the pages
	maxLineKeys    = 8_192 // different lines that are remembered
	maxPageNumbers = 6     // numbers in a line

	// maxPagedText is the size of the largest text that is searched. Sixty thousand words take a third of it.
	maxPagedText = 1 << 20
)

// A recurringLine is a line that occurs several times, with the same or with other numbers.
type recurringLine struct {
	at      []int   // its indexes among the lines
	numbers [][]int // of each occurrence
	same    bool    // all occurrences have the same numbers
}

// recurringLines returns the short lines that recur. The keys have "#" in place of each number.
func recurringLines(lines []string) map[string]*recurringLine {
	found := map[string]*recurringLine{}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > MaxLine {
			continue
		}
		key, numbers := MaskNumbers(line)
		r := found[key]
		if r == nil {
			if len(found) >= maxLineKeys {
				continue
			}
			found[key] = &recurringLine{at: []int{i}, numbers: [][]int{numbers}, same: true}
			continue
		}
		r.same = r.same && line == strings.TrimSpace(lines[r.at[0]])
		r.at, r.numbers = append(r.at, i), append(r.numbers, numbers)
	}
	return found
}

// MaskNumbers replaces each number of a line by "#", and returns the first of them.
func MaskNumbers(line string) (key string, numbers []int) {
	var out strings.Builder
	for i := 0; i < len(line); {
		size := 0
		for i+size < len(line) && plain.IsDigit(line[i+size]) {
			size++
		}
		if size == 0 {
			out.WriteByte(line[i])
			i++
			continue
		}
		if n, err := strconv.Atoi(line[i : i+min(size, 9)]); err == nil && len(numbers) < maxPageNumbers {
			numbers = append(numbers, n)
		}
		out.WriteByte('#')
		i += size
	}
	return out.String(), numbers
}

// gaps returns the smallest and the largest distance between two occurrences.
func (r *recurringLine) gaps() (minGap, maxGap int) {
	for i := 1; i < len(r.at); i++ {
		gap := r.at[i] - r.at[i-1]
		if i == 1 || gap < minGap {
			minGap = gap
		}
		maxGap = max(maxGap, gap)
	}
	return minGap, maxGap
}

// countsPages reports whether one number of the line counts up by one, and the others stay.
func (r *recurringLine) countsPages(key string) bool {
	minGap, _ := r.gaps()
	_, rest, isLabel := speaker.SplitLabel(key)
	if plain.EndsSentence(key) || isLabel && !plain.IsBlank(rest) ||
		strings.Contains(key, "#:#:#") || IsWordy(key) {
		return false
	}
	if r.same || minGap < minCountLines || isNumberedName(key) {
		return false
	}
	if len(r.at) < MinPages && !(len(r.at) == 2 && minGap >= minPageLines && slices.Contains(r.numbers[0], 1)) {
		return false
	}
	counters := 0
	for column := range r.numbers[0] {
		counts, stays := true, true
		for i := 1; i < len(r.numbers); i++ {
			step := r.numbers[i][column] - r.numbers[i-1][column]
			counts, stays = counts && step == 1, stays && step == 0
		}
		if !counts && !stays {
			return false
		}
		if counts {
			counters++
		}
	}
	return counters == 1
}

// speechWords is how many words in lower case a line has that nobody prints on every page.
const speechWords = 5

// IsWordy reports whether a line has as many words in lower case as speech that recurs. An address or a
// copyright is not spoken.
func IsWordy(line string) bool {
	if strings.ContainsAny(line, "©@") || strings.Contains(line, "://") {
		return false
	}
	n := 0
	for word := range strings.FieldsSeq(line) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLower(r) {
			n++
		}
	}
	return n >= speechWords
}

// isNumberedName reports whether a line with "#" for its number may be a name, a time or a heading of the
// conversation: "Speaker #", "#:#", "Question #:".
func isNumberedName(key string) bool {
	words := strings.FieldsFunc(key, plain.IsNotLetter)
	if len(words) == 0 {
		return key == "#" || strings.Contains(key, ":") || strings.Contains(key, ".") && strings.Count(key, "#") < 4
	}
	isPage := func(word string) bool { return pageWords[strings.ToLower(word)] }
	return len(words) < 3 && !slices.ContainsFunc(words, isPage) && !strings.Contains(key, "#/#")
}

// isRegular reports whether the same line recurs at nearly equal distances, always beside a blank line.
func (r *recurringLine) isRegular(lines []string) bool {
	line := strings.TrimSpace(lines[r.at[0]])
	if !r.same || len(r.at) < MinPages || isSpoken(line) || MayBeName(line) || IsWordy(line) {
		return false
	}
	if r.areSaid(lines) {
		return false
	}
	for _, i := range r.at {
		if i > 0 && i+1 < len(lines) && !plain.IsBlank(lines[i-1]) && !plain.IsBlank(lines[i+1]) {
			return false
		}
	}
	minGap, maxGap := r.gaps()
	return minGap >= minPageLines && (maxGap-minGap)*3 <= minGap
}

// areSaid reports whether most occurrences of a line are the only words between two lines that may be names
// or labels: what somebody says again and again.
func (r *recurringLine) areSaid(lines []string) bool {
	said := 0
	for _, i := range r.at {
		above, below := nextFilled(lines, i, -1), nextFilled(lines, i, 1)
		if mayBeHead(above) && (below == "" || mayBeHead(below) || strings.Contains(below, ":")) {
			said++
		}
	}
	return said*2 >= len(r.at)
}

// nextFilled returns the next line in a direction that is not blank, or "".
func nextFilled(lines []string, i, step int) string {
	for i += step; i >= 0 && i < len(lines); i += step {
		if !plain.IsBlank(lines[i]) {
			return strings.TrimSpace(lines[i])
		}
	}
	return ""
}

// mayBeHead reports whether a line may name who speaks below: a name, a label without words, or a time.
func mayBeHead(line string) bool {
	line = strings.TrimRight(strings.Trim(line, "*_ "), ":：")
	return line != "" && !plain.EndsSentence(line) && (MayBeName(line) || strings.HasSuffix(line, "]") ||
		strings.HasSuffix(line, ")"))
}

// MayBeName reports whether a line may be a name above words, in a list or not. Numbers are of titles, except
// in "P1", and so are lower-case words.
func MayBeName(line string) bool {
	name := strings.TrimRight(strings.Trim(line, "#*_- "), ":：")
	shape := speaker.ShapeOf(name)
	return speaker.IsRoleNumber(name) ||
		shape != speaker.NotName && !strings.ContainsFunc(name, unicode.IsDigit) &&
			(shape == speaker.FullName || len(strings.Fields(name)) < 3)
}

// CountRecurring returns the number of recurring short lines that are probably not speech: they are far
// apart, do not end a sentence, and are neither names nor times.
func CountRecurring(text string) int {
	if len(text) > maxPagedText {
		return 0
	}
	lines := strings.Split(text, "\n")
	total := 0
	for key, r := range recurringLines(lines) {
		minGap, _ := r.gaps()
		line := strings.TrimSpace(lines[r.at[0]])
		if len(r.at) < MinPages || minGap < minPageLines || len(strings.Fields(line)) < 2 || isSpoken(line) ||
			MayBeName(line) || strings.Contains(key, "#:#") || isNumberedName(key) && !r.same {
			continue
		}
		total += len(r.at)
	}
	return total
}

// standsAlone reports whether the line is always a paragraph of its own. In a text that is broken into lines
// of one width, running lines need not be.
func (r *recurringLine) standsAlone(lines []string) bool {
	for _, i := range r.at {
		if !standsAlone(lines, i) {
			return false
		}
	}
	return true
}

// isSpoken reports whether a line may be what somebody said, or a label: it ends a sentence, or has no word.
func isSpoken(line string) bool {
	if _, rest, ok := speaker.SplitLabel(line); ok && !plain.IsBlank(rest) {
		return true
	}
	return plain.EndsSentence(line) || !strings.ContainsFunc(line, unicode.IsLetter)
}

// StripFormFeeds removes the lines that recur at the edges of pages, for a text whose pages are separated by
// form feeds, and joins the pages.
func StripFormFeeds(text string) string {
	if strings.Count(text, "\f") < 2 {
		return text
	}
	var pages [][]string
	for page := range strings.SplitSeq(text, "\f") {
		pages = append(pages, strings.Split(plain.UnifyLineBreaks(page), "\n"))
	}
	return joinPages(pages)
}

// Edge is how many lines of a page may be headers, or footers.
const Edge = 3

// joinPages returns the lines of all pages, without those that recur at the edges of most pages.
func joinPages(pages [][]string) string {
	edges, inside := map[string]int{}, map[string]int{}
	edgesOfPages := make([]map[int]bool, len(pages))
	for p, page := range pages {
		edgesOfPages[p] = edgesOf(page)
		at := map[string]bool{}
		for i := range edgesOfPages[p] {
			key, _ := MaskNumbers(strings.TrimSpace(page[i]))
			at[key] = true
		}
		for key := range at {
			edges[key]++
		}
		for i, line := range page {
			if line = strings.TrimSpace(line); line != "" && !edgesOfPages[p][i] && len(line) <= MaxLine {
				key, _ := MaskNumbers(line)
				inside[key]++
			}
		}
	}
	var lines []string
	for p, page := range pages {
		for i := range edgesOfPages[p] {
			key, _ := MaskNumbers(strings.TrimSpace(page[i]))
			if n := edges[key]; n > 1 && n*10 >= (len(pages)-1)*6 && inside[key] < n && !IsWordy(page[i]) {
				page[i] = ""
			}
		}
		lines = append(lines, page...)
	}
	return strings.Join(lines, "\n")
}

// edgesOf returns the indexes of the first and last lines of a page that are not blank, and not long.
func edgesOf(page []string) map[int]bool {
	edges := map[int]bool{}
	n := 0
	for i := 0; i < len(page) && n < Edge; i++ {
		if !plain.IsBlank(page[i]) {
			n++
			edges[i] = len(page[i]) <= MaxLine
		}
	}
	n = 0
	for i := len(page) - 1; i >= 0 && n < Edge; i-- {
		if !plain.IsBlank(page[i]) {
			n++
			edges[i] = len(page[i]) <= MaxLine
		}
	}
	for i, short := range edges {
		if !short {
			delete(edges, i)
		}
	}
	return edges
}
