package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelCounts counts over a whole file what could be labels. Which of them are speakers is decided at the
// end: notes, addresses and sentences have colons too.
type labelCounts struct {
	units     int // cues, paragraphs or lines: what a label can stand before
	labels    map[string]int
	lowerCase map[string]bool // words that occur in lower case: "problem" does, "Maria" does not
	bold      map[string]bool // labels in bold
}

// Limits on what is remembered of a hostile file.
const (
	maxLabels         = 4_096
	maxLowerCaseWords = 100_000
	maxWord           = 40 // bytes
)

func newLabelCounts() *labelCounts {
	return &labelCounts{labels: map[string]int{}, lowerCase: map[string]bool{}}
}

// addUnit counts a unit of text. It may have several lines, each with a label.
func (c *labelCounts) addUnit(unit string) {
	if isBlank(unit) {
		return
	}
	c.units++
	for line := range strings.SplitSeq(unit, "\n") {
		c.addLine(line)
	}
}

func (c *labelCounts) addLine(line string) {
	line = line[dialogueMark(line):]
	if t, rest, ok := timedLabel(line); ok {
		if n := c.labels[t.speaker]; n > 0 || len(c.labels) < maxLabels {
			c.labels[t.speaker] = n + 1
		}
		line = rest
	}
	for word := range strings.FieldsFuncSeq(line, isNotLetter) {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) || len(word) > maxWord {
			continue
		}
		if len(c.lowerCase) < maxLowerCaseWords {
			c.lowerCase[word] = true
		}
	}
}

// merge adds the counts of another part of the file.
func (c *labelCounts) merge(other *labelCounts) {
	c.units += other.units
	for name, n := range other.labels {
		c.labels[name] += n
	}
	for word := range other.lowerCase {
		c.lowerCase[word] = true
	}
}

func isNotLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// A speakerSet has the labels that are speakers.
type speakerSet struct {
	names  map[string]bool
	labels int     // how often they occur
	share  float64 // of the units that have one
}

func (s speakerSet) has(name string) bool { return s.names[name] }

// speakers decides which labels are speakers: those that look like a name, do not head remarks, and recur. A
// label that occurs once is a speaker only in a file that labels its turns, and if it is not an ordinary word
// of the file.
func (c *labelCounts) speakers() speakerSet {
	shapes, totals := c.rateLabels()
	set := speakerSet{names: map[string]bool{}}
	for name, n := range c.labels {
		if c.isSpeaker(name, n, shapes[name], totals) {
			set.names[name] = true
			set.labels += n
		}
	}
	if c.units > 0 {
		set.share = min(1, float64(set.labels)/float64(c.units))
	}
	return set
}

// labelTotals sums up how often labels of each sort occur.
type labelTotals struct {
	full      int // full names
	recurring int // full names that occur more than once
	capitals  int // recurring full names in capitals
	possible  int // possible names that occur more than twice
	remarks   int // labels that head remarks
}

func (c *labelCounts) rateLabels() (map[string]nameShape, labelTotals) {
	paired := c.pairedLabels()
	shapes := make(map[string]nameShape, len(c.labels))
	var totals labelTotals
	for name, n := range c.labels {
		shape := nameShapeOf(name)
		if isNotSpeaker(name) && !paired[strings.ToLower(name)] {
			shape = notName
			totals.remarks += n
		}
		shapes[name] = shape
		switch {
		case shape == fullName:
			totals.full += n
			if n > 1 {
				totals.recurring += n
				if isAllCaps(name) {
					totals.capitals += n
				}
			}
		case shape == possibleName && n > 2:
			totals.possible += n
		}
	}
	return shapes, totals
}

// pairedLabels returns the labels, in lower case, that head remarks alone but are voices in pairs, such as Q
// and A.
func (c *labelCounts) pairedLabels() map[string]bool {
	paired := map[string]bool{}
	for _, pair := range labelPairs {
		if c.countAnyCase(pair[0]) > 1 && c.countAnyCase(pair[1]) > 1 {
			paired[pair[0]], paired[pair[1]] = true, true
		}
	}
	return paired
}

// countAnyCase counts a label in lower case, in capitals and with a capital.
func (c *labelCounts) countAnyCase(lower string) int {
	n := c.labels[lower] + c.labels[strings.ToUpper(lower)]
	if r, size := utf8.DecodeRuneInString(lower); len(lower) > size {
		n += c.labels[string(unicode.ToUpper(r))+lower[size:]]
	}
	return n
}

// isSpeaker decides about one label that occurs n times.
func (c *labelCounts) isSpeaker(name string, n int, shape nameShape, totals labelTotals) bool {
	switch shape {
	case fullName:
		return c.isFullNameSpeaker(name, n, totals) || c.bold[name] && (n > 1 || len(c.bold) > 1)
	case possibleName:
		return n > 2 && (totals.possible+totals.full)*10 >= c.units*3 || c.bold[name] && n > 1
	}
	return false
}

func (c *labelCounts) isFullNameSpeaker(name string, n int, totals labelTotals) bool {
	isWord := !strings.Contains(name, " ") && c.lowerCase[strings.ToLower(name)]
	switch {
	case n > 2 || n == 2 && !isWord:
		return totals.recurring*20 >= c.units
	case n == 2:
		return totals.full*2 >= c.units
	case isWord || c.units < 2:
		return false
	}
	// The label occurs once. If none recurs, only a file that is labels from end to end, without remarks, has
	// speakers.
	dialogue := totals.full > 1 && totals.full*2 >= c.units && (totals.recurring > 0 || totals.remarks == 0)
	// A guest has two names, or the capitals of live captions, and speaks among labelled turns.
	guest := strings.Contains(name, " ") && totals.recurring*5 >= c.units
	captioned := isAllCaps(name) && totals.capitals > 0 && totals.capitals*10 >= c.units
	return dialogue || guest || captioned
}

func isAllCaps(name string) bool {
	return name == strings.ToUpper(name) && name != strings.ToLower(name)
}
