package refi

import (
	"strings"

	"research/db"
)

// wrongIf begins the line that says what would refute a hypothesis.
const wrongIf = "Wrong if: "

// verdictOf describes the verdict on a hypothesis.
func verdictOf(h db.ListRefiHypothesesRow) string {
	lines := []string{"Verdict: " + string(h.Status)}
	if h.DecisionReason != "" {
		lines = append(lines, "Reason: "+h.DecisionReason)
	}
	if h.FalsifiedIf != "" {
		lines = append(lines, wrongIf+h.FalsifiedIf)
	}
	return strings.Join(lines, "\n")
}
