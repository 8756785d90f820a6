package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// canonicalLabels rewrites the labels of texts to "Name: text", where they are written in another style. The
// texts are cues, or one whole file.
func canonicalLabels(texts []string) (rewritten []string, marked markedLabels) {
	counts := countStyles(texts)
	best, bestLabels := -1, 0
	for i, c := range counts.styles {
		names, labels := c.recurring()
		if names > 1 && labels*10 >= counts.units*labelStyles[i].share && labels > bestLabels {
			best, bestLabels = i, labels
		}
	}
	if best < 0 || counts.colons >= bestLabels {
		return texts, markedLabels{}
	}
	style := labelStyles[best]
	marked = markedLabels{
		names: counts.styles[best].accepted(style), only: true,
		doubtful: counts.styles[best].doubtful(style, style.line || bestLabels*10 >= counts.units*5,
			counts.blocks > 1 || bestLabels*10 >= counts.units*9),
	}
	if bestLabels*10 >= counts.units*9 && !style.line {
		marked.addPhrases(texts, style)
	}
	marked.dropTitles(texts, style, counts.styles[best])
	for _, text := range texts {
		var out strings.Builder
		out.Grow(len(text) + len(text)/16)
		mayBegin := func(l textLine, rest string) bool {
			return (rest != "" || style.alone || style.line) && (counts.blocks < 2 || l.afterBlank)
		}
		waiting := false // for the words of a name that stands alone
		eachTextLine(text, len(texts) > 1, func(raw string, l textLine) {
			name, rest, ok := style.split(l)
			if !ok && style.alone && l.afterBlank && !l.timed && marked.names[l.text] {
				name, ok = l.text, true // at the end of a page, away from the words
			}
			switch {
			case ok && !waiting && (marked.names[name] || marked.doubtful[name] && mayBegin(l, rest)):
				raw = raw[:strings.LastIndex(raw, l.text)] + name + ": " + rest
				waiting = rest == "" && marked.names[name]
			case l.text != "":
				waiting = false
			}
			out.WriteString(raw)
			out.WriteByte('\n')
		})
		rewritten = append(rewritten, strings.TrimSuffix(out.String(), "\n"))
	}
	return rewritten, marked
}

// addPhrases adds phrases that stand once where labels do and begin a sentence, such as "The lad at the
// door", to what may be labels.
func (m markedLabels) addPhrases(texts []string, style labelStyle) {
	counts := map[string]int{}
	for _, text := range texts {
		eachTextLine(text, len(texts) > 1, func(_ string, l textLine) {
			name, rest, ok := style.split(l)
			if ok && !m.names[name] && isPhrase(name) && plain.StartsWithCapital(rest) &&
				len(counts) < plain.MaxLabels {
				counts[name]++
			}
		})
	}
	for name, n := range counts {
		if n == 1 {
			m.doubtful[name] = true
		}
	}
}

// dropTitles removes the names that occur once, directly above a name that recurs: titles of documents and
// sections.
func (m markedLabels) dropTitles(texts []string, style labelStyle, counts tally) {
	for _, text := range texts {
		title := ""
		eachTextLine(text, len(texts) > 1, func(_ string, l textLine) {
			if l.text == "" {
				return
			}
			name, rest, ok := style.split(l)
			if ok && title != "" && counts.labels[name] > 1 {
				delete(m.names, title)
			}
			title = ""
			if ok && rest == "" && counts.labels[name] == 1 {
				title = name
			}
		})
	}
}

// styleCounts counts the labels of each style.
type styleCounts struct {
	styles []tally
	units  int // texts, or the paragraphs or lines of one
	blocks int // paragraphs, of one text
	colons int // lines with a label and a colon whose names recur
}

// A tally counts names by the places in which they stand.
type tally struct{ labels map[string]int }

func newTally() tally { return tally{map[string]int{}} }

func countStyles(texts []string) styleCounts {
	counts := styleCounts{units: len(texts)}
	for range labelStyles {
		counts.styles = append(counts.styles, newTally())
	}
	colons := newTally()
	for _, text := range texts {
		eachTextLine(text, len(texts) > 1, func(_ string, l textLine) {
			for i, style := range labelStyles {
				if name, rest, ok := style.split(l); ok && !clock.IsStamp(strings.TrimSpace(rest)) {
					counts.styles[i].add(name)
				}
			}
			if name, _, ok := speaker.SplitLabel(l.text[plain.DialogueMark(l.text):]); ok {
				colons.add(name)
			}
		})
		if len(texts) == 1 {
			blocks, lines := plain.CountBlocks(text)
			counts.units, counts.blocks = lines, blocks
			if blocks > 1 {
				counts.units = max(blocks, lines/10)
			}
		}
	}
	_, counts.colons = colons.recurring()
	return counts
}

