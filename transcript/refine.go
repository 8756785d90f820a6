package transcript

import "research/transcript/internal/turn"

// refineTurns takes from the turns of a text what is not speech: times among the words, and titles, notes and
// closing lines at the ends of turns. The labels of one speaker get one form.
func refineTurns(list *turn.List, text string) {
	takeTimes(list)
	stripTimeMarks(list)
	splitAsides(list)
	splitClosing(list, text)
	unifyCases(list)
}
