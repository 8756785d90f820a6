// Package running removes the headers, footers and numbers that a document has on every page.
//
// It knows that they recur at nearly equal distances, or count the pages, as speech and names do not.
package running

import (
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// MaxLine is the size of the longest page header or footer, in bytes.
const MaxLine = 120

var pageWords = lexicon.Words("page-words")

// StripPages removes what is on every page of a document: page numbers that count up, the lines beside them
// that recur, and lines that recur at nearly equal distances. If the text begins with a line that is beside
// page numbers too, it is kept there, since it is the title.
func StripPages(text string) string {
	lines := strings.Split(text, "\n")
	numbers := pageNumbers(lines)
	var running []int
	if len(text) <= maxPagedText {
		recurring := recurringLines(lines)
		for key, r := range recurring {
			if r.countsPages(key) {
				numbers = append(numbers, r.at...)
			}
		}
		for _, r := range recurring {
			if r.isRegular(lines) && (r.standsAlone(lines) || plain.WrapWidth(text) > 0) {
				running = append(running, r.at...)
			}
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	running = append(running, numbers...)
	running = append(running, linesBesideNumbers(lines, numbers)...)
	if len(running) == 0 {
		return text
	}
	for _, i := range running {
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

// linesBesideNumbers returns the indexes of the lines that stand beside at least half of the page numbers.
func linesBesideNumbers(lines []string, numbers []int) []int {
	beside := map[string]int{} // how many page numbers a line stands beside
	for _, i := range numbers {
		for _, j := range besidePage(lines, i) {
			beside[strings.TrimSpace(lines[j])]++
		}
	}
	occurrences := map[string]int{}
	for _, line := range lines {
		if line = strings.TrimSpace(line); beside[line] > 0 {
			occurrences[line]++
		}
	}
	title := slices.IndexFunc(lines, func(line string) bool { return !plain.IsBlank(line) })
	var found []int
	for i, line := range lines {
		line = strings.TrimSpace(line)
		n := beside[line]
		recurs := n > 1 || n == 1 && len(numbers) == 2 && occurrences[line] > 1 && !plain.EndsSentence(line)
		// A name above words occurs in more places than beside page numbers.
		isOnPages := occurrences[line] <= 2*n
		if recurs && isOnPages && i != title && n*2 >= len(numbers)-1 {
			found = append(found, i)
		}
	}
	return found
}

// pageNumbers returns the indexes of the lines with page numbers. A bare number is one if it stands alone and
// the numbers count up by one, at least three times; a number with a word such as "Page" if they do twice.
func pageNumbers(lines []string) []int {
	var bare, named []int
	lastBare, lastNamed := 0, 0
	for i, line := range lines {
		n, hasWord, ok := PageNumber(line)
		switch {
		case !ok || !hasWord && !standsAlone(lines, i):
		case hasWord && (len(named) == 0 || n > lastNamed):
			named, lastNamed = append(named, i), n
		case !hasWord && (len(bare) == 0 && n < 3 || len(bare) > 0 && n == lastBare+1):
			bare, lastBare = append(bare, i), n
		}
	}
	switch {
	case len(named) > 1:
		return named
	case len(bare) > 2:
		return bare
	}
	return nil
}

// PageNumber reads "4", "- 4 -", "4 / 12", "Page 4" and "Page 4 of 12".
func PageNumber(line string) (n int, hasWord, ok bool) {
	if len(line) > MaxLine {
		return 0, false, false
	}
	numbers := 0
	isSeparator := func(r rune) bool { return strings.ContainsRune(" \t-–—|/[]().", r) }
	for _, word := range strings.FieldsFunc(line, isSeparator) {
		m, size := plain.ParseDigits(word, 4)
		if r := romanNumber(word); r > 0 {
			m, size = r, len(word)
		}
		switch {
		case size > 0 && size == len(word):
			if numbers++; numbers == 1 {
				n = m
			}
		case pageWords[strings.ToLower(word)]:
			hasWord = true
		default:
			return 0, false, false
		}
	}
	return n, hasWord, numbers == 1 || numbers == 2 && (hasWord || strings.Contains(line, "/"))
}

// romanNumber returns the value of a number below forty in small Roman digits, or 0.
func romanNumber(word string) int {
	tens := len(word) - len(strings.TrimLeft(word, "x"))
	if tens > 3 || len(word) > tens+4 {
		return 0
	}
	ones := slices.Index([]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}, word[tens:])
	if strings.HasSuffix(word, "ix") && len(word) > 1 {
		tens, ones = len(word)-2, 9
	}
	if ones < 0 {
		return 0
	}
	return tens*10 + ones
}

// standsAlone reports whether blank lines, or the ends of the text, are around a line.
func standsAlone(lines []string, i int) bool {
	return (i == 0 || plain.IsBlank(lines[i-1])) && (i+1 == len(lines) || plain.IsBlank(lines[i+1]))
}

// besidePage returns the indexes of the lines before and after a page number that may be headers and footers.
func besidePage(lines []string, number int) []int {
	var found []int
	for _, step := range []int{-1, 1} {
		i := number + step
		for i >= 0 && i < len(lines) && plain.IsBlank(lines[i]) && (i-number)*step < 5 {
			i += step
		}
		if i < 0 || i >= len(lines) || plain.IsBlank(lines[i]) || len(lines[i]) > MaxLine {
			continue
		}
		if _, _, isLabel := speaker.SplitLabel(lines[i]); !isLabel && utf8.RuneCountInString(lines[i]) > 2 {
			found = append(found, i)
		}
	}
	return found
}
