package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/score"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A labelFact is what a reading says about one label.
type labelFact struct {
	label string
	turns int // that it begins
	lines int // that begin with it, but are read as words or left out
	words float64

	paragraphs int // of its turns
	ended      int // turns, or lines, that end with a sentence
	small      int // with a small letter behind it
	data       int // with data behind it
	runs       int // of its turns, with other speakers between
	first      int // the number of its first turn, or line
	last       int
	context    Context
}

func (f labelFact) isPerson() bool { return f.turns > 0 }
func (f labelFact) count() int     { return max(f.turns, f.lines) }

// labelFacts are the labels of a reading, in their order.
type labelFacts struct {
	list    []*labelFact
	byLabel map[string]*labelFact
	turns   int          // with a speaker
	main    []*labelFact // speakers who speak three times, at most maxMain
	again   []*labelFact // those who speak twice
	last    *labelFact   // the last one who spoke
	words   float64
	small   int // lines behind a label that begin with a small letter
	ended   int // turns that end with a sentence
}

// factsOf collects the labels of turns: their speakers, and what stands before colons in their lines.
func factsOf(l *turn.List) *labelFacts {
	facts := &labelFacts{byLabel: map[string]*labelFact{}}
	for line := range strings.SplitSeq(l.Dropped, "\n") {
		facts.addLine(line, "", "", -1)
	}
	before := ""
	for i, t := range l.Turns {
		words := plain.CountWords(t.Text)
		facts.words += words
		said := strings.TrimSpace(t.Text)
		line, rest, _ := strings.Cut(said, "\n")
		if t.Speaker != "" {
			facts.addTurn(t, i, words, line, Context{before, t.Speaker + ": " + line, firstLine(rest)})
		}
		facts.addLines(t, i, before)
		before = lastLine(said)
		if !strings.Contains(said, "\n") && t.Speaker != "" {
			before = t.Speaker + ": " + before
		}
	}
	for _, f := range facts.list {
		if f.turns >= 3 && len(facts.main) < maxMain {
			facts.main = append(facts.main, f)
		}
		if f.turns >= 2 && len(facts.again) < maxMain {
			facts.again = append(facts.again, f)
		}
	}
	facts.addMarked(l)
	return facts
}

// maxMain is how many speakers labels are compared with, at most.
const maxMain = 50

// addMarked adds the labels of speakers who recur that are followed by another mark: "DW - text".
func (f *labelFacts) addMarked(l *turn.List) {
	known := map[string]bool{}
	for _, fact := range f.list {
		if fact.turns > 1 {
			known[fact.label] = true
		}
	}
	if len(known) == 0 {
		return
	}
	for i, t := range l.Turns {
		before := ""
		lines := plain.Lines{Text: t.Text}
		for {
			line, start, ok := lines.Next()
			if !ok {
				break
			}
			bare := strings.TrimSpace(line[plain.DialogueMark(line):])
			if label, rest, ok := cutMarked(bare, known); ok && (start > 0 || t.Speaker == "") {
				fact := f.of(label)
				if fact.lines++; fact.lines == 1 {
					fact.first, fact.context = i, Context{before, line, firstLine(t.Text[lines.Pos:])}.cut()
				}
				fact.last = i
				fact.words += plain.CountWords(rest)
			}
			before = line
		}
	}
}

// cutMarked cuts the label of a known speaker from a line, with a dash behind it.
func cutMarked(line string, known map[string]bool) (label, rest string, ok bool) {
	head := line[:min(len(line), plain.MaxLabel)]
	at := spacedDash.FindStringIndex(head)
	if at == nil || !known[line[:at[0]]] {
		return "", "", false
	}
	label = strings.TrimSpace(line[:at[1]])
	return label, line[at[1]:], true
}

// lastLine returns the last line of a text.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), "\n")
	return line
}

func (f *labelFacts) of(label string) *labelFact {
	fact := f.byLabel[label]
	if fact == nil {
		if len(f.list) > plain.MaxLabels {
			return &labelFact{}
		}
		fact = &labelFact{label: label}
		f.byLabel[label] = fact
		f.list = append(f.list, fact)
	}
	return fact
}

