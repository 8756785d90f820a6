package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// labelCounts counts over a whole file what could be labels. Which of them are speakers is decided at the
// end: notes, addresses and sentences have colons too.
type labelCounts struct {
	units     int // cues, paragraphs or lines: what a label can stand before
	labels    map[string]int
	lowerCase map[string]bool // words that occur in lower case: "problem" does, "Maria" does not
	marked    markedLabels
	listed    map[string]int    // how often a label is an item of a list: below a line that ends with a colon
	before    map[string]string // the label before the last occurrence of a label
	after     map[string]string // the label after it

	flagged   map[string]int  // how often a label follows the chevrons of live captions, or has a time
	announces map[string]bool // labels without words, above a list of others
	alone     map[string]int  // how often a label has no words on its line
	wrapped   map[string]int  // how often a label begins a line that continues a full one

	form   map[string]bool // labels of a form at the beginning
	small  map[string]int  // how often a label has words behind it that begin with a small letter
	legend map[string]bool // labels that the file explains
	later  map[string]bool // labels that begin only lines of cues after the first
	fresh  map[string]bool // labels of cues at which somebody else seems to begin

	phrases map[string]int // what stands before a colon and is no name

	allSmall int            // the sum of small
	initials []string       // that recur
	numbered map[string]int // how many labels that recur are a word and a number, by the word

	changes bool // captions name a speaker only when another one begins

	last   string // the last label
	inList bool   // the last line announces or continues a list
}

// maxLowerCaseWords is how many words in lower case are remembered of a hostile file.
const maxLowerCaseWords = 100_000

func newLabelCounts() *labelCounts {
	return &labelCounts{
		labels: map[string]int{}, lowerCase: map[string]bool{}, listed: map[string]int{},
		before: map[string]string{}, after: map[string]string{},
		flagged: map[string]int{}, announces: map[string]bool{}, alone: map[string]int{}, wrapped: map[string]int{},
		later: map[string]bool{}, fresh: map[string]bool{}, small: map[string]int{}, phrases: map[string]int{},
	}
}

// addUnit counts a unit of text. It may have several lines, each with a label.
func (c *labelCounts) addUnit(unit string) {
	if plain.IsBlank(unit) {
		return
	}
	c.units++
	for line := range strings.SplitSeq(unit, "\n") {
		c.addLine(line)
	}
}

func (c *labelCounts) addLine(line string) {
	flagged := strings.HasPrefix(strings.TrimLeft(line, " \t"), ">>")
	line = line[plain.DialogueMark(line):]
	t, rest, ok := timedLabel(line)
	isNew := false
	if ok {
		isNew = c.labels[t.Speaker] == 0
		c.addLabel(t.Speaker)
		if plain.IsBlank(rest) {
			c.alone[t.Speaker]++
		}
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \t")); unicode.IsLower(first) {
			c.small[t.Speaker]++
			c.allSmall++
		}
		line = rest
		if flagged || t.Timed {
			c.flagged[t.Speaker]++
		}
	}
	// The words of a speaker below the name, or a list that the speaker announces.
	line = strings.TrimSpace(line)
	c.inList = line != "" && (plain.HasAnySuffix(line, ":", "：") || ok && c.inList) || line == "" && isNew
	for word := range strings.FieldsFuncSeq(line, plain.IsNotLetter) {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) || len(word) > plain.MaxWord {
			continue
		}
		if len(c.lowerCase) < maxLowerCaseWords {
			c.lowerCase[word] = true
		}
	}
}

func (c *labelCounts) addLabel(name string) {
	n := c.labels[name]
	if n == 0 && len(c.labels) >= plain.MaxLabels {
		return
	}
	c.labels[name] = n + 1
	c.inList = c.inList && n == 0 // a known speaker ends a list
	if c.inList {
		c.listed[name]++
		c.announces[c.last] = true
	}
	c.before[name], c.after[c.last], c.last = c.last, name, name
	delete(c.after, name)
}