func (c tally) add(name string) {
	if c.labels[name] > 0 || speaker.ShapeOf(name) != speaker.NotName &&
		(!speaker.HeadsRemark(name) || speaker.IsRole(name) ||
			speaker.MayEndWithSurname(name)) {
		c.addAnyLabel(name)
	}
}

// addAnyLabel counts a label that may also head a remark, such as Q.
func (c tally) addAnyLabel(name string) {
	if n := c.labels[name]; n > 0 || len(c.labels) < plain.MaxLabels {
		c.labels[name] = n + 1
	}
}

// recurring returns how many names recur, and how often they occur together.
func (c tally) recurring() (names, labels int) {
	for name, n := range c.labels {
		if c.recurs(name) {
			names++
			labels += n
		}
	}
	return names, labels
}

// recurs reports whether a name occurs often enough for what it looks like.
func (c tally) recurs(name string) bool {
	n := c.labels[name]
	return n > 2 || n == 2 && speaker.ShapeOf(name) == speaker.FullName
}

// accepted returns the names that are speakers: those that recur, and guests.
func (c tally) accepted(style labelStyle) map[string]bool {
	names := map[string]bool{}
	inCapitals := !style.alone && !style.line && c.areInCapitals()
	for name, n := range c.labels {
		isFull := speaker.ShapeOf(name) == speaker.FullName
		isOwn := style.any || style.alone && speaker.IsPhone(name) || // in a place where no word stands
			(style.clear || style.alone || style.line) && speaker.PeopleWords[strings.ToLower(name)] ||
			inCapitals && isFull && plain.IsAllCaps(name) && (!speaker.HeadsRemark(name) || speaker.IsRole(name))
		if n > 2 || isOwn || isFull && (n > 1 || style.alone || strings.Contains(name, " ")) {
			names[name] = true
		}
	}
	return names
}

// areInCapitals reports whether a file writes its speakers in capitals.
func (c tally) areInCapitals() bool {
	all, capitals := 0, 0
	for name, n := range c.labels {
		if n > 1 {
			all += n
			if plain.IsAllCaps(name) {
				capitals += n
			}
		}
	}
	return capitals >= minCapitals && capitals*20 >= all*19
}

// doubtful returns the names that occur once and may be speakers, in a file that labels most of its turns. A
// style that sentences have too must begin a paragraph.
func (c tally) doubtful(style labelStyle, mostly, paragraphs bool) map[string]bool {
	names, accepted := map[string]bool{}, c.accepted(style)
	if !mostly || !style.alone && !style.clear && !paragraphs {
		return names
	}
	for name := range c.labels {
		isWord := style.clear && !strings.Contains(name, " ")
		if !accepted[name] && (speaker.ShapeOf(name) == speaker.FullName || isWord ||
			(style.alone || style.line) && isPhrase(name)) {
			names[name] = true
		}
	}
	return names
}

// maxPhrase is the maximum number of words in a label that is not a name, such as "Voice from the office".
const maxPhrase = 5

// isPhrase reports whether a text may be such a label.
func isPhrase(name string) bool {
	return plain.StartsWithCapital(name) && len(strings.Fields(name)) <= maxPhrase
}

// eachTextLine visits the lines of a text. A line is trimmed, and follows the time at its start.
func eachTextLine(text string, inCue bool, visit func(raw string, l textLine)) {
	afterBlank := true
	raw, rest, more := strings.Cut(text, "\n")
	for {
		var next string
		var nextMore bool
		after := rest
		if more {
			next, after, nextMore = strings.Cut(rest, "\n")
		}
		l := textLine{
			text: strings.TrimSpace(raw), next: strings.TrimSpace(next), afterBlank: afterBlank, inCue: inCue,
		}
		if h, ok := clock.ReadStamp(l.text); ok {
			afterBlank = h.Rest == "" // a name may be below a time that stands alone
			l.text, l.timed = strings.TrimSpace(h.Rest), true
		} else {
			afterBlank = l.text == ""
		}
		visit(raw, l)
		if !more {
			return
		}
		raw, rest, more = next, after, nextMore
	}
}
