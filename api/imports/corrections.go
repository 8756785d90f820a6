package imports

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/api/problem"
	"research/api/token"
	"research/db"
)

const (
	maxCorrections     = 200      // turns of a request
	maxCorrectionBytes = 1 << 20  // of a request
	maxTurnBytes       = 64 << 10 // the database has the same bound
	maxSpeakerBytes    = 200
)

// correctionRequest is the request body of POST /api/import/{importId}/corrections.
type correctionRequest struct {
	Base    string       `json:"base"` // names the transcript as the caller has it
	Changes []turnChange `json:"changes"`
}

// A turnChange corrects the words of a turn, its speaker, or both.
type turnChange struct {
	Ordinal int32   `json:"ordinal"`
	Text    *string `json:"text"`
	Speaker *string `json:"speaker"`
}

// correctedResponse is the response body of a correction and of a redaction.
type correctedResponse struct {
	Base     string          `json:"base"`
	Turns    int             `json:"turns"` // that changed
	Evidence correctedQuotes `json:"evidence"`
}

// correctedQuotes counts the quotes of an import that have a place in its transcript, before or after.
type correctedQuotes struct {
	Kept      int `json:"kept"`      // with the same words, of the same speaker
	Changed   int `json:"changed"`   // with other words, or of another speaker
	PlaceLost int `json:"placeLost"` // with a place before, and without one now
}

// correctionsResponse is the response body of GET /api/import/{importId}/corrections.
type correctionsResponse struct {
	Base        string               `json:"base"`
	Corrections []correctionResponse `json:"corrections"` // the oldest first
}

type correctionResponse struct {
	Ordinal     int32     `json:"ordinal"`
	WasText     string    `json:"wasText"`
	WasSpeaker  string    `json:"wasSpeaker"`
	CorrectedBy string    `json:"correctedBy"` // a name; empty if the account is gone
	CorrectedAt time.Time `json:"correctedAt"`
}

// listCorrections responds with what the turns of an import were before people corrected them: with the first
// ones, if the query has a limit.
func (s *server) listCorrections(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	most, err := correctionsLimit(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	answer := correctionsResponse{Corrections: []correctionResponse{}}
	_, err = db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (struct{}, error) {
		hash, err := q.TranscriptHash(ctx, id)
		if err != nil {
			return struct{}{}, err
		}
		answer.Base = hex.EncodeToString(hash)
		rows, err := q.ListCorrections(ctx, db.ListCorrectionsParams{ImportID: id, Most: most})
		for _, row := range rows {
			answer.Corrections = append(answer.Corrections, correctionResponse{
				row.Turn, row.WasText, row.WasSpeaker, row.Author, row.CorrectedAt,
			})
		}
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	if answer.Base == "" {
		return errNoSuchImport
	}
	s.edge.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// maxKept is how many corrections of an import are kept. The database has the same bound.
const maxKept = 5000

// correctionsLimit returns how many corrections are asked for.
func correctionsLimit(r *http.Request) (int32, error) {
	sent := r.URL.Query().Get("limit")
	if sent == "" {
		return maxKept, nil
	}
	n, err := strconv.ParseUint(sent, 10, 16)
	if err != nil || n > maxKept {
		return 0, problem.Invalid("limit", fmt.Sprintf("limit must be a number from 0 to %d.", maxKept))
	}
	return int32(n), nil
}

// correct changes the words and the speakers of turns. Quotes of other turns keep their words. Those of a
// turn that changed follow it, or lose their place if less than half of their words are left.
func (s *server) correct(w http.ResponseWriter, r *http.Request) error {
	var sent correctionRequest
	if err := readChange(w, r, &sent, "changes", expectedCorrections); err != nil {
		return err
	}
	changes, err := checkChanges(sent.Changes)
	if err != nil {
		return err
	}
	return s.rewrite(w, r, sent.Base, func(ctx context.Context, q *db.Queries, c *rewriting) error {
		for ordinal, change := range changes {
			if int(ordinal) >= len(c.before.turns) {
				return problem.Invalid("changes", fmt.Sprintf("The transcript has no turn %d.", ordinal))
			}
			c.change(ordinal, change)
		}
		if err := c.restoreConfidences(ctx, q); err != nil {
			return err
		}
		return c.finish(ctx, q)
	})
}

const expectedCorrections = `changes must be a list such as [{"ordinal": 3, "text": "…", "speaker": "…"}].`

// readChange reads the body of a request that changes a transcript.
func readChange(w http.ResponseWriter, r *http.Request, into any, field, expected string) error {
	err := problem.ReadJSON(w, r, maxCorrectionBytes, into)
	var rejected *problem.Error
	if err == nil || errors.As(err, &rejected) {
		return err
	}
	return problem.Invalid(field, expected)
}

// checkChanges returns the changes by the ordinals of their turns.
func checkChanges(sent []turnChange) (map[int32]turnChange, error) {
	if len(sent) == 0 || len(sent) > maxCorrections {
		return nil, problem.Invalid("changes", fmt.Sprintf("Send from 1 to %d changes.", maxCorrections))
	}
	changes := map[int32]turnChange{}
	for _, c := range sent {
		if _, twice := changes[c.Ordinal]; twice || c.Ordinal < 0 || c.Text == nil && c.Speaker == nil {
			return nil, problem.Invalid("changes",
				"Each change names another turn, and its text, its speaker, or both.")
		}
		if c.Text != nil {
			text := cleanWords(*c.Text)
			if text == "" || len(text) > maxTurnBytes {
				return nil, problem.Invalid("changes", fmt.Sprintf("A turn has from 1 to %d bytes.", maxTurnBytes))
			}
			c.Text = &text
		}
		if c.Speaker != nil {
			speaker := cleanWords(*c.Speaker)
			if len(speaker) > maxSpeakerBytes {
				return nil, problem.Invalid("changes", fmt.Sprintf("A speaker has at most %d bytes.", maxSpeakerBytes))
			}
			c.Speaker = &speaker
		}
		changes[c.Ordinal] = c
	}
	return changes, nil
}

// cleanWords puts words on one line, without what no transcript has.
func cleanWords(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	isBreak := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	if strings.ContainsFunc(s, isBreak) {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return isBreak(r) || unicode.IsSpace(r) }), " ")
	}
	return strings.TrimSpace(s)
}