// merge adds the counts of another part of the file.
func (c *labelCounts) merge(other *labelCounts) {
	c.units += other.units
	for name, n := range other.labels {
		c.labels[name] += n
	}
	for name, n := range other.listed {
		c.listed[name] += n
	}
	for name, n := range other.flagged {
		c.flagged[name] += n
	}
	for name, n := range other.alone {
		c.alone[name] += n
	}
	for name, n := range other.small {
		c.small[name] += n
	}
	c.allSmall += other.allSmall
	for name := range other.announces {
		c.announces[name] = true
	}
	for word := range other.lowerCase {
		c.lowerCase[word] = true
	}
}

// A speakerSet has the labels that are speakers.
type speakerSet struct {
	names    map[string]bool
	doubtful map[string]bool // labels that may be speakers; what follows one has no speaker
	decided  decidedLabels
	labels   int // how often the names occur
	units    int
	share    float64 // of the units that have one
}

func (s speakerSet) has(name string) bool { return s.names[name] }

// carryShare is the share of units with a label below which a label holds until the next one. In a file that
// labels nearly every unit, a missing label means that the speaker is unknown.
const carryShare = 0.7

// hold reports whether the speaker of a unit without a label is that of the last label.
func (s speakerSet) hold() bool { return s.share < carryShare }

// A labelVerdict says whether a label is a speaker.
type labelVerdict int

const (
	notSpeaker labelVerdict = iota
	doubtfulSpeaker
	certainSpeaker
)

// speakers decides which labels are speakers: those that look like a name, do not head remarks, and recur. A
// label that occurs once is a speaker only in a file that labels its turns, and if it is not an ordinary word
// of the file.
func (c *labelCounts) speakers() speakerSet {
	c.findRecurring()
	shapes, totals := c.rateLabels()
	set := speakerSet{names: map[string]bool{}, doubtful: map[string]bool{}, units: c.units}
	for name, n := range c.labels {
		switch c.judge(name, n, shapes[name], totals) {
		case certainSpeaker:
			set.names[name] = true
			set.labels += n
		case doubtfulSpeaker:
			set.doubtful[name] = true
		}
	}
	c.addOtherCases(&set)
	c.addDecided(&set)
	if c.units > 0 {
		set.share = min(1, float64(set.labels)/float64(c.units))
	}
	for phrase, n := range c.phrases {
		if n == 1 && !set.decided.nobody[phrase] && !set.decided.people[phrase] &&
			(c.marked.doubtful[phrase] || set.share >= minPhraseShare) {
			set.doubtful[phrase] = true
		}
	}
	return set
}

// addDecided adds the labels that somebody has decided are people, and removes the others.
func (c *labelCounts) addDecided(set *speakerSet) {
	set.decided = c.marked.decided
	remove := func(name string) {
		if set.names[name] {
			set.labels -= c.labels[name]
		}
		delete(set.names, name)
		delete(set.doubtful, name)
	}
	for name := range set.decided.nobody {
		remove(name)
	}
	for name, inLines := range set.decided.notes {
		if inLines {
			remove(name)
		}
	}
	for name := range set.decided.people {
		if !set.names[name] {
			set.labels += c.labels[name]
		}
		set.names[name] = true
		delete(set.doubtful, name)
	}
}

// addOtherCases adds the labels that are speakers but for capitals: "interviewer" where "Interviewer" is one.
func (c *labelCounts) addOtherCases(set *speakerSet) {
	lower := map[string]bool{}
	for name := range set.names {
		lower[strings.ToLower(name)] = true
	}
	for name, n := range c.labels {
		if utf8.RuneCountInString(name) > 2 && !set.names[name] && lower[strings.ToLower(name)] {
			set.names[name] = true
			set.labels += n
			delete(set.doubtful, name)
		}
	}
}

// labelTotals sums up how often labels of each sort occur.
type labelTotals struct {
	full      int // full names
	recurring int // full names that occur more than once
	names     int // the number of different recurring names
	capitals  int // recurring full names in capitals
	codes     int // recurring full names that programs give
	possible  int // possible names that occur more than twice
	remarks   int // labels that head remarks
}

