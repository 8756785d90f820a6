package transcript

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/score"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// clearlyBetter is by how much the sum of another reading is larger than that of the rules, at least, for it
// to be chosen: twenty to one.
const clearlyBetter = 3

// lookBelow is the confidence below which a person should look at a file.
const lookBelow = 0.80

// weigh reads a source in several ways, chooses one, and says how certain it is.
func (s source) weigh(p plan, base turn.List) (*Transcript, error) {
	if isTooLarge(base) {
		return s.unweighed(base)
	}
	w := s.weighAll(p, base)
	src := s.decide(w.chosen.plan.labels)
	t, err := src.transcript(w.chosen.list)
	if err != nil {
		return nil, err
	}
	w.agreed = t.compare(w.chosen, w.all)
	w.quality = t.quality(src, w.chosen)
	t.Confidence = w.agreed * w.quality.Likely()
	t.NeedsLook = t.Confidence < lookBelow
	t.describe(w.chosen, w.all)
	return t, nil
}

// A weighing is the readings of a file, and the one that was chosen.
type weighing struct {
	all     []*candidate
	chosen  *candidate
	agreed  float64 // how likely a reading is that hardly differs from the chosen one
	quality score.Vector
}

func (s source) weighAll(p plan, base turn.List) *weighing {
	all := s.candidates(p, base)
	w := &weighing{all: all, chosen: all[0]}
	sums := make([]float64, len(all))
	for i, c := range all {
		sums[i] = c.sum
		if c.sum > w.chosen.sum && c.sum > all[0].sum+clearlyBetter {
			w.chosen = c
		}
	}
	for i, share := range score.Share(sums) {
		all[i].share = share
	}
	return w
}

// isTooLarge reports whether turns are too many, or too long, to be weighed.
func isTooLarge(l turn.List) bool {
	size := 0
	for _, t := range l.Turns {
		size += len(t.Text)
	}
	return size > maxWeighed || len(l.Turns) > maxWeighedTurns
}

// unweighed returns the transcript by the rules. A person should look at it if there are warnings.
func (s source) unweighed(l turn.List) (*Transcript, error) {
	t, err := s.transcript(l)
	if err != nil {
		return nil, err
	}
	for i := range t.Utterances {
		t.Utterances[i].Confidence = 1
	}
	t.Confidence = t.quality(s, &candidate{list: l, facts: &labelFacts{}}).Likely()
	t.NeedsLook = t.Confidence < lookBelow
	return t, nil
}

// sameWords is the share of words with another speaker up to which two readings are the same.
const sameWords = 0.01

// A spokenWord is a word and its speaker.
type spokenWord struct {
	hash    uint64
	speaker int32
}

// compare sets the confidence of the utterances, and lists the most doubtful ones. It returns how likely a
// reading is that gives nearly all words the same speakers.
func (t *Transcript) compare(chosen *candidate, all []*candidate) (agreed float64) {
	seed, names := maphash.MakeSeed(), map[string]int32{"": 0}
	speakers := []string{""}
	number := func(name string) int32 {
		n, ok := names[name]
		if !ok {
			n = int32(len(speakers))
			names[name] = n
			speakers = append(speakers, name)
		}
		return n
	}
	add := func(words []spokenWord, text, name string) []spokenWord {
		n := number(name)
		for word := range strings.FieldsSeq(text) {
			words = append(words, spokenWord{maphash.String(seed, word), n})
		}
		return words
	}
	var words []spokenWord
	ends := make([]int, len(t.Utterances))
	for i, u := range t.Utterances {
		words = add(words, u.Text, u.Speaker)
		ends[i] = len(words)
	}
	others := make([]map[int32]float64, len(t.Utterances))
	for i := range t.Utterances {
		t.Utterances[i].Confidence = 1
	}
	for _, c := range all {
		if c == chosen || c.share < 0.001 {
			if c == chosen {
				agreed += c.share
			}
			continue
		}
		var theirs []spokenWord
		for _, turn := range c.list.Turns {
			theirs = add(theirs, turn.Text, cleanName(turn.Speaker))
		}
		said := align(words, theirs)
		differ, from := 0, 0
		for i, end := range ends {
			n, other := 0, int32(0)
			for at := from; at < end; at++ {
				if said[at] != words[at].speaker {
					n++
					other = max(0, said[at])
				}
			}
			if differ += n; n > 0 {
				share := c.share * float64(n) / float64(end-from)
				t.Utterances[i].Confidence -= share
				if others[i] == nil {
					others[i] = map[int32]float64{}
				}
				others[i][other] += share
			}
			from = end
		}
		if float64(differ) <= sameWords*float64(len(words)) {
			agreed += c.share
		}
	}
	for i := range t.Utterances {
		t.Utterances[i].Confidence = max(0, t.Utterances[i].Confidence) // which is a sum
	}
	t.listDoubts(others, speakers)
	return agreed
}

// Bounds on the comparison of words.
const (
	maxSkipped = 60 // words that one reading has and the other has not, in one place
	sureWords  = 3  // words in a row that are the same behind a difference
)

// align returns the speaker whom another reading has for each word, or -1 for words that it leaves out.
func align(words, theirs []spokenWord) []int32 {
	said := make([]int32, len(words))
	same := func(i, j int) bool {
		for n := range sureWords {
			if i+n >= len(words) || j+n >= len(theirs) {
				return n > 0
			}
			if words[i+n].hash != theirs[j+n].hash {
				return false
			}
		}
		return true
	}
	j := 0
	for i := 0; i < len(words); {
		if j < len(theirs) && words[i].hash == theirs[j].hash {
			said[i] = theirs[j].speaker
			i, j = i+1, j+1
			continue
		}
		skipI, skipJ := 1, 1
		for n := 1; n <= maxSkipped; n++ {
			if j+n < len(theirs) && same(i, j+n) {
				skipI, skipJ = 0, n
				break
			}
			if i+n < len(words) && j < len(theirs) && same(i+n, j) {
				skipI, skipJ = n, 0
				break
			}
		}
		for n := range min(skipI, len(words)-i) {
			said[i+n] = -1
		}
		i, j = i+skipI, j+skipJ
	}
	return said
}