func (f *labelFacts) addTurn(t turn.Turn, i int, words float64, line string, context Context) {
	fact := f.of(cleanName(t.Speaker))
	if fact.turns++; fact.turns == 1 {
		fact.first, fact.context = i, context.cut()
	}
	if fact != f.last {
		fact.runs++
		f.last = fact
	}
	fact.last = i
	fact.words += words
	fact.paragraphs += len(paragraphStarts(t.Text))
	f.turns++
	if plain.EndsSentence(strings.TrimSpace(t.Text)) {
		fact.ended++
		f.ended++
	}
	f.addBehind(fact, line)
}

func (f *labelFacts) addBehind(fact *labelFact, line string) {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " \t"))
	if unicode.IsLower(first) {
		fact.small++
		f.small++
	}
	if isData(line) {
		fact.data++
	}
}

// addLines adds the labels that begin lines of a turn, and are read as words.
func (f *labelFacts) addLines(t turn.Turn, i int, before string) {
	lines := plain.Lines{Text: t.Text}
	for {
		line, _, ok := lines.Next()
		if !ok {
			return
		}
		if plain.IsBlank(line) {
			continue
		}
		f.addLine(line, before, t.Text[lines.Pos:], i)
		before = line
	}
}

func (f *labelFacts) addLine(line, before, after string, i int) {
	label, rest, ok := looseLabel(strings.TrimSpace(line))
	if !ok {
		return
	}
	fact := f.of(label)
	if fact.isPerson() {
		return
	}
	if fact.lines++; fact.lines == 1 {
		fact.first, fact.context = i, Context{before, line, firstLine(after)}.cut()
	}
	fact.last = i
	fact.words += plain.CountWords(rest)
	if plain.EndsSentence(rest) {
		fact.ended++
	}
	f.addBehind(fact, rest)
}

// looseLabel reads what may be a label and a colon, also if the rules see no name: "Dana Weber, head of
// sales (Ulm): text".
func looseLabel(line string) (label, rest string, ok bool) {
	line = line[plain.DialogueMark(line):]
	if t, rest, ok := timedLabel(line); ok {
		return cleanName(t.Speaker), rest, true
	}
	head := line[:min(len(line), plain.MaxLabel)]
	at, size := strings.Index(head, ":"), 1
	if wide := strings.Index(head, "："); wide >= 0 && (at < 0 || wide < at) {
		at, size = wide, len("：")
	}
	if at <= 0 {
		return "", "", false
	}
	label, rest = strings.TrimSpace(line[:at]), line[at+size:]
	isLabel := plain.StartsWithCapital(label) || plain.IsUncased(label)
	isSpaced := size > 1 || rest == "" || rest[0] == ' ' || rest[0] == '\t'
	return label, rest, isLabel && isSpaced && len(strings.Fields(label)) <= speaker.MaxNameWords &&
		!strings.ContainsAny(label, "?!;\"“”") && !strings.Contains(label, ". ")
}