func (c *labelCounts) rateLabels() (map[string]speaker.Shape, labelTotals) {
	paired, all, flagged, alone := c.pairedLabels(), 0, 0, 0
	for name, n := range c.labels {
		all, flagged, alone = all+n, flagged+c.flagged[name], alone+c.alone[name]
	}
	shapes := make(map[string]speaker.Shape, len(c.labels))
	var totals labelTotals
	for name, n := range c.labels {
		shape := speaker.LabelShapeOf(name)
		switch {
		case c.marked.only && c.marked.names[name]:
			shape = max(shape, speaker.PossibleName)
		case c.marked.doubtful[name]:
		case c.marked.only && (shape != speaker.FullName || !plain.IsAllCaps(name) || !strings.Contains(name, " ")):
			shape = speaker.NotName
		case c.listed[name] == n && !c.marked.names[name]:
			shape = speaker.NotName
		case flagged > 1 && flagged*10 >= all*6 && c.flagged[name] == 0:
			shape = speaker.NotName // the file flags its speakers
		case alone > 3 && alone*10 >= all*7 && c.alone[name] == 0:
			shape = speaker.NotName // the file has its speakers above their words
		case n > 1 && c.wrapped[name] == n && n*2 < all:
			shape = speaker.NotName // words of a paragraph
		case shape == speaker.FullName && (c.endsWithSurname(name) || n == 1 && c.introduces(name)):
		case speaker.HeadsRemark(name) && !paired[strings.ToLower(name)] && !c.isUsedRole(name, n):
			shape = speaker.NotName
			totals.remarks += n
		}
		shapes[name] = shape
		switch {
		case shape == speaker.FullName:
			totals.full += n
			if n > 1 {
				totals.recurring += n
				totals.names++
				if plain.IsAllCaps(name) {
					totals.capitals += n
				}
				if speaker.IsNumbered(name) {
					totals.codes += n
				}
			}
		case shape == speaker.PossibleName && n > 2:
			totals.possible += n
			totals.names++
		}
	}
	return shapes, totals
}

// endsWithSurname reports whether a label such as "Beth Price" may be a name in this file, where none of its
// words but the last occurs in lower case.
func (c *labelCounts) endsWithSurname(name string) bool {
	words := strings.Fields(name)
	for _, word := range words[:max(0, len(words)-1)] {
		if c.lowerCase[strings.ToLower(word)] {
			return false
		}
	}
	return speaker.MayEndWithSurname(name)
}

// isUsedRole reports whether a role occurs as often as a speaker does.
func (c *labelCounts) isUsedRole(name string, n int) bool {
	return speaker.IsRole(name) && (n > 2 && n*10 >= c.units || n == 2 && n*6 >= c.units)
}

