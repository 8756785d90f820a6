package mcp

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// citedLength is how much of a quote of an answer is shown, in characters. fetch has all of it.
const citedLength = 1000

type askOut struct {
	Notice    string        `json:"notice"`
	AnswerID  string        `json:"answer_id"`
	Status    string        `json:"status"`
	Next      string        `json:"next,omitempty" jsonschema:"What to do now"`
	Result    string        `json:"result,omitempty"`
	Question  string        `json:"question"`
	Mode      string        `json:"mode"`
	Sentences []askSentence `json:"sentences"`
	Passages  []askQuote    `json:"passages" jsonschema:"The closest passages, where there are no sentences"`
	Missing   string        `json:"missing,omitempty"`
	People    string        `json:"people,omitempty" jsonschema:"How many people the answer quotes, of how many"`
	Read      askRead       `json:"read"`
	Stale     string        `json:"stale,omitempty" jsonschema:"Why the answer is not up to date"`
	URL       string        `json:"url"`
	More      bool          `json:"more"`
	Cursor    string        `json:"cursor,omitempty"`
}

var askFields = map[string]about{
	"status": {text: "queued or reading: the answer is not complete, so call again with answer_id. answered; " +
		"or failed, canceled, timed_out or terminated, if there is no answer."},
	"result": {text: "answered; partly; not_answered: everything was read and nothing answers the question; " +
		"not_found: nothing in what was read does."},
	"missing": {text: "What of the question the interviews do not answer."},
	"more":    {text: "Whether the answer is longer than this: call again with answer_id and cursor."},
}

type askRead struct {
	Interviews      int32   `json:"interviews"`
	InterviewsTotal int32   `json:"interviews_total"`
	Passages        int32   `json:"passages"`
	PassagesTotal   int32   `json:"passages_total"`
	Coverage        float64 `json:"coverage" jsonschema:"The part that was read, from 0 to 1"`
	NotRead         string  `json:"not_read" jsonschema:"What was not read, in words: say so with the answer"`
}

type askSentence struct {
	Text   string     `json:"text"`
	People int32      `json:"people" jsonschema:"How many people say so"`
	Quotes []askQuote `json:"quotes"`
}

type askQuote struct {
	ID        string `json:"id,omitempty" jsonschema:"For fetch, and for import of record_evidence"`
	Quote     string `json:"quote"`
	Speaker   string `json:"speaker"`
	Doubtful  bool   `json:"doubtful,omitempty" jsonschema:"true if somebody else may have said it"`
	Interview string `json:"interview"`
	Start     string `json:"start,omitempty"`
	URL       string `json:"url"`
}

// answer returns an answer from a place on, as far as it is written. Places count sentences and passages.
func (s *server) answer(ctx context.Context, id uuid.UUID, at place) (out askOut, err error) {
	var a db.Answer
	quotes, err := asCaller(ctx, s, func(q *db.Queries) ([]db.ListAnswerQuotesRow, error) {
		row, err := q.GetAnswer(ctx, id)
		if err != nil {
			return nil, err
		}
		a = row.Answer
		return q.ListAnswerQuotes(ctx, id)
	})
	if err != nil {
		return out, err
	}
	note(ctx, a.WorkspaceID, a.ProjectID)
	out = askOut{
		Notice: notice, AnswerID: id.String(), Status: string(a.Status), Question: a.Question, Mode: string(a.Mode),
		Next: nextOf(a), Missing: a.Missing, Stale: staleOf(a), URL: s.answerURL(a.ProjectID, id),
		Read: askRead{
			a.ImportsRead, a.ImportsTotal, a.PassagesRead, a.PassagesTotal, a.Coverage, notRead(a),
		},
	}
	if a.Result != nil {
		out.Result = string(*a.Result)
	}
	if a.PeopleTotal > 0 {
		out.People = fmt.Sprintf("%d of the %s who speak in these interviews", a.PeopleCount,
			count(int64(a.PeopleTotal), "person", "people"))
	}
	sentences, passages := s.sentencesOf(quotes)
	next := out.add(sentences, passages, at.part)
	if out.More = next < len(sentences)+len(passages); out.More {
		out.Cursor = place{part: next}.cursor("ask_interviews", id.String())
	}
	return out, nil
}

