package answers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/cost"
	"research/api/token"
	"research/db"
)

// answerResponse is the response body of GET /api/answer/{answerId}.
type answerResponse struct {
	AnswerID         uuid.UUID        `json:"answerId"`
	WorkspaceID      uuid.UUID        `json:"workspaceId"`
	ProjectID        uuid.UUID        `json:"projectId"`
	QuestionID       *uuid.UUID       `json:"questionId"`
	Question         string           `json:"question"`
	Mode             db.AnswerMode    `json:"mode"`
	Scope            scopeResponse    `json:"scope"`
	Title            string           `json:"title"`
	Kept             bool             `json:"kept"`
	Status           db.AnswerStatus  `json:"status"`
	Result           *db.AnswerResult `json:"result"`
	Missing          string           `json:"missing"`
	ImportsTotal     int32            `json:"importsTotal"`
	ImportsRead      int32            `json:"importsRead"`
	PassagesTotal    int32            `json:"passagesTotal"`
	PassagesRead     int32            `json:"passagesRead"`
	Coverage         float64          `json:"coverage"`
	Progress         progress         `json:"progress"`
	WaitingReason    *string          `json:"waitingReason"`
	PeopleTotal      int32            `json:"peopleTotal"`
	PeopleCount      int32            `json:"peopleCount"`
	UnsupportedCount int32            `json:"unsupportedCount"`
	RejectedCount    int32            `json:"rejectedCount"`
	StaleSince       *time.Time       `json:"staleSince"`
	Extractor        *string          `json:"extractor"`
	Model            *string          `json:"model"`
	InputTokens      int64            `json:"inputTokens"`
	OutputTokens     int64            `json:"outputTokens"`
	Cost             *cost.Cost       `json:"cost,omitempty"` // of the tokens used, with prices
	ErrorCode        *string          `json:"errorCode"`
	ErrorMessage     *string          `json:"errorMessage"`
	CreatedBy        *uuid.UUID       `json:"createdBy"`
	CreatedAt        time.Time        `json:"createdAt"`
	StartedAt        *time.Time       `json:"startedAt"`
	FinishedAt       *time.Time       `json:"finishedAt"`
	Sentences        []sentence       `json:"sentences"`
	Passages         []quote          `json:"passages"` // the closest ones, where there are no sentences
}

// progress counts the steps of the latest run.
type progress struct {
	Done  int32 `json:"done"`
	Total int32 `json:"total"`
}

// A scopeResponse is a scope with all of its fields.
type scopeResponse struct {
	Personas []uuid.UUID `json:"personas"`
	Imports  []uuid.UUID `json:"imports"`
	From     *string     `json:"from"`
	To       *string     `json:"to"`
}

// A sentence of an answer, with the quotes that prove it.
type sentence struct {
	Ordinal     int32   `json:"ordinal"`
	Text        string  `json:"text"`
	PeopleCount int32   `json:"peopleCount"`
	Quotes      []quote `json:"quotes"`
}

// A quote is words of an interview.
type quote struct {
	ID               uuid.UUID  `json:"id"`
	ImportID         uuid.UUID  `json:"importId"`
	ImportTitle      string     `json:"importTitle"`
	Quote            string     `json:"quote"`
	Speaker          string     `json:"speaker"`
	SpeakerConfirmed bool       `json:"speakerConfirmed"`
	StartMs          *int64     `json:"startMs"`
	UtteranceFrom    *int32     `json:"utteranceFrom"`
	UtteranceTo      *int32     `json:"utteranceTo"`
	ByteStart        int32      `json:"byteStart"`
	ByteEnd          int32      `json:"byteEnd"`
	Match            string     `json:"match"`
	EvidenceID       *uuid.UUID `json:"evidenceId"`
}

// get responds with an answer, also while it is written.
func (s *server) get(w http.ResponseWriter, r *http.Request) error {
	id, err := answerID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	response, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (answerResponse, error) {
		row, err := q.GetAnswer(ctx, id)
		if err != nil {
			return answerResponse{}, err
		}
		response, err := s.answerResponse(row.Answer)
		if err != nil {
			return response, err
		}
		quotes, err := q.ListAnswerQuotes(ctx, id)
		response.add(quotes)
		return response, err
	})
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// add adds the sentences with their quotes, and the quotes without a sentence.
func (a *answerResponse) add(quotes []db.ListAnswerQuotesRow) {
	for _, listed := range quotes {
		row := listed.AnswerQuote
		found := quote{
			ID: row.ID, ImportID: row.ImportID, ImportTitle: listed.ImportTitle, Quote: row.Quote,
			Speaker: row.Speaker, SpeakerConfirmed: row.SpeakerConfirmed, StartMs: row.StartMs,
			UtteranceFrom: row.UtteranceFrom, UtteranceTo: row.UtteranceTo,
			ByteStart: row.ByteStart, ByteEnd: row.ByteEnd, Match: string(row.Match), EvidenceID: row.EvidenceID,
		}
		if row.SentenceOrdinal == nil {
			a.Passages = append(a.Passages, found)
			continue
		}
		last := len(a.Sentences) - 1
		if last < 0 || a.Sentences[last].Ordinal != *row.SentenceOrdinal {
			last++
			a.Sentences = append(a.Sentences, sentence{
				Ordinal: *row.SentenceOrdinal, Text: listed.Sentence, PeopleCount: listed.PeopleCount,
			})
		}
		a.Sentences[last].Quotes = append(a.Sentences[last].Quotes, found)
	}
}

func (s *server) answerResponse(row db.Answer) (answerResponse, error) {
	asked := scopeResponse{Personas: []uuid.UUID{}, Imports: []uuid.UUID{}}
	if err := json.Unmarshal(row.Scope, &asked); err != nil {
		return answerResponse{}, fmt.Errorf("read the scope of answer %s: %w", row.ID, err)
	}
	return answerResponse{
		AnswerID:         row.ID,
		WorkspaceID:      row.WorkspaceID,
		ProjectID:        row.ProjectID,
		QuestionID:       row.QuestionID,
		Question:         row.Question,
		Mode:             row.Mode,
		Scope:            asked,
		Title:            row.Title,
		Kept:             row.Kept,
		Status:           row.Status,
		Result:           row.Result,
		Missing:          row.Missing,
		ImportsTotal:     row.ImportsTotal,
		ImportsRead:      row.ImportsRead,
		PassagesTotal:    row.PassagesTotal,
		PassagesRead:     row.PassagesRead,
		Coverage:         row.Coverage,
		Progress:         progress{row.ProgressDone, row.ProgressTotal},
		WaitingReason:    row.WaitingReason,
		PeopleTotal:      row.PeopleTotal,
		PeopleCount:      row.PeopleCount,
		UnsupportedCount: row.UnsupportedCount,
		RejectedCount:    row.RejectedCount,
		StaleSince:       row.StaleSince,
		Extractor:        row.Extractor,
		Model:            row.Model,
		InputTokens:      row.InputTokens,
		OutputTokens:     row.OutputTokens,
		Cost:             s.Prices.OfUse(row.InputTokens, row.OutputTokens),
		ErrorCode:        row.ErrorCode,
		ErrorMessage:     row.ErrorMessage,
		CreatedBy:        row.CreatedBy,
		CreatedAt:        row.CreatedAt,
		StartedAt:        row.StartedAt,
		FinishedAt:       row.FinishedAt,
		Sentences:        []sentence{},
		Passages:         []quote{},
	}, nil
}
