// Package refine takes from the turns of a text what nobody said: times among the words, titles and notes
// between turns, and closing lines.
//
// It sees turns and knows no layout. What readers recognize in lines belongs to them.
package refine

import "research/transcript/internal/turn"

// Turns takes from the turns of a text what is not speech: times among the words, and titles, notes and
// closing lines at the ends of turns. The labels of one speaker get one form.
func Turns(list *turn.List, text string) {
	takeTimes(list)
	Chevrons(list)
	stripTimeMarks(list)
	splitAsides(list)
	splitClosing(list, text)
	unifyCases(list)
}
