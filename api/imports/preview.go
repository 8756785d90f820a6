package imports

import (
	"context"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/transcript"
)

const (
	// previewTurns is how many turns a dry run shows.
	previewTurns = 10
	// maxPreviewLength bounds the text of each, in characters.
	maxPreviewLength = 400
)

// dryRunResponse is the response body of POST /api/import?dry_run=true.
type dryRunResponse struct {
	readResponse

	DurationMS    int64          `json:"durationMs"` // 0 without times
	Words         int            `json:"words"`
	SpeakerShares []speakerShare `json:"speakerShares"`
	Turns         []previewTurn  `json:"turns"`   // the first ones
	Layouts       []layoutChoice `json:"layouts"` // other ways to read a doubtful file

	Reading  readingResponse `json:"reading"`
	Proposed proposal        `json:"proposed"`
}

// A layoutChoice is a possible layout of the upload, and how the file reads in it.
type layoutChoice struct {
	Layout     transcript.Layout `json:"layout"`
	Utterances int               `json:"utterances"`
	Speakers   []string          `json:"speakers"`
}

type speakerShare struct {
	Speaker    string  `json:"speaker"` // "" for words without a speaker
	Utterances int     `json:"utterances"`
	Share      float64 `json:"share"` // of the words, 0 to 1
	// Role is the role that the label names, such as "Interviewer". A person can choose another one.
	Role db.SpeakerRole `json:"role"`
}

type previewTurn struct {
	Speaker string `json:"speaker"`
	StartMS *int64 `json:"startMs"` // null without a time
	Text    string `json:"text"`
}

// preview responds to a dry run, whose caller has been authorized. Nothing is stored.
func (s *server) preview(
	w http.ResponseWriter, r *http.Request, form uploadForm, parsed fileReading,
) error {
	ctx := r.Context()
	duplicateOf, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (uuid.UUID, error) {
		return q.FindDuplicate(ctx, form.identity())
	})
	if err != nil {
		return err
	}
	response := dryRunResponse{
		readResponse: newReadResponse(parsed.Transcript, duplicateOf), Turns: []previewTurn{},
		Layouts: []layoutChoice{},
		Reading: newReadingResponse(parsed),
	}
	if len(parsed.Warnings) > 0 || form.layout != "" {
		for _, r := range transcript.Readings(form.data, parsed.Transcript) {
			choice := layoutChoice{r.Layout, r.Utterances, append([]string{}, r.Speakers...)}
			response.Layouts = append(response.Layouts, choice)
		}
	}
	response.SpeakerShares, response.Words = sharesOf(parsed.Transcript)
	if err := s.addRoles(ctx, response.SpeakerShares); err != nil {
		return err
	}
	response.Proposed = proposalOf(form, parsed.Transcript, response.SpeakerShares)
	var end time.Duration
	for i, u := range parsed.Utterances {
		end = max(end, u.End)
		if i < previewTurns {
			response.Turns = append(response.Turns, newPreviewTurn(u))
		}
	}
	response.DurationMS = end.Milliseconds()
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// sharesOf counts the words of each speaker, in the order of their first turns.
func sharesOf(parsed *transcript.Transcript) (shares []speakerShare, words int) {
	index, counts := map[string]int{}, []int{}
	shares = []speakerShare{}
	for _, u := range parsed.Utterances {
		i, known := index[u.Speaker]
		if !known {
			i = len(shares)
			index[u.Speaker] = i
			shares, counts = append(shares, speakerShare{Speaker: u.Speaker}), append(counts, 0)
		}
		n := u.Words()
		shares[i].Utterances++
		counts[i] += n
		words += n
	}
	for i := range shares {
		shares[i].Share = float64(counts[i]) / float64(max(words, 1))
	}
	return shares, words
}

// addRoles sets the roles.
func (s *server) addRoles(ctx context.Context, shares []speakerShare) error {
	labels := make([]string, len(shares))
	for i, share := range shares {
		labels[i] = share.Speaker
	}
	roles, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) ([]db.SpeakerRole, error) {
		return q.ListLabelRoles(ctx, labels)
	})
	if err != nil {
		return err
	}
	for i, role := range roles {
		shares[i].Role = role
	}
	return nil
}

func newPreviewTurn(u transcript.Utterance) previewTurn {
	t := previewTurn{Speaker: u.Speaker, Text: u.Text}
	if utf8.RuneCountInString(t.Text) > maxPreviewLength {
		t.Text = string([]rune(t.Text)[:maxPreviewLength]) + "…"
	}
	if u.Timed {
		start := u.Start.Milliseconds()
		t.StartMS = &start
	}
	return t
}
