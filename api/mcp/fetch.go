package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/token"
	"research/db"
)

type fetchIn struct {
	ID     string `json:"id" jsonschema:"The id of a result of another tool"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The cursor of the result before, for what follows it"`
}

type fetchOut struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Text     string        `json:"text"`
	URL      string        `json:"url"`
	Metadata fetchMetadata `json:"metadata"`
	More     bool          `json:"more" jsonschema:"Whether the text goes on: call again with cursor"`
	Cursor   string        `json:"cursor,omitempty"`
}

type fetchMetadata struct {
	Project       string `json:"project"`
	Interview     string `json:"interview,omitempty" jsonschema:"The title of the interview"`
	InterviewID   string `json:"interview_id,omitempty"`
	InterviewedOn string `json:"interviewed_on,omitempty"`
	Speaker       string `json:"speaker,omitempty"`
	Start         string `json:"start,omitempty" jsonschema:"The time in the recording"`
	Turns         string `json:"turns,omitempty" jsonschema:"The turns that the text has, counted from 0"`
	Status        string `json:"status,omitempty"`
}

func (s *server) addFetch(m *mcp.Server) {
	addTool(s, m, &mcp.Tool{
		Name: "fetch", Title: "Read",
		Description: "Reads what an id names: an interview (import:…), turns of one with those around them " +
			"(utterance:…:17-21), a hypothesis with its evidence, a quote (evidence:…), or an answer.",
		Annotations: readOnly("Read"),
	}, token.ScopeRead, nil, s.fetch)
}

func (s *server) fetch(ctx context.Context, _ *mcp.CallToolRequest, in fetchIn) (out fetchOut, err error) {
	wanted, err := parseID(in.ID)
	if err != nil {
		return out, err
	}
	at, err := readCursor(in.Cursor, "fetch", wanted.String())
	if err != nil {
		return out, err
	}
	found, err := asCaller(ctx, s, func(q *db.Queries) (fetched, error) {
		switch wanted.kind {
		case kindHypothesis:
			return s.fetchHypothesis(ctx, q, wanted.of)
		case kindEvidence:
			return s.fetchEvidence(ctx, q, wanted.of)
		case kindAnswer:
			return s.fetchAnswer(ctx, q, wanted.of)
		default:
			return s.fetchTurns(ctx, q, wanted, at)
		}
	})
	if err != nil {
		return out, err
	}
	note(ctx, found.workspace, found.project)
	out = found.fetchOut
	out.ID, out.Metadata.Project = wanted.String(), found.project.String()
	next := found.next
	if found.document != nil {
		out.Text, next.part = found.document.page(at.part)
		out.More = next.part < len(found.document.lines)
	}
	if out.More {
		out.Cursor = next.cursor("fetch", wanted.String())
	}
	return out, nil
}

// fetched is what an id names. Its text is that of a document, unless it is a page already.
type fetched struct {
	fetchOut

	workspace, project uuid.UUID
	document           *document
	next               place
}

// fetchEvidence reads a quote, and what it says about hypotheses.
func (s *server) fetchEvidence(ctx context.Context, q *db.Queries, of uuid.UUID) (found fetched, err error) {
	e, err := q.GetEvidence(ctx, of)
	if err != nil {
		return found, err
	}
	links, err := q.ListHypothesesOfEvidence(ctx, of)
	if err != nil {
		return found, err
	}
	d := &document{}
	title := oneLine(e.Title, titleLength)
	d.add("Quote of " + described(title, e.Speaker, e.StartMs) + ":")
	d.quote(e.Quote)
	switch {
	case !e.Proven:
		d.add("Somebody entered this quote: no interview has these words.")
	case !e.SpeakerConfirmed:
		d.add("It is doubtful who says this: it counts for no person.")
	}
	if e.Summary != "" {
		d.add("Summary:")
		d.quote(e.Summary)
	}
	if e.Rationale != "" {
		d.add("Rationale:")
		d.quote(e.Rationale)
	}
	d.add("Review: " + string(e.Review) + ".")
	for _, link := range links {
		d.add("It " + stanceVerb(link.Stance) + " hypothesis:" + link.ID.String() + " (" + string(link.Strength) +
			"): " + link.Statement)
	}
	found.document, found.workspace, found.project = d, e.WorkspaceID, e.ProjectID
	found.Title = "Quote of " + described(title, e.Speaker, e.StartMs)
	found.URL = s.evidenceURL(e.ProjectID, e.ImportID, e.ID)
	found.Metadata = fetchMetadata{
		Interview: title, Speaker: oneLine(e.Speaker, nameLength), Start: clock(e.StartMs),
		Status: string(e.Review), Turns: rangeOf(e.UtteranceFrom, e.UtteranceTo),
	}
	if e.ImportID != uuid.Nil {
		found.Metadata.InterviewID = id{kind: kindImport, of: e.ImportID}.String()
	}
	return found, nil
}

// fetchAnswer reads an answer: its sentences, each with the quotes that prove it.
func (s *server) fetchAnswer(ctx context.Context, q *db.Queries, of uuid.UUID) (found fetched, err error) {
	row, err := q.GetAnswer(ctx, of)
	if err != nil {
		return found, err
	}
	quotes, err := q.ListAnswerQuotes(ctx, of)
	if err != nil {
		return found, err
	}
	a, d := row.Answer, &document{}
	d.add("Question: " + a.Question)
	d.add("Status: " + string(a.Status) + ".")
	if a.Result != nil {
		d.add("Result: " + string(*a.Result) + ".")
	}
	if a.Missing != "" {
		d.add("What the interviews do not say:")
		d.quote(a.Missing)
	}
	if a.StaleSince != nil {
		d.add("Interviews changed since: ask again for an answer about all of them.")
	}
	addQuotes(d, quotes)
	found.document, found.workspace, found.project = d, a.WorkspaceID, a.ProjectID
	found.Title, found.URL = "Answer: "+oneLine(a.Question, titleLength), s.answerURL(a.ProjectID, a.ID)
	found.Metadata = fetchMetadata{Status: string(a.Status)}
	return found, nil
}

// addQuotes adds the sentences of an answer, each with its quotes, and the quotes without a sentence.
func addQuotes(d *document, rows []db.ListAnswerQuotesRow) {
	last := int32(-1)
	for _, row := range rows {
		q := row.AnswerQuote
		if of := q.SentenceOrdinal; of != nil && *of != last {
			last = *of
			d.add(fmt.Sprintf("Sentence %d (%s):", last+1, count(int64(row.PeopleCount), "person", "people")))
			d.quote(row.Sentence)
			d.add("Its quotes:")
		}
		start := int64(-1)
		if q.StartMs != nil {
			start = *q.StartMs
		}
		of := described(oneLine(row.ImportTitle, titleLength), row.SpeakerName, start)
		if q.UtteranceFrom != nil && q.UtteranceTo != nil {
			of += " [" + turnsID(q.ImportID, *q.UtteranceFrom, *q.UtteranceTo) + "]"
		}
		if !q.SpeakerConfirmed {
			of += " (it is doubtful who says this)"
		}
		d.add(of + ":")
		d.quote(q.Quote)
	}
}

// turnsID is the id of turns.
func turnsID(imported uuid.UUID, from, to int32) string {
	return id{kind: kindUtterance, of: imported, from: int(from), to: int(to)}.String()
}

// rangeOf is a range of turns as metadata has it, or empty if there is none.
func rangeOf(from, to int32) string {
	if from < 0 {
		return ""
	}
	text := turnsID(uuid.Nil, from, to)
	return text[strings.LastIndexByte(text, ':')+1:]
}