// pairedLabels returns the labels, in lower case, that head remarks alone but are voices in pairs, such as Q
// and A.
func (c *labelCounts) pairedLabels() map[string]bool {
	paired := map[string]bool{}
	for _, pair := range speaker.LabelPairs {
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

// judge decides about one label that occurs n times.
func (c *labelCounts) judge(name string, n int, shape speaker.Shape, totals labelTotals) labelVerdict {
	switch {
	case n < 3 && speaker.IsMeetingTitle(name):
		return doubtfulSpeaker // above the turns, where nobody speaks yet, it is a title
	case n == 1 && speaker.NoteLabels[strings.ToLower(name)] && !speaker.HeadsRemark(name):
		return doubtfulSpeaker // a note of the researcher
	case n < 3 && speaker.Ordinals[strings.ToLower(name)]:
		return notSpeaker
	}
	if shape != speaker.NotName && c.marked.names[name] && (n > 1 || len(c.marked.names) > 1) {
		return certainSpeaker
	}
	if c.marked.doubtful[name] {
		return doubtfulSpeaker
	}
	isKnown := c.legend[name] || speaker.PeopleWords[strings.ToLower(name)] || c.isNumberedAsOthers(name)
	if n < 3 && isKnown && totals.recurring*2 >= c.units {
		return certainSpeaker
	}
	if n < 3 && totals.recurring*2 >= c.units && c.isSuspected(name) {
		return certainSpeaker
	}
	if n == 1 && shape != speaker.FullName && c.wrapped[name] == 0 &&
		(c.isAmongLabels(name, totals) || c.isRoleOnce(name, totals)) {
		return doubtfulSpeaker
	}
	switch shape {
	case speaker.FullName:
		return c.judgeFullName(name, n, totals)
	case speaker.PossibleName:
		named := totals.possible + totals.full
		switch {
		case named*10 < c.units*3:
		case n > 2, totals.names > 1 && totals.possible*10 >= named*9 && speaker.IsAccount(name):
			return certainSpeaker
		case totals.possible*2 > named && totals.names > 1 && !strings.Contains(name, " ") &&
			!speaker.SentenceOpeners[name]:
			// The file writes its speakers in lower case.
			return doubtfulSpeaker
		case n == 1 && totals.recurring*2 >= c.units && c.isBetweenSame(name):
			return doubtfulSpeaker
		}
	}
	return notSpeaker
}

func (c *labelCounts) judgeFullName(name string, n int, totals labelTotals) labelVerdict {
	if n == 1 && (c.introduces(name) || speaker.IsNumbered(name) && totals.recurring*2 >= c.units ||
		c.isWrittenAsOthers(name, totals)) {
		return certainSpeaker
	}
	if n == 1 && (c.isListItem(name, totals) || isAmongCodes(name, totals)) {
		return doubtfulSpeaker
	}
	words := strings.Fields(name)
	isWord := len(words) == 1 && c.lowerCase[strings.ToLower(name)]
	isSpeaker := false
	isGroup := speaker.GroupWords[strings.ToLower(name)] && totals.recurring*2 >= c.units
	if n == 1 && (isGroup || c.joinsSpeakers(name)) {
		return certainSpeaker
	}
	if n == 1 && (c.wrapped[name] == 1 || c.fresh[name] && c.hasLowerCase(words)) {
		return doubtfulSpeaker
	}
	if n == 1 && c.endsWithSurname(name) {
		if totals.recurring*5 >= c.units {
			return doubtfulSpeaker
		}
		return notSpeaker
	}
	if n == 1 && speaker.IsTitled(words) && plain.IsAllCaps(name) && totals.recurring*5 >= c.units {
		return doubtfulSpeaker // "THE COURT"
	}
	named := totals.recurring + totals.possible
	if n == 1 && isWord && named*10 >= c.units*8 && !c.isOfForm(name) {
		return doubtfulSpeaker
	}
	switch {
	case n > 2 || n == 2 && !isWord:
		isSpeaker = totals.recurring*20 >= c.units || c.changes
	case n == 2:
		isSpeaker = totals.full*2 >= c.units
	case isWord || c.units < 2 || speaker.IsTitled(words) || c.isOfForm(name):
	default:
		// The label occurs once. If none recurs, only a file that is labels from end to end, without remarks, has
		// speakers.
		dialogue := totals.full > 1 && totals.full*2 >= c.units && (totals.recurring > 0 || totals.remarks == 0)
		// A guest has two names, or the capitals of live captions, and speaks among labelled turns.
		guest := len(words) > 1 && (totals.recurring*5 >= c.units || c.fresh[name])
		captioned := plain.IsAllCaps(name) && totals.capitals > 0 && totals.capitals*10 >= c.units
		// Neighbouring labels that occur once may be a list in someone's speech, or a round of introductions.
		if dialogue && totals.names > 1 && c.isInRun(name) && !captioned {
			return doubtfulSpeaker
		}
		// Without capitals, a name looks like any other word.
		if totals.names > 1 && plain.IsUncased(name) {
			if utf8.RuneCountInString(name) > speaker.MaxUncasedGuest {
				return notSpeaker
			}
			return doubtfulSpeaker
		}
		isSpeaker = dialogue || guest || captioned
	}
	switch {
	case isSpeaker && c.later[name] && n < 3:
		return doubtfulSpeaker
	case isSpeaker:
		return certainSpeaker
	case n == 1 && (c.mayBeGuest(name, totals) || c.isRoleOnce(name, totals)):
		return doubtfulSpeaker
	}
	return notSpeaker
}