// maxDoubts is how many doubtful turns a person is shown.
const maxDoubts = 20

// listDoubts lists the utterances that are the least certain, each with the next likely speaker.
func (t *Transcript) listDoubts(others []map[int32]float64, speakers []string) {
	for i, u := range t.Utterances {
		if u.Confidence >= 0.9 {
			continue
		}
		most := int32(-1)
		for name, share := range others[i] {
			if most < 0 || share > others[i][most] || share == others[i][most] && name < most {
				most = name
			}
		}
		t.Doubts = append(t.Doubts, Doubt{i, speakers[max(0, most)], 1 - u.Confidence})
	}
	slices.SortStableFunc(t.Doubts, func(a, b Doubt) int { return cmp.Compare(b.Doubt, a.Doubt) })
	t.Doubts = t.Doubts[:min(len(t.Doubts), maxDoubts)]
}

// quality returns the features of the chosen reading that say whether it is right at all.
func (t *Transcript) quality(s source, c *candidate) (v score.Vector) {
	v[score.FileBias] = 1
	all := float64(len(t.Utterances))
	for _, w := range t.Warnings {
		share := min(1, float64(w.Count)/all)
		switch w.Code {
		case WarnOneSpeaker:
			v[score.FileOne] = 1
		case WarnUnnamedTurns:
			v[score.FileUnnamed] = min(1, 0.6+share)
		case WarnUncertainNames:
			v[score.FileUncertain] = min(1, 0.3+3*share)
		case WarnFewNames:
			v[score.FileFew] = 1
		case WarnManySpeakers:
			v[score.FileMany] = 1
		case WarnTimes:
			v[score.FileTimes] = 1
		case WarnLostWords:
			v[score.FileLost] = min(1, 2*float64(w.Count)/max(1, c.facts.words))
		case WarnReadingOrder:
			v[score.FileOrder] = 1
		case WarnRepeatedLines:
			v[score.FileRepeated] = 1
		case WarnNoSpeakers:
			v[score.FileNone] = c.mayName(s)
		case WarnHours:
		}
	}
	doubtful := 0.0
	for _, turn := range c.list.Turns {
		if turn.Doubtful {
			doubtful += plain.CountWords(turn.Text)
		}
	}
	if v[score.FileUnnamed] == 0 {
		v[score.FileUnnamed] = c.unnamedBetween()
	}
	v[score.FileDoubtful] = min(1, 10*doubtful/max(1, c.facts.words))
	v[score.FileResidue] = c.features[score.Residue]
	switch {
	case c.isOutline():
		v[score.FileOutline] = 1
	case s.lines != "" && !s.dated && c.facts.areHeadings():
		v[score.FileHeadings] = 1
	case s.hasTitle(c.facts):
		v[score.FileTitle] = 1
	}
	return v
}

// minBetween is the share of words without a speaker among turns from which something may be wrong.
const minBetween = 0.03

// unnamedBetween returns how much speaks for speakers of the words between named turns that have none.
func (c *candidate) unnamedBetween() float64 {
	words, pending, begun := 0.0, 0.0, false
	for _, t := range c.list.Turns {
		switch {
		case t.Speaker != "":
			if begun {
				words += pending
			}
			begun, pending = true, 0
		default:
			pending += plain.CountWords(t.Text)
		}
	}
	share := words / max(1, c.facts.words)
	if share < minBetween {
		return 0
	}
	return min(1, 0.5+2*share)
}

// mayName returns how much speaks for names in lines that are read without speakers: labels, a layout with
// several speakers, or questions and answers.
func (c *candidate) mayName(s source) float64 {
	if s.dated {
		return 0
	}
	isTable := s.format == format.CSV || s.format == format.XLSX
	if isTable && !c.list.Turns[0].Timed {
		return 0.8 // only a column of words was found
	}
	if s.lines == "" && s.text == "" && len(c.facts.list) < 2 {
		return 0
	}
	lines, named, asked, marked := 0, 0, 0, 0
	for _, f := range c.facts.list {
		isName := speaker.ShapeOf(f.label) == speaker.FullName && strings.Contains(f.label, " ")
		if f.lines > 1 || f.lines == 1 && (isName || len(c.list.Turns) < 12) {
			lines += f.lines
		}
		if isName {
			named += f.lines
		}
	}
	for _, t := range c.list.Turns {
		if asks(t.Text) && !t.Timed {
			asked++
		}
		if said := strings.TrimSpace(t.Text); strings.HasPrefix(said, "<") {
			marked++
		}
	}
	switch n := len(c.list.Turns); {
	case lines > 2 && lines*10 > n, lines > 0 && lines*5 > n, marked*4 >= n,
		s.lines != "" && s.hasOtherSpeakers():
		return 1
	case named > 0 && asked > 2:
		return 0.7
	}
	return 0
}

// hasOtherSpeakers reports whether another layout of the lines has several speakers, or short lines recur
// as names do.
func (s source) hasOtherSpeakers() bool {
	for _, as := range []func(source) (source, bool){source.asLabels, source.asHeads} {
		if other, ok := as(s); ok {
			list := other.parse()
			facts := factsOf(&list)
			isName := func(f *labelFact) bool { return !plain.EndsSentence(f.label) }
			if facts.turns > 3 && slices.ContainsFunc(facts.main, isName) {
				return true
			}
		}
	}
	return s.hasRecurringNames()
}
