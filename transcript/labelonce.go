package transcript

import (
	"strings"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// The functions below tell whether a label that occurs once is a speaker.

// isWrittenAsOthers reports whether a label that occurs once is in capitals, in a file where most lines begin
// with a label in capitals. A word that starts a sentence would not be.
func (c *labelCounts) isWrittenAsOthers(name string, totals labelTotals) bool {
	return plain.IsAllCaps(name) && !plain.IsUncased(name) && !c.announces[name] && !c.form[name] &&
		!speaker.HeadsRemark(name) &&
		totals.capitals >= minCapitals && totals.capitals*2 >= c.units && totals.capitals*20 >= totals.recurring*19
}

// minCapitals is how many labels in capitals there are, at least, in a file that writes its speakers so.
const minCapitals = 6

// introduces reports whether a label is a full name, perhaps with a role, and its speaker has a shorter one
// from then on: initials, as in "Dana Weber (DW)" or "Dana Weber", or the surname, as in "DANA WEBER, HOST".
func (c *labelCounts) introduces(name string) bool {
	if _, initials, ok := strings.Cut(strings.TrimSuffix(name, ")"), " ("); ok {
		return c.labels[initials] > 1 && speaker.AreInitialsOf(initials, name)
	}
	name, _, _ = strings.Cut(name, ", ")
	words := strings.Fields(name)
	if len(words) < 2 {
		return false
	}
	if c.labels[words[len(words)-1]] > 1 {
		return true
	}
	for _, initials := range c.initials {
		if speaker.AreInitialsOf(initials, name) {
			return true
		}
	}
	return false
}

// findRecurring finds what labels that occur once are compared with: initials that recur, without full stops,
// and words with several numbers behind them.
func (c *labelCounts) findRecurring() {
	c.initials, c.numbered = nil, map[string]int{}
	for label, n := range c.labels {
		if n < 2 {
			continue
		}
		initials := strings.ReplaceAll(label, ".", "")
		if size := utf8.RuneCountInString(initials); size > 1 && len(initials) <= speaker.MaxInitials &&
			plain.IsAllCaps(initials) {
			c.initials = append(c.initials, initials)
		}
		if word := strings.TrimRight(label, "0123456789"); word != label {
			c.numbered[word]++
		}
	}
}

// isSuspected reports whether a label is that of somebody whom the typist does not know for sure: "B?", where
// B or B2 recurs, or "Female voice".
func (c *labelCounts) isSuspected(name string) bool {
	if lower := strings.ToLower(name); speaker.UnknownVoices[lower] {
		return true
	}
	bare, ok := strings.CutSuffix(name, "?")
	if !ok || bare == "" || strings.Contains(bare, " ") {
		return false
	}
	for label, n := range c.labels {
		if n > 1 && (label == bare || strings.TrimRight(label, "0123456789") == bare) {
			return true
		}
	}
	return false
}

// isListItem reports whether a label that occurs once is more likely an item of a list in somebody's speech,
// such as "Excel: too slow": hardly any other label has words behind it that begin with a small letter.
func (c *labelCounts) isListItem(name string, totals labelTotals) bool {
	return c.small[name] == 1 && c.flagged[name] == 0 && totals.recurring*2 >= c.units &&
		(c.allSmall-1)*20 <= totals.recurring && !c.legend[name] && !speaker.PeopleWords[strings.ToLower(name)]
}

// mayBeGuest reports whether a word with a capital that occurs once, as a label, may be the name of somebody:
// every fifth line or paragraph has a label, and nothing says that it heads a remark or an item of a list.
func (c *labelCounts) mayBeGuest(name string, totals labelTotals) bool {
	return totals.names > 1 && totals.recurring*5 >= c.units && !c.lowerCase[strings.ToLower(name)] &&
		!plain.IsUncased(name) &&
		!c.isOfForm(name)
}

// isBetweenSame reports whether the labels before and after a short phrase with a capital are the same, so
// that somebody else may have spoken between them: "Voice from the office: …".
func (c *labelCounts) isBetweenSame(name string) bool {
	return isPhrase(name) && c.before[name] == c.after[name] && c.labels[c.before[name]] > 1 &&
		!c.announces[name] && !c.form[name] && !speaker.HeadsRemark(name)
}

// isAmongLabels reports whether a phrase that occurs once, and behind which a sentence begins, stands where
// nearly every paragraph, or line, has a label beside its words.
func (c *labelCounts) isAmongLabels(name string, totals labelTotals) bool {
	return isPhrase(name) && totals.recurring*10 >= c.units*9 && c.small[name] == 0 &&
		c.alone[c.before[name]] == 0 && !c.isOfForm(name) && (!speaker.HeadsRemark(name) || speaker.IsRole(name))
}

// minPhraseShare is the share of paragraphs, or lines, with a label, in a file where others may have one too
// that is no name.
const minPhraseShare = 0.9

// splitPhrase reads a label that is not a name: a capitalized phrase, a colon and a sentence, such as
// "The lad at the door: Sorry to interrupt."
func splitPhrase(line string) (phrase string, ok bool) {
	head, rest, ok := strings.Cut(line[:min(len(line), plain.MaxLabel)], ":")
	phrase, said := strings.TrimSpace(head), strings.TrimSpace(rest)
	isSpaced := rest == "" || said != rest
	return phrase, ok && isSpaced && strings.Contains(phrase, " ") && isPhrase(phrase) &&
		!strings.ContainsAny(phrase, ".?!…,;\"“”„«»()") && (said == "" || plain.StartsWithCapital(said))
}

// isRoleOnce reports whether a role that occurs once, and behind which a sentence begins, stands among
// labels: "Customer: Sorry to interrupt."
func (c *labelCounts) isRoleOnce(name string, totals labelTotals) bool {
	return speaker.RolesOrRemarks[strings.ToLower(name)] && !speaker.IsOfPair(name) &&
		plain.StartsWithCapital(name) && totals.recurring*3 >= c.units &&
		c.small[name] == 0 && c.before[name] != "" && !c.isOfForm(name)
}

// isAmongCodes reports whether a label is not a code such as "SPEAKER_00", where programs give nearly all
// others.
func isAmongCodes(name string, totals labelTotals) bool {
	return totals.codes > 0 && totals.codes*20 >= totals.recurring*19 && !speaker.IsNumbered(name)
}

// isNumberedAsOthers reports whether a label is a word and a number, and others with the same word recur.
func (c *labelCounts) isNumberedAsOthers(name string) bool {
	word := strings.TrimRight(name, "0123456789")
	return word != name && !plain.IsBlank(word) && !speaker.HeadsRemark(name) &&
		c.numbered[word] > min(c.labels[name], 2)
}

// speakerJoints stand between the names of people who speak together.
var speakerJoints = []string{
	" & ", " + ", " / ", "/", "＆", "・", "と", "和",
	" and ", " und ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " и ", " ve ",
}

// joinsSpeakers reports whether a label is two or more others that recur, such as "Anna & Ben".
func (c *labelCounts) joinsSpeakers(name string) bool {
	for _, joint := range speakerJoints {
		parts := strings.Split(name, joint)
		if len(parts) < 2 {
			continue
		}
		all := true
		for _, part := range parts {
			all = all && c.labels[strings.TrimSpace(part)] > 1
		}
		if all {
			return true
		}
	}
	return false
}

// isInRun reports whether the label before or after one that occurs once also occurs once.
func (c *labelCounts) isInRun(name string) bool {
	isSingle := func(other string) bool { return c.labels[other] == 1 && !speaker.HeadsRemark(other) }
	return isSingle(c.before[name]) || isSingle(c.after[name])
}

// isOfForm reports whether a label heads a list, or belongs to a form.
func (c *labelCounts) isOfForm(name string) bool {
	return c.announces[name] || c.form[name] || c.isField(name)
}

// isField reports whether a label that occurs once stands among the fields of a form.
func (c *labelCounts) isField(name string) bool {
	isRemark := func(other string) bool { return c.labels[other] == 1 && speaker.HeadsRemark(other) }
	return isRemark(c.after[name]) && (c.before[name] == "" || isRemark(c.before[name]))
}
