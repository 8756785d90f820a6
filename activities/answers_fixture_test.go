package activities_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// A fakeAnswerer answers as the test defines. It reads each transcript as two chunks.
type fakeAnswerer struct {
	reword  func(ctx context.Context) (extract.Rewordings, error)
	read    func(extract.Request) (extract.Response, error)
	compose func(ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error) error

	mu    sync.Mutex
	calls []string // reword, read or compose
	sent  []string // the words of all sources and chunks
	names []string // that were given to Reword
}

func (a *fakeAnswerer) Name() string                { return "openai" }
func (a *fakeAnswerer) Model() string               { return "test-model" }
func (a *fakeAnswerer) AnswerPromptVersion() string { return "v0" }

func (a *fakeAnswerer) called(what string, texts ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, what)
	a.sent = append(a.sent, texts...)
}

// take returns the calls since the last one of it.
func (a *fakeAnswerer) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls := a.calls
	a.calls = nil
	return calls
}

func (a *fakeAnswerer) Reword(
	ctx context.Context, _ string, names []string,
) (extract.Rewordings, error) {
	a.called("reword")
	a.mu.Lock()
	a.names = names
	a.mu.Unlock()
	if a.reword != nil {
		return a.reword(ctx)
	}
	return extract.Rewordings{Wordings: []string{"month end accounts"}}, nil
}

func (a *fakeAnswerer) PlanQuestion(t *transcript.Transcript, _ string) []extract.Chunk {
	return halves(t)
}

func (a *fakeAnswerer) ReadForQuestion(_ context.Context, r extract.Request) (extract.Response, error) {
	a.called("read", r.Transcript.Text[r.Chunk.ByteStart:r.Chunk.ByteEnd])
	if a.read != nil {
		return a.read(r)
	}
	var found []extract.Finding
	for i := r.Chunk.From; i < r.Chunk.To; i++ {
		if u := r.Transcript.Utterances[i]; u.Speaker == "Omar" {
			found = append(found, extract.Finding{
				HypothesisID: extract.QuestionID, Quote: u.Text, Utterances: []int{i}, Summary: "They close books",
			})
		}
	}
	return extract.Response{Findings: found}, nil
}

func (a *fakeAnswerer) Compose(
	ctx context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
) (extract.Usage, error) {
	var texts []string
	for _, s := range r.Sources {
		for _, u := range r.Transcripts[s.Transcript].Utterances[s.From:s.To] {
			texts = append(texts, u.Text)
		}
	}
	a.called("compose", texts...)
	if a.compose != nil {
		return extract.Usage{}, a.compose(ctx, r, each)
	}
	return extract.Usage{}, says(ctx, r, each, goodLines(r)...)
}

var expected = extract.Usage{InputTokens: 20, OutputTokens: 5}

func (a *fakeAnswerer) ExpectReword(string) extract.Usage                  { return expected }
func (a *fakeAnswerer) ExpectQuestion(extract.Request) extract.Usage       { return expected }
func (a *fakeAnswerer) ExpectCompose(extract.ComposeRequest) extract.Usage { return expected }

// cite cites words of the interview by the source that has them.
func cite(r extract.ComposeRequest, quote string) extract.Cite {
	for _, s := range r.Sources {
		t := r.Transcripts[s.Transcript]
		text := t.Text[t.Utterances[s.From].ByteStart:t.Utterances[s.To-1].ByteEnd]
		if strings.Contains(text, quote) {
			return extract.Cite{ID: s.ID, Quote: quote}
		}
	}
	return extract.Cite{ID: "p0", Quote: quote}
}

// goodLines are a sentence that is proven, another, and the end.
func goodLines(r extract.ComposeRequest) []extract.AnswerLine {
	return []extract.AnswerLine{
		{Text: "Closing the books takes five full days.", Cites: []extract.Cite{cite(r, fiveDays)}},
		{Text: "They hate the spreadsheet.", Cites: []extract.Cite{cite(r, "I hate the spreadsheet, honestly.")}},
		{Result: "answered", Missing: "Who closes them."},
	}
}