var (
	contactData = regexp.MustCompile(`(?i)[\w.+-]+@[\w-]+\.\w|https?://|www\.\w|\+?\d[\d ()/-]{7,}\d`)
	dateData    = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\d{1,2}[:h]\d\d`)
)

// isData reports whether a line is data rather than speech: an address, a number, a date, or few words that
// end no sentence and have a number.
func isData(line string) bool {
	line = strings.TrimSpace(line)
	words := len(strings.Fields(line))
	switch {
	case contactData.MatchString(line) && words <= maxFieldWords:
		return true
	case plain.EndsSentence(line) || words > 8 || words == 0:
		return false
	}
	return dateData.MatchString(line)
}

// cut returns a context whose texts have at most 200 characters.
func (c Context) cut() Context { return Context{cutText(c.Before), cutText(c.Line), cutText(c.After)} }

// maxShown is how many characters of a line a person is shown.
const maxShown = 200

func cutText(s string) string {
	s = cleanText(s)
	n := 0
	for i := range s {
		if n++; n > maxShown {
			return s[:i]
		}
	}
	return s
}

// add adds the features of a label as a person.
func (f *labelFacts) add(v *score.Vector, fact *labelFact, byRules bool) {
	n, label := fact.count(), fact.label
	set := func(feature score.Feature, value bool) {
		if value {
			v[feature]++
		}
	}
	set(score.LabelRecurs, n >= 3)
	if n == 2 {
		v[score.LabelRecurs] += 0.5
	}
	set(score.LabelOnce, n == 1 && len(f.main) > 0)
	set(score.LabelEdge, n <= 3 && len(f.main) > 0 && f.turns > 5 && fact.last-fact.first < n && f.isEdge(fact))
	role := speaker.IsRole(label) || speaker.IsOfPair(label) || speaker.PeopleWords[strings.ToLower(label)] ||
		speaker.IsNumbered(label) || speaker.UnknownVoices[strings.ToLower(label)]
	set(score.LabelRemark, speaker.HeadsRemark(label) && !role)
	set(score.LabelRole, role)
	shape := speaker.ShapeOf(label)
	set(score.LabelName, shape == speaker.FullName && strings.Contains(label, " "))
	isKnown := n < 3 && f.knownForm(label) != ""
	set(score.LabelOdd, shape == speaker.NotName && !isKnown)
	v[score.LabelData] += float64(fact.data) / float64(n)
	set(score.LabelSmall, fact.small*2 > n && (f.small-fact.small)*5 < f.turns)
	set(score.LabelKnown, isKnown)
	set(score.LabelHolds, fact.isPerson() && n < 4 && fact.paragraphs >= 4*n && fact.words > f.words/3)
	set(score.LabelDigits, !strings.ContainsFunc(label, unicode.IsLetter))
	set(score.LabelUnlike, n < 3 && len(f.main) > 0 && !isKnown && !f.isLikeMain(label))
	others, ended := f.turns-fact.turns, f.ended
	if fact.isPerson() {
		ended -= fact.ended
	}
	set(score.LabelUnended, n < 4 && fact.ended == 0 && others > 3 && ended*10 >= others*8)
	if byRules {
		v[score.LabelRules]++
	} else {
		v[score.LabelRules]--
	}
}

// isLikeMain reports whether a label is written as one that recurs is: in capitals or not, with as many words
// or initials.
func (f *labelFacts) isLikeMain(label string) bool {
	style := styleOf(label)
	for _, other := range f.main {
		if styleOf(other.label) == style {
			return true
		}
	}
	return false
}

// A labelLook is how a label is written.
type labelLook struct{ capitals, short, words, digits, brackets bool }

func styleOf(label string) labelLook {
	return labelLook{
		capitals: plain.IsAllCaps(label),
		short:    utf8.RuneCountInString(label) <= 3,
		words:    strings.Contains(label, " "),
		digits:   strings.ContainsAny(label, "0123456789"),
		brackets: strings.ContainsAny(label, "()[]"),
	}
}

// isEdge reports whether the turns of a label are before, or behind, all turns of speakers who recur.
func (f *labelFacts) isEdge(fact *labelFact) bool {
	before, after := true, true
	for _, other := range f.main {
		if other != fact {
			before, after = before && fact.last < other.first, after && fact.first > other.last
		}
	}
	return before || after
}

// knownForm returns the label that recurs and of which a label is another form: "Dana (me)", "DW -",
// "Weber". It returns "" if there is none.
func (f *labelFacts) knownForm(label string) string {
	if f.byLabel[label] == nil {
		return ""
	}
	bare := strings.TrimRight(label, " -–—")
	if other := f.byLabel[bare]; other != nil && bare != label && other.turns > 1 {
		return bare
	}
	core := strings.ToLower(strings.TrimRight(speaker.Core(label), " .?"))
	for _, other := range f.again {
		if other.label == label {
			continue
		}
		name := strings.ToLower(speaker.Core(other.label))
		if core == name || strings.HasPrefix(core, name+" ") || strings.HasPrefix(name, core+" ") ||
			strings.HasSuffix(core, " "+name) || strings.HasSuffix(name, " "+core) ||
			f.byLabel[label].first < other.first && speaker.AreInitialsOf(other.label, label) {
			return other.label
		}
	}
	return ""
}
