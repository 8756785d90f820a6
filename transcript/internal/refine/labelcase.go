package refine

import (
	"strings"
	"unicode/utf8"

	"research/transcript/internal/turn"
)

// unifyCases gives the labels that differ in capitals only, such as "INTERVIEWER" and "Interviewer", the form
// that is the most frequent.
func unifyCases(l *turn.List) {
	counts := map[string]int{}
	for _, t := range l.Turns {
		counts[t.Speaker]++
	}
	forms := map[string]string{} // by the label in lower case
	for _, t := range l.Turns {
		lower := strings.ToLower(t.Speaker)
		if form, ok := forms[lower]; !ok || counts[t.Speaker] > counts[form] {
			forms[lower] = t.Speaker
		}
	}
	for i, t := range l.Turns {
		if utf8.RuneCountInString(t.Speaker) > 2 {
			l.Turns[i].Speaker = forms[strings.ToLower(t.Speaker)]
		}
	}
}
