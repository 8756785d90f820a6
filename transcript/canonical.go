package transcript

// canonicalLines rewrites the times of a text as timestamps beside the names, and removes line numbers.
func canonicalLines(text string, hours bool) string {
	text = canonicalDottedTimes(text)
	text = canonicalConnectedTimes(canonicalBrackets(canonicalKeys(canonicalLegend(text))))
	text = canonicalTimesBetween(canonicalDecimals(text))
	text = stripTurnNumbers(stripCounters(joinRuledHeads(canonicalQuestions(text))))
	text = canonicalFields(canonicalClocks(text, hours))
	text = dropRepeatedNames(dropInitials(stripLineNumbers(text)))
	return breakBeforeLabels(joinNameLines(joinNamesAbove(breakBeforeHeads(text))))
}
