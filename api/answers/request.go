package answers

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/problem"
	"research/outcome"
)

const (
	// minQuestion and maxQuestion bound the characters of a question without the space around it.
	minQuestion, maxQuestion = 3, 1000
	// maxScopeImports and maxScopePersonas bound what a scope lists.
	maxScopeImports, maxScopePersonas = 1000, 100
	// maxBody exceeds the longest scope, so that one that is too long gets its own error.
	maxBody = 256 << 10
)

// An askRequest is what the body of a request to ask says.
type askRequest struct {
	question   string
	mode       outcome.AnswerMode
	scope      scope
	questionID *uuid.UUID
}

// A scope says which interviews are asked: all, unless a field limits them. It is stored as JSON.
type scope struct {
	Personas []uuid.UUID `json:"personas,omitempty"`
	Imports  []uuid.UUID `json:"imports,omitempty"`
	From     string      `json:"from,omitempty"` // a day, as the others
	To       string      `json:"to,omitempty"`
}

// wrongField returns the error of a field whose value cannot be used. message says what it must be.
func wrongField(field, message string) error { return problem.Invalid(field, field+" "+message) }

// readAsk reads the body of a request to ask.
func readAsk(w http.ResponseWriter, r *http.Request, modes modes) (wanted askRequest, err error) {
	var body struct {
		Question   *string `json:"question"`
		Mode       *string `json:"mode"`
		QuestionID *string `json:"questionId"`
		Scope      *struct {
			Personas []string `json:"personas"`
			Imports  []string `json:"imports"`
			From     *string  `json:"from"`
			To       *string  `json:"to"`
		} `json:"scope"`
	}
	if err := readBody(w, r, &body); err != nil {
		return wanted, err
	}
	if body.Question == nil {
		return wanted, problem.Invalid("question", "question is missing.")
	}
	if wanted.question, err = newQuestion(*body.Question); err != nil {
		return wanted, err
	}
	wanted.mode = modes.usual()
	if body.Mode != nil {
		if wanted.mode, err = modes.of(*body.Mode); err != nil {
			return wanted, err
		}
	}
	if body.QuestionID != nil {
		id, ok := parseID(*body.QuestionID)
		if !ok {
			return wanted, wrongField("questionId", "is not a UUID.")
		}
		wanted.questionID = &id
	}
	if s := body.Scope; s != nil {
		wanted.scope, err = newScope(s.Personas, s.Imports, s.From, s.To)
	}
	return wanted, err
}

// newQuestion checks a question, and returns it without the space around it.
func newQuestion(text string) (string, error) {
	question := strings.TrimSpace(text)
	if n := utf8.RuneCountInString(question); n < minQuestion || n > maxQuestion {
		return "", wrongField("question",
			fmt.Sprintf("must have %d to %d characters, without the space around it.", minQuestion, maxQuestion))
	}
	if strings.ContainsRune(question, 0) {
		return "", wrongField("question", "must not contain the character U+0000.")
	}
	return question, nil
}

// newScope checks the fields of a scope. Ids are sorted and without duplicates, so that equal scopes are
// stored alike.
func newScope(personas, imports []string, from, to *string) (s scope, err error) {
	if s.Personas, err = readIDs("scope.personas", personas, maxScopePersonas); err != nil {
		return s, err
	}
	if s.Imports, err = readIDs("scope.imports", imports, maxScopeImports); err != nil {
		return s, err
	}
	if s.From, err = readDay("scope.from", from); err != nil {
		return s, err
	}
	if s.To, err = readDay("scope.to", to); err != nil {
		return s, err
	}
	if s.From != "" && s.To != "" && s.To < s.From {
		return s, wrongField("scope.to", "is before scope.from.")
	}
	return s, nil
}

func readIDs(field string, texts []string, most int) ([]uuid.UUID, error) {
	if len(texts) > most {
		return nil, wrongField(field, fmt.Sprintf("lists more than %d ids.", most))
	}
	var ids []uuid.UUID
	for i, text := range texts {
		id, ok := parseID(text)
		if !ok {
			return nil, problem.Invalid(field, fmt.Sprintf("%s[%d] is not a UUID.", field, i))
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(ids), nil
}

// readDay reads a day. The empty text is none, as null is.
func readDay(field string, text *string) (string, error) {
	if text == nil || *text == "" {
		return "", nil
	}
	if day, err := time.Parse(time.DateOnly, *text); err != nil || day.Year() < 1 {
		return "", wrongField(field, "must be a day, such as 2031-04-12.")
	}
	return *text, nil
}

// parseID reads a UUID in its usual form.
func parseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36
}

// fingerprint identifies the content of the request, whatever its formatting.
func (a askRequest) fingerprint() []byte {
	content, _ := json.Marshal([]any{a.question, a.mode, a.scope, a.questionID}) // no field of it can fail
	sum := sha256.Sum256(content)
	return sum[:]
}

// readMode reads the mode in the body of a request, which may be empty. It returns nil for none.
func readMode(w http.ResponseWriter, r *http.Request, modes modes) (*outcome.AnswerMode, error) {
	var body struct {
		Mode *string `json:"mode"`
	}
	if err := readBody(w, r, &body); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if body.Mode == nil {
		return nil, nil
	}
	mode, err := modes.of(*body.Mode)
	return &mode, err
}

// readBody reads a JSON object. Its error is a *problem.Error that wraps io.EOF if the body is empty.
func readBody(w http.ResponseWriter, r *http.Request, into any) error {
	err := problem.ReadJSON(w, r, maxBody, into)
	var known *problem.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: "The body must be a JSON object.",
		Details: problem.Fields{"body": "not a JSON object"}, Cause: err,
	}
}

// modes are those of an installation: only passages are shown without a model.
type modes struct{ byModel bool }

// usual is the mode of a question that does not name one.
func (m modes) usual() outcome.AnswerMode {
	if m.byModel {
		return outcome.ModeQuick
	}
	return outcome.ModePassages
}

// most is the mode that reads most.
func (m modes) most() outcome.AnswerMode {
	if m.byModel {
		return outcome.ModeThorough
	}
	return outcome.ModePassages
}

// of reads a mode.
func (m modes) of(text string) (outcome.AnswerMode, error) {
	mode := outcome.AnswerMode(text)
	switch {
	case !slices.Contains(outcome.AnswerModes, mode):
		return "", wrongField("mode", "must be quick, thorough or passages.")
	case mode != outcome.ModePassages && !m.byModel:
		return "", errNoModel
	}
	return mode, nil
}
