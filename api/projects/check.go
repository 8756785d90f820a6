package projects

import (
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/projects/guide"
	"research/api/token"
	"research/db"
	"research/transcript/craft"
)

const (
	maxTextLength   = 2000     // characters: those of a question
	maxBodyBytes    = 16 << 10 // four bytes of each, and escapes
	languageSamples = 200      // statements by which the language of a project is told
)

// check responds with how a question asks, and what would be better.
func (s *server) check(w http.ResponseWriter, r *http.Request) error {
	if wait := s.checks.Take(token.From(r.Context()).UserID.String()); wait > 0 {
		return tooManyChecks(wait)
	}
	text, err := readText(w, r)
	if err != nil {
		return err
	}
	var statements []string
	err = s.read(r, func(q *db.Queries, id uuid.UUID) (err error) {
		if _, err := q.GetProject(r.Context(), id); err != nil {
			return err
		}
		statements, err = q.ListStatements(r.Context(), db.ListStatementsParams{
			ProjectID: id, Most: languageSamples,
		})
		return err
	})
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, guide.KindsOf(text, craft.Language(append(statements, text))))
	return nil
}

func readText(w http.ResponseWriter, r *http.Request) (string, error) {
	var request struct {
		Text string `json:"text"`
	}
	err := problem.ReadJSON(w, r, maxBodyBytes, &request)
	var known *problem.Error
	switch {
	case errors.As(err, &known):
		return "", err
	case err != nil:
		return "", errBody
	case strings.TrimSpace(request.Text) == "":
		return "", problem.Invalid("text", "text must have a question.")
	case utf8.RuneCountInString(request.Text) > maxTextLength:
		return "", problem.Invalid("text", "text must have at most 2,000 characters.")
	default:
		return request.Text, nil
	}
}
