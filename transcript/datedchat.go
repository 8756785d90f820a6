package transcript

import "strings"

// datedNames returns the names in the lines of a chat, if nearly all lines with a date and a time have one
// behind them: "[05/03/2024, 10:02:15] dana: …". Such lines are messages, whose names need not look like
// names, or recur.
func datedNames(text string) map[string]bool {
	names, stamped, labelled := map[string]int{}, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] != '[' && line[0] != '(' && !isDigit(line[0]) {
			continue
		}
		m := findClock(line)
		if m.place != clockAtStart && m.place != clockBracketed || m.start.dateKind == noDate {
			continue
		}
		stamped++
		rest := strings.TrimLeft(line[m.to:], " \t")
		rest, _ = cutDash(rest)
		if name, _, ok := splitLabel(rest); ok && !isNotSpeaker(name) {
			labelled++
			if names[name] > 0 || len(names) < maxLabels {
				names[name]++
			}
		}
	}
	if labelled < 4 || labelled*10 < stamped*9 {
		return nil
	}
	believed := map[string]bool{}
	for name, n := range names {
		words := strings.Fields(name)
		if n > 1 || len(words) <= 2 && !sentenceOpeners[strings.ToLower(words[0])] {
			believed[name] = true
		}
	}
	return believed
}