// add adds sentences and passages from a place on, as many as there is room for, and returns where the next
// begins. The first one always has room.
func (out *askOut) add(sentences []askSentence, passages []askQuote, at int) (next int) {
	out.Sentences, out.Passages = []askSentence{}, []askQuote{}
	length := envelope
	for next = at; next < len(sentences)+len(passages); next++ {
		var item any
		if next < len(sentences) {
			item = sentences[next]
		} else {
			item = passages[next-len(sentences)]
		}
		if length += lengthOf(item); length > maxLength && next > at {
			return next
		}
		switch item := item.(type) {
		case askSentence:
			out.Sentences = append(out.Sentences, item)
		case askQuote:
			out.Passages = append(out.Passages, item)
		}
	}
	return next
}

// sentencesOf returns the sentences of an answer with their quotes, and the quotes without a sentence.
func (s *server) sentencesOf(rows []db.ListAnswerQuotesRow) (sentences []askSentence, passages []askQuote) {
	sentences, passages = []askSentence{}, []askQuote{}
	last := int32(-1)
	for _, row := range rows {
		found := s.askQuote(row)
		of := row.AnswerQuote.SentenceOrdinal
		if of == nil {
			passages = append(passages, found)
			continue
		}
		if len(sentences) == 0 || *of != last {
			last = *of
			sentences = append(sentences, askSentence{Text: row.Sentence, People: row.PeopleCount})
		}
		sentence := &sentences[len(sentences)-1]
		sentence.Quotes = append(sentence.Quotes, found)
	}
	return sentences, passages
}

func (s *server) askQuote(row db.ListAnswerQuotesRow) askQuote {
	q := row.AnswerQuote
	found := askQuote{
		Quote:   cut(q.Quote, citedLength),
		Speaker: oneLine(row.SpeakerName, nameLength), Doubtful: !q.SpeakerConfirmed,
		Interview: oneLine(row.ImportTitle, titleLength), URL: s.importURL(q.ImportID),
	}
	if q.StartMs != nil {
		found.Start = clock(*q.StartMs)
	}
	if q.UtteranceFrom != nil && q.UtteranceTo != nil {
		of := id{kind: kindUtterance, of: q.ImportID, from: int(*q.UtteranceFrom), to: int(*q.UtteranceTo)}
		found.ID, found.URL = of.String(), s.turnURL(q.ImportID, of.from)
	}
	return found
}

// nextOf says what the model can do about an answer. It is empty if there is nothing.
func nextOf(a db.Answer) string {
	switch {
	case a.FinishedAt == nil:
		return "The answer is not complete. Call ask_interviews again with this answer_id, or go on with " +
			"something else and come back."
	case a.Status != db.AnswerStatusAnswered && a.ErrorMessage != nil:
		return *a.ErrorMessage + " The same question can be asked again."
	case a.Status != db.AnswerStatusAnswered:
		return "This question was not answered. It can be asked again."
	case a.Result != nil && *a.Result == db.AnswerResultNotFound:
		return "Nothing that was read answers the question. That does not mean that nobody said it: ask with the " +
			"mode thorough to read everything, which costs more, or try search with other words."
	}
	return ""
}

// notRead says in words what of the interviews was not read for an answer.
func notRead(a db.Answer) string {
	switch {
	case a.PassagesTotal == 0:
		return "Nothing was read yet."
	case a.Mode == db.AnswerModePassages:
		return "No AI has read anything: these are the passages with most words in common with the question."
	case a.Coverage >= 1:
		return "Nothing: all " + count(int64(a.ImportsTotal), "interview was", "interviews were") + " read."
	case a.Mode == db.AnswerModeThorough:
		return fmt.Sprintf("Only %s %% of %s could be read.", strconv.Itoa(int(100*a.Coverage)),
			count(int64(a.ImportsTotal), "interview", "interviews"))
	}
	return fmt.Sprintf("%d of %s in %d of %s were read; the rest was not.", a.PassagesRead,
		count(int64(a.PassagesTotal), "passage", "passages"), a.ImportsRead,
		count(int64(a.ImportsTotal), "interview", "interviews"))
}

// staleOf says why an answer is not up to date. It is empty for one that is.
func staleOf(a db.Answer) string {
	if a.StaleSince == nil {
		return ""
	}
	return "Interviews were added, changed or deleted since " + a.StaleSince.UTC().Format(time.DateOnly) +
		": asking the question again takes them in."
}
