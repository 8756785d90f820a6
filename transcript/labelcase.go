package transcript

import (
	"strings"
	"unicode/utf8"
)

// unifyCases gives the labels that differ in capitals only, such as "INTERVIEWER" and "Interviewer", the form that is
// the most frequent.
func unifyCases(l *turnList) {
	counts := map[string]int{}
	for _, t := range l.turns {
		counts[t.speaker]++
	}
	forms := map[string]string{} // by the label in lower case
	for _, t := range l.turns {
		lower := strings.ToLower(t.speaker)
		if form, ok := forms[lower]; !ok || counts[t.speaker] > counts[form] {
			forms[lower] = t.speaker
		}
	}
	for i, t := range l.turns {
		if utf8.RuneCountInString(t.speaker) > 2 {
			l.turns[i].speaker = forms[strings.ToLower(t.speaker)]
		}
	}
}