// says passes lines on.
func says(
	ctx context.Context, _ extract.ComposeRequest, each func(extract.AnswerLine) error,
	lines ...extract.AnswerLine,
) error {
	for _, line := range lines {
		if err := each(line); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// An answerFixture is a question about one interview of four turns, and the activities that answer it.
type answerFixture struct {
	*parseFixture
	model   *fakeAnswerer
	answers *activities.Answers
	answer  activities.AnswerRef
}

const bookQuestion = "How long does it take to close the books?"

func newAnswerFixture(t *testing.T, mode outcome.AnswerMode, maxTokens int64) *answerFixture {
	t.Helper()
	f := &answerFixture{
		parseFixture: newParseFixture(t, keyword.New(keyword.Precise)), model: &fakeAnswerer{},
	}
	f.Exec(t, `update import_speakers set role = 'interviewer' where speaker = 'Dana'`)
	f.Exec(t, `update import_speakers set role = 'participant' where speaker = 'Omar'`)
	var err error
	f.answers, err = activities.NewAnswers(f.imports, f.model, activities.AnswersConfig{
		Passages: 40, MaxTokens: maxTokens,
	})
	require.NoError(t, err)
	activities.Register(f.env, activities.Deps{Answers: f.answers})
	f.ask(t, mode)
	return f
}

// ask asks the question, as an editor does.
func (f *answerFixture) ask(t *testing.T, mode outcome.AnswerMode) {
	t.Helper()
	f.answer = activities.AnswerRef{AnswerID: uuid.New(), ClaimID: uuid.New()}
	editor := db.User(f.tenant.Editor)
	claimed, err := db.AsUser(t.Context(), f.Store, editor, func(q *db.Queries) (db.ClaimAnswerRow, error) {
		return q.ClaimAnswer(t.Context(), db.ClaimAnswerParams{
			AnswerID: f.answer.AnswerID, ClaimID: f.answer.ClaimID, ProjectID: f.tenant.Project,
			Question: bookQuestion, Mode: db.AnswerMode(mode), Personas: []uuid.UUID{}, Imports: []uuid.UUID{},
		})
	})
	require.NoError(t, err)
	require.Equal(t, db.PrivateAskResultClaimed, claimed.Result)
}

// again asks the question of the answer again.
func (f *answerFixture) again(t *testing.T) {
	t.Helper()
	f.answer.ClaimID = uuid.New()
	editor := db.User(f.tenant.Editor)
	claimed, err := db.AsUser(t.Context(), f.Store, editor, func(q *db.Queries) (db.ClaimAnswerAgainRow, error) {
		return q.ClaimAnswerAgain(t.Context(), db.ClaimAnswerAgainParams{
			AnswerID: f.answer.AnswerID, ClaimID: f.answer.ClaimID,
		})
	})
	require.NoError(t, err)
	require.Equal(t, db.PrivateAskResultClaimed, claimed.Result)
}

func (f *answerFixture) planAnswer() (activities.AnswerPlan, error) {
	return run[activities.AnswerPlan](f.parseFixture, f.answers.PlanAnswer, f.answer)
}

func (f *answerFixture) composeAnswer() (activities.Composition, error) {
	return run[activities.Composition](f.parseFixture, f.answers.ComposeAnswer, f.answer)
}

// prepare plans, and reads what is planned.
func (f *answerFixture) prepare(t *testing.T) {
	t.Helper()
	plan, err := f.planAnswer()
	require.NoError(t, err)
	for _, ordinal := range plan.Chunks {
		for done := false; !done; {
			in := activities.ReadForAnswerInput{AnswerRef: f.answer, Ordinal: ordinal}
			result, err := run[activities.ReadChunkResult](f.parseFixture, f.answers.ReadForAnswer, in)
			done = must(t, result, err).Done
		}
	}
}

// run runs the activities in the order of the workflow.
func (f *answerFixture) run(t *testing.T) activities.AnswerEnd {
	t.Helper()
	f.prepare(t)
	composed, err := f.composeAnswer()
	return f.finishAnswer(t, must(t, composed, err))
}

func (f *answerFixture) finishAnswer(t *testing.T, c activities.Composition) activities.AnswerEnd {
	t.Helper()
	in := activities.FinishAnswerInput{
		AnswerRef: f.answer, Result: c.Result, Partial: c.Partial, Unsent: c.Unsent,
	}
	end, err := run[activities.AnswerEnd](f.parseFixture, f.answers.FinishAnswer, in)
	end.Took = 0
	return must(t, end, err)
}

// listed returns what a viewer sees of the answer.
func (f *answerFixture) listed(t *testing.T) []db.ListAnswerQuotesRow {
	t.Helper()
	viewer := db.User(f.tenant.Viewer)
	rows, err := db.AsUser(t.Context(), f.Store, viewer, func(q *db.Queries) ([]db.ListAnswerQuotesRow, error) {
		return q.ListAnswerQuotes(t.Context(), f.answer.AnswerID)
	})
	return must(t, rows, err)
}

// sentences returns the sentences, each of which has a quote.
func (f *answerFixture) sentences(t *testing.T) (texts []string) {
	t.Helper()
	last := int32(-1)
	for _, row := range f.listed(t) {
		if of := row.AnswerQuote.SentenceOrdinal; of != nil && *of != last {
			last, texts = *of, append(texts, row.Sentence)
		}
	}
	return texts
}

func (f *answerFixture) quotes(t *testing.T) (texts []string) {
	t.Helper()
	for _, row := range f.listed(t) {
		texts = append(texts, row.AnswerQuote.Quote)
	}
	return texts
}

func (f *answerFixture) row(t *testing.T) db.Answer {
	t.Helper()
	viewer := db.User(f.tenant.Viewer)
	row, err := db.AsUser(t.Context(), f.Store, viewer, func(q *db.Queries) (db.GetAnswerRow, error) {
		return q.GetAnswer(t.Context(), f.answer.AnswerID)
	})
	return must(t, row, err).Answer
}

// cancel cancels the answer as an editor does.
func (f *answerFixture) cancel(t *testing.T) {
	t.Helper()
	editor := db.User(f.tenant.Editor)
	_, err := db.AsUser(t.Context(), f.Store, editor, func(q *db.Queries) (db.CancelAnswerRow, error) {
		return q.CancelAnswer(t.Context(), db.CancelAnswerParams{
			AnswerID: f.answer.AnswerID, ErrorMessage: "Cancelled.",
		})
	})
	require.NoError(t, err)
}

// patience bounds what a test waits for.
const patience = 30 * time.Second
