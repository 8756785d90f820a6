package imports

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"research/api/problem"
	"research/transcript"
)

const (
	// maxDecisionBytes bounds the JSON of a decision about a reading.
	maxDecisionBytes = 16 << 10
	// maxDecidedLabels is how many labels a decision may name. A transcript has no more speakers.
	maxDecidedLabels = 1000
	// maxDecidedLength is the longest label, name or beginning of a line, in characters.
	maxDecidedLength = 300
)

const expectedDecision = "A reading must be a JSON object whose members are people, nobody, same, " +
	"unlabelled, from and to."

// readDecision reads the field reading: what a person decided about how a file is read.
func readDecision(content io.Reader) (decided transcript.Reading, err error) {
	err = problem.DecodeJSON(content, &decided)
	if err != nil && !errors.Is(err, io.EOF) {
		return decided, problem.InvalidJSON("reading", err, &decided, expectedDecision)
	}
	return decided, checkDecision(decided)
}

// checkDecision rejects decisions that are too large, and those that contradict themselves.
func checkDecision(decided transcript.Reading) error {
	invalid := func(message string) error { return problem.Invalid("reading", message) }
	if len(decided.People)+len(decided.Nobody)+len(decided.Same) > maxDecidedLabels {
		return invalid(fmt.Sprintf("reading names more than %d labels.", maxDecidedLabels))
	}
	texts := []string{decided.From, decided.To}
	if decided.Unlabelled != nil {
		texts = append(texts, *decided.Unlabelled)
	}
	seen := map[string]bool{}
	labels := append(append([]string{}, decided.People...), decided.Nobody...)
	for label := range decided.Same {
		labels = append(labels, label)
	}
	for _, label := range labels {
		if strings.TrimSpace(label) == "" {
			return invalid("A label in reading is empty.")
		}
		if seen[label] {
			return invalid("reading says two things about one label.")
		}
		seen[label] = true
		texts = append(texts, label)
	}
	nobody := map[string]bool{}
	for _, label := range decided.Nobody {
		nobody[label] = true
	}
	for _, target := range decided.Same {
		_, merged := decided.Same[target]
		if strings.TrimSpace(target) == "" || merged || nobody[target] {
			return invalid("A label in reading is the same as one that is not a person of its own.")
		}
		texts = append(texts, target)
	}
	for _, text := range texts {
		if utf8.RuneCountInString(text) > maxDecidedLength {
			return invalid(fmt.Sprintf("A text in reading is longer than %d characters.", maxDecidedLength))
		}
		if strings.ContainsAny(text, "\n\r\x00") {
			return invalid("A text in reading is a label, a name or the beginning of a line: it has one line.")
		}
	}
	return nil
}

// isDecided reports whether a reading decides anything.
func isDecided(r transcript.Reading) bool {
	return len(r.People)+len(r.Nobody)+len(r.Same) > 0 || r.Unlabelled != nil || r.From != "" || r.To != ""
}
