package refi

import (
	"strings"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/outcome"
)

// origin is what our files name as the program that wrote them.
const origin = "Research"

// The codes under which ours are.
var (
	themesRoot     = qdpx.NewGUID("codes", "themes")
	hypothesesRoot = qdpx.NewGUID("codes", "hypotheses")
)

// The variables that are ours. Others are the attributes of people.
var (
	dateVariable    = qdpx.NewGUID("variable", "interviewed_on")
	personaVariable = qdpx.NewGUID("variable", "persona")
	segmentVariable = qdpx.NewGUID("variable", "segment")
)

// stances are the codes below a hypothesis, in their order.
var stances = []struct {
	stance outcome.Stance
	color  string
}{
	{outcome.StanceSupports, "#2b8a3e"},
	{outcome.StanceContradicts, "#c2255c"},
	{outcome.StanceNeutral, "#868e96"},
}

func guidOf(kind string, id uuid.UUID) qdpx.GUID { return qdpx.NewGUID(kind, id.String()) }

func guidOfStance(hypothesis uuid.UUID, stance outcome.Stance) qdpx.GUID {
	return qdpx.NewGUID("stance", hypothesis.String(), string(stance))
}

// The names of notes.
const (
	memoName    = "Memo"
	commentName = "Comment"
)

// maxName is the length of the name of a selection, in characters.
const maxName = 80

// firstWords returns the beginning of a quote on one line.
func firstWords(quote string) string { return cut(strings.Join(strings.Fields(quote), " "), maxName) }

// cut returns a text of at most so many characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
