package mcp

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
)

// nearestLength is how much of what is nearest is shown, in characters. Three passages fit into an error.
const nearestLength = 350

// rejections say why a quote is not recorded.
var rejections = map[string]string{
	"not_found": "nobody says this in the interview.",
	"meaning_differs": "the interview says something else: a negation, a number, a unit, a day or a name " +
		"differs.",
	"too_short": "these words are too few to know where they were said. Quote a whole sentence, or give the " +
		"id of the turn as import.",
	"interviewer":   "the interviewer says this. Only what interviewees say is evidence.",
	"note":          "this is a note in the transcript, which nobody says.",
	"other_speaker": "somebody else says this.",
}

// notRecorded is the answer to a quote that is not proven. Who may read interviews is shown what they have
// instead.
func (s *server) notRecorded(ctx context.Context, r recording, proof Proof) error {
	why := rejections[proof.Rejected]
	if why == "" {
		why = "it is not proven."
	}
	answer := &problem.Error{Status: 422, Code: "not_proven", Message: "Not recorded: " + why}
	places, intro := proof.Nearest, "Record a passage below only if it says what the user means. Not said; "+
		"nearest:"
	if proof.Rejected == "other_speaker" {
		places, intro = []Place{proof.Place}, "The words are in:"
	}
	switch {
	case len(places) == 0:
		return answer
	case !principal(ctx).Allows(token.ScopeRead):
		answer.Message += " The nearest passages are shown to who has the scope " + token.ScopeRead + " as well."
		return answer
	}
	names, err := asCaller(ctx, s, func(q *db.Queries) ([]db.ListSpeakerNamesRow, error) {
		return q.ListSpeakerNames(ctx, db.ListSpeakerNamesParams{ImportID: r.imported, Most: maxSpeakers})
	})
	if err != nil {
		return err
	}
	text := notice + "\n" + answer.Message + " " + intro
	for _, place := range places {
		text += "\n" + shownPlace(r.imported, place, nameOf(names, place.Speaker))
	}
	answer.Message = text
	return answer
}

// nameOf returns the name that people gave a speaker, or else that of the transcript.
func nameOf(names []db.ListSpeakerNamesRow, speaker string) string {
	for _, row := range names {
		if row.Speaker == speaker {
			return cmp.Or(row.Participant, row.DisplayName, speaker)
		}
	}
	return "" // one of too many
}

// shownPlace is the id of a place, and who says what there.
func shownPlace(imported uuid.UUID, p Place, name string) string {
	of := id{kind: kindUtterance, of: imported, from: p.From, to: p.To}
	said := cut(p.Quote, nearestLength)
	if name != "" {
		said = fmt.Sprintf("%s: %s", oneLine(name, nameLength), said)
	}
	return of.String() + "\n" + quoted(said)
}
