package activities_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
	"research/transcript"
)

// A scripted extractor answers what the test says.
type scripted struct {
	extract.Keyword
	calls atomic.Int32
	plan  func(*transcript.Transcript) []extract.Chunk
	ask   func(extract.Question) (extract.Answer, error)
	costs int64
}

func (s *scripted) Name() string          { return "openai" }
func (s *scripted) Model() string         { return "test-model" }
func (s *scripted) PromptVersion() string { return "v0" }

func (s *scripted) Estimate(extract.Question) int64 { return s.costs }

func (s *scripted) Plan(t *transcript.Transcript, h []extract.Hypothesis) []extract.Chunk {
	if s.plan != nil {
		return s.plan(t)
	}
	return []extract.Chunk{extract.Whole(t)}
}

func (s *scripted) Ask(_ context.Context, q extract.Question) (extract.Answer, error) {
	s.calls.Add(1)
	return s.ask(q)
}

const interview = "Dana: How do you close the books?\n\nOmar: It takes us five full days, every month.\n\nDana: And then?\n\nOmar: Then we do not sleep. I hate the spreadsheet, honestly.\n"

// A bench is one import, claimed for two hypotheses, and the activities that parse it.
type bench struct {
	*dbtest.DB
	env        *testsuite.TestActivityEnvironment
	activities *activities.Imports
	tenant     dbtest.Tenant
	ref        activities.ParseRef
	text       *transcript.Transcript
	h1, h2     uuid.UUID
}

func setup(t *testing.T, e extract.Extractor, limits ...activities.Limits) *bench {
	t.Helper()
	b := &bench{DB: dbtest.New(t)}
	b.tenant = b.Tenant(t)
	b.h1 = b.Hypothesis(t, b.tenant, "Closing the books takes five days")
	b.h2 = b.Hypothesis(t, b.tenant, "People like spreadsheets")
	limit := activities.Limits{Concurrency: 2, Timeout: time.Hour}
	if len(limits) > 0 {
		limit = limits[0]
	}
	var err error
	b.activities, err = activities.NewImports(b.Store, e, limit, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	b.env = suite.NewTestActivityEnvironment()
	activities.Register(b.env, activities.Deps{Imports: b.activities})
	b.text, err = transcript.Parse([]byte(interview))
	require.NoError(t, err)
	require.NoError(t, b.AsUser(t.Context(), db.User(b.tenant.Editor), func(q *db.Queries) (err error) {
		b.ref.ImportID, err = q.StoreImport(t.Context(), stored(b.tenant.Project, b.text))
		return err
	}))
	b.claim(t)
	return b
}

func stored(project uuid.UUID, p *transcript.Transcript) db.StoreImportParams {
	sum := sha256.Sum256([]byte(p.Text))
	s := db.StoreImportParams{ProjectID: project, Title: "Interview", Format: string(p.Format), SizeBytes: int64(len(p.Text)), Sha256: hex.EncodeToString(sum[:]), Body: []byte(p.Text)}
	for _, u := range p.Utterances {
		s.Speakers, s.Texts = append(s.Speakers, u.Speaker), append(s.Texts, u.Text)
		s.Starts, s.Ends = append(s.Starts, -1), append(s.Ends, -1)
		s.ByteStarts, s.ByteEnds = append(s.ByteStarts, int32(u.ByteStart)), append(s.ByteEnds, int32(u.ByteEnd))
	}
	return s
}

func (b *bench) claim(t *testing.T) {
	t.Helper()
	b.ref.ClaimID = uuid.New()
	claimed, err := db.AsUser(t.Context(), b.Store, db.User(b.tenant.Editor), func(q *db.Queries) (db.ClaimImportRow, error) {
		return q.ClaimImport(t.Context(), db.ClaimImportParams{
			ImportID: b.ref.ImportID, ClaimID: b.ref.ClaimID, HypothesisIds: []uuid.UUID{b.h1, b.h2},
		})
	})
	require.NoError(t, err)
	require.Equal(t, db.PrivateClaimResultClaimed, claimed.Result)
}

func call[Out any](t *testing.T, b *bench, method, in any) (Out, error) {
	t.Helper()
	var out Out
	value, err := b.env.ExecuteActivity(method, in)
	if err == nil {
		require.NoError(t, value.Get(&out))
	}
	return out, err
}

// parse runs the activities as the workflow would.
func (b *bench) parse(t *testing.T) activities.ParseEnd {
	t.Helper()
	begun, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
	require.NoError(t, err)
	for i := range begun.Chunks {
		_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: i})
		require.NoError(t, err)
	}
	end, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
	require.NoError(t, err)
	return end
}

func (b *bench) row(t *testing.T) db.Import {
	t.Helper()
	var row db.Import
	require.NoError(t, b.AsUser(t.Context(), db.User(b.tenant.Viewer), func(q *db.Queries) (err error) {
		row, err = q.GetImport(t.Context(), b.ref.ImportID)
		return err
	}))
	return row
}

// says quotes the transcript, once rightly, once with a changed word, and invents a third.
func (b *bench) says(q extract.Question) (extract.Answer, error) {
	return extract.Answer{
		Findings: []extract.Finding{
			{HypothesisID: b.h1.String(), Stance: "supports", Strength: "strong", Quote: "It takes us five full days, every month.", Utterances: []int{1}},
			{HypothesisID: b.h2.String(), Stance: "contradicts", Strength: "medium", Quote: "Then we do not sleep. I hate that spreadsheet, honestly.", Utterances: []int{3}},
			{HypothesisID: b.h2.String(), Stance: "supports", Strength: "strong", Quote: "Then we do sleep. I love the spreadsheet, honestly.", Utterances: []int{3}},
			{HypothesisID: uuid.NewString(), Stance: "supports", Strength: "strong", Quote: "It takes us five full days, every month.", Utterances: []int{1}},
		},
		Questions: []extract.FollowUp{{HypothesisID: b.h1.String(), Text: "What happens on day six?"}},
		Usage:     extract.Usage{InputTokens: 100, OutputTokens: 20},
	}, nil
}

func TestParse(t *testing.T) {
	t.Parallel()

	t.Run("writes proven evidence, an answer to each hypothesis, and the counts", func(t *testing.T) {
		t.Parallel()
		var b *bench
		e := &scripted{ask: func(q extract.Question) (extract.Answer, error) { return b.says(q) }}
		b = setup(t, e)
		end := b.parse(t)
		requireEnd(t, activities.ParseEnd{Status: "parsed", Evidence: 2, Rejected: 2, Coverage: 1}, end)
		row := b.row(t)
		require.Equal(t, outcome.StatusParsed, row.Status)
		require.Equal(t, [2]int32{1, 1}, [2]int32{row.ProgressDone, row.ProgressTotal})
		require.Equal(t, [2]int32{2, 2}, [2]int32{row.EvidenceCount, row.RejectedCount})
		require.Equal(t, [2]int64{100, 20}, [2]int64{row.InputTokens, row.OutputTokens})
		require.Equal(t, []string{"openai", "test-model", "v0"}, []string{*row.Extractor, *row.Model, *row.PromptVersion})
		require.NotNil(t, row.FinishedAt)
		results := dbtest.Value[string](t, b.DB, `select string_agg(result::text, ',' order by statement) from import_hypotheses where import_id = $1`, b.ref.ImportID)
		require.Equal(t, "supports,contradicts", results)
		quotes := dbtest.Value[string](t, b.DB, `select string_agg(quote || '|' || match || '|' || speaker || '|' || origin, ';' order by byte_start) from evidence`)
		require.Equal(t, "It takes us five full days, every month.|verbatim|Omar|ai;Then we do not sleep. I hate the spreadsheet, honestly.|repaired|Omar|ai", quotes)
		proven := dbtest.Value[int](t, b.DB, `select count(*) from evidence e join private.transcripts t using (import_id)
			where convert_to(e.quote, 'UTF8') = substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)`)
		require.Equal(t, 2, proven)
		require.Equal(t, "ai", dbtest.Value[string](t, b.DB, `select origin::text from questions where hypothesis_id = $1`, b.h1))
	})

	t.Run("answers each hypothesis with the keyword extractor, too", func(t *testing.T) {
		t.Parallel()
		b := setup(t, extract.NewKeyword())
		end := b.parse(t)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.Positive(t, end.Evidence)
		require.Zero(t, dbtest.Value[int](t, b.DB, `select count(*) from import_hypotheses where result = 'pending'`))
		require.Zero(t, dbtest.Value[int](t, b.DB, `select count(*) from evidence where origin <> 'keyword' or confidence > 0.66`))
	})

	t.Run("nothing found is a success", func(t *testing.T) {
		t.Parallel()
		b := setup(t, &scripted{ask: func(extract.Question) (extract.Answer, error) { return extract.Answer{}, nil }})
		requireEnd(t, activities.ParseEnd{Status: "parsed", Coverage: 1}, b.parse(t))
		require.Equal(t, 2, dbtest.Value[int](t, b.DB, `select count(*) from import_hypotheses where result = 'nothing_found'`))
	})

	t.Run("every activity can be repeated: nothing is doubled, nothing is paid twice", func(t *testing.T) {
		t.Parallel()
		var b *bench
		e := &scripted{ask: func(q extract.Question) (extract.Answer, error) { return b.says(q) }}
		b = setup(t, e)
		for range 3 {
			_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
			require.NoError(t, err)
		}
		for range 3 {
			_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: 0})
			require.NoError(t, err)
		}
		for range 3 {
			end, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
			require.NoError(t, err)
			require.Equal(t, 2, end.Evidence)
		}
		require.EqualValues(t, 1, e.calls.Load())
		require.Equal(t, 2, dbtest.Value[int](t, b.DB, `select count(*) from evidence`))
	})

	t.Run("a new run asks nothing twice and keeps what people judged and edited", func(t *testing.T) {
		t.Parallel()
		var b *bench
		e := &scripted{ask: func(q extract.Question) (extract.Answer, error) { return b.says(q) }}
		b = setup(t, e)
		begun, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, 1, begun.Chunks)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: 0})
		require.NoError(t, err)
		end, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "canceled", ErrorCode: "canceled"})
		require.NoError(t, err)
		require.Equal(t, 2, end.Evidence, "what was found is kept")
		require.Equal(t, outcome.StatusCanceled, b.row(t).Status)
		b.asEditor(t, `update evidence set review = 'rejected' where match = 'verbatim'`)
		b.asEditor(t, `update evidence set summary = 'mine' where match = 'repaired'`)
		b.claim(t)
		require.Equal(t, outcome.StatusParsed, b.parse(t).Status)
		require.EqualValues(t, 1, e.calls.Load())
		require.Equal(t, "rejected,suggested", dbtest.Value[string](t, b.DB, `select string_agg(review::text, ',' order by byte_start) from evidence`))
		require.Equal(t, "mine", dbtest.Value[string](t, b.DB, `select summary from evidence where match = 'repaired'`))
	})

	t.Run("suggestions that a new run does not find again go", func(t *testing.T) {
		t.Parallel()
		var b *bench
		answer := true
		e := &scripted{ask: func(q extract.Question) (extract.Answer, error) {
			if answer {
				return b.says(q)
			}
			return extract.Answer{}, nil
		}}
		b = setup(t, e)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: 0})
		require.NoError(t, err)
		_, err = call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "failed", ErrorCode: "internal"})
		require.NoError(t, err)
		answer = false
		b.Exec(t, `delete from private.chunk_answers`)
		b.claim(t)
		require.Equal(t, 0, b.parse(t).Evidence)
		require.Zero(t, dbtest.Value[int](t, b.DB, `select count(*) from evidence`))
	})

	t.Run("a late write of an older request changes nothing", func(t *testing.T) {
		t.Parallel()
		var b *bench
		e := &scripted{ask: func(q extract.Question) (extract.Answer, error) { return b.says(q) }}
		b = setup(t, e)
		older := b.ref
		_, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: older, Status: "failed", ErrorCode: "internal"})
		require.NoError(t, err)
		b.claim(t)
		for _, late := range []func() error{
			func() error {
				_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: older})
				return err
			},
			func() error {
				_, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: older})
				return err
			},
			func() error {
				_, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: older, Status: "failed", ErrorCode: "internal"})
				return err
			},
			func() error {
				_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: older})
				return err
			},
		} {
			requireFinal(t, late(), activities.TypeSuperseded)
		}
		require.Equal(t, outcome.StatusQueued, b.row(t).Status)
	})
}

func (b *bench) asEditor(t *testing.T, sql string) {
	t.Helper()
	claims, err := json.Marshal(map[string]string{"sub": b.tenant.Editor.String(), "role": "authenticated"})
	require.NoError(t, err)
	b.Exec(t, `do $$ begin perform set_config('role', 'authenticated', true), set_config('request.jwt.claims', '`+string(claims)+`', true); `+sql+`; end $$`)
}

// requireEnd compares ends apart from their durations.
func requireEnd(t *testing.T, want, got activities.ParseEnd) {
	t.Helper()
	got.Queued, got.Parsing = 0, 0
	require.Equal(t, want, got)
}

func requireFinal(t *testing.T, err error, kind string) {
	t.Helper()
	var application *temporal.ApplicationError
	require.True(t, errors.As(err, &application), "%v", err)
	require.Equal(t, kind, application.Type())
	require.True(t, application.NonRetryable())
}

func TestFaults(t *testing.T) {
	t.Parallel()

	t.Run("halves what is too long, down to what fits", func(t *testing.T) {
		t.Parallel()
		e := &scripted{}
		e.ask = func(q extract.Question) (extract.Answer, error) {
			if q.Chunk.To-q.Chunk.From > 1 {
				return extract.Answer{}, &extract.Error{Kind: extract.TooLong}
			}
			return extract.Answer{}, nil
		}
		b := setup(t, e)
		requireEnd(t, activities.ParseEnd{Status: "parsed", Coverage: 1}, b.parse(t))
		require.EqualValues(t, 7, e.calls.Load(), "one of four turns, two of two, four of one")
	})

	t.Run("a stopping worker hands a chunk over between two calls", func(t *testing.T) {
		t.Parallel()
		e, stop := &scripted{}, make(chan struct{})
		e.ask = func(q extract.Question) (extract.Answer, error) {
			if q.Chunk.To-q.Chunk.From == 4 {
				close(stop)
				return extract.Answer{}, &extract.Error{Kind: extract.TooLong}
			}
			return extract.Answer{}, nil
		}
		b := setup(t, e)
		b.env.SetWorkerStopChannel(stop)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		var handed *temporal.ApplicationError
		require.ErrorAs(t, err, &handed)
		require.Equal(t, activities.TypeHandedOver, handed.Type())
		require.False(t, handed.NonRetryable())
		require.EqualValues(t, 1, e.calls.Load())
		b.env.SetWorkerStopChannel(make(chan struct{}))
		result, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, 2, result.Calls, "the first answer is not asked for again")
	})

	t.Run("what cannot be read is a visible gap", func(t *testing.T) {
		t.Parallel()
		e := &scripted{}
		e.plan = func(p *transcript.Transcript) []extract.Chunk {
			return []extract.Chunk{
				{From: 0, To: 2, ByteStart: 0, ByteEnd: p.Utterances[1].ByteEnd},
				{From: 2, To: 4, ByteStart: p.Utterances[2].ByteStart, ByteEnd: len(p.Text)},
			}
		}
		e.ask = func(q extract.Question) (extract.Answer, error) {
			if q.Chunk.From == 0 {
				return extract.Answer{}, &extract.Error{Kind: extract.Refused}
			}
			return extract.Answer{}, nil
		}
		b := setup(t, e)
		end := b.parse(t)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.InDelta(t, 0.5, end.Coverage, 0.1)
		var unread []map[string]any
		require.NoError(t, json.Unmarshal(b.row(t).Unread, &unread))
		require.Len(t, unread, 1)
		require.Equal(t, "model_refused", unread[0]["reason"])
		require.EqualValues(t, 1, unread[0]["to"])
	})

	t.Run("nothing read at all is a failure with the reason", func(t *testing.T) {
		t.Parallel()
		b := setup(t, &scripted{ask: func(extract.Question) (extract.Answer, error) {
			return extract.Answer{}, &extract.Error{Kind: extract.Refused}
		}})
		end := b.parse(t)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused}, end)
		row := b.row(t)
		require.Equal(t, "model_refused", *row.ErrorCode)
		require.NotEmpty(t, *row.ErrorMessage)
	})

	for kind, final := range map[extract.Kind]bool{
		extract.BadKey: true, extract.NoCredit: true, extract.ModelNotFound: true, extract.BadRequest: true, extract.RateLimited: false, extract.Unavailable: false,
	} {
		t.Run("class of "+string(kind), func(t *testing.T) {
			t.Parallel()
			b := setup(t, &scripted{ask: func(extract.Question) (extract.Answer, error) {
				return extract.Answer{}, &extract.Error{Kind: kind, RetryAfter: 7 * time.Second}
			}})
			_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
			require.NoError(t, err)
			_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
			var application *temporal.ApplicationError
			require.True(t, errors.As(err, &application), "%v", err)
			require.Equal(t, string(kind), application.Type())
			require.Equal(t, final, application.NonRetryable())
			require.Equal(t, final, outcome.Code(application.Type()).EndsImport())
			require.Equal(t, 7*time.Second, application.NextRetryDelay())
			require.NotContains(t, err.Error(), "spreadsheet")
		})
	}

	halves := func(p *transcript.Transcript) []extract.Chunk {
		return []extract.Chunk{
			{From: 0, To: 2, ByteStart: 0, ByteEnd: p.Utterances[1].ByteEnd},
			{From: 2, To: 4, ByteStart: p.Utterances[2].ByteStart, ByteEnd: len(p.Text)},
		}
	}
	limited := activities.Limits{Concurrency: 2, Timeout: time.Hour, MaxTokens: 100}

	t.Run("a plan that would pass the limit of tokens ends before anything is paid for", func(t *testing.T) {
		t.Parallel()
		e := &scripted{plan: halves, costs: 51}
		b := setup(t, e, limited)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		requireFinal(t, err, string(outcome.CodeTokenLimit))
		require.Equal(t, outcome.StatusQueued, b.row(t).Status)
		end, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "failed", ErrorCode: outcome.CodeTokenLimit})
		require.NoError(t, err)
		requireEnd(t, activities.ParseEnd{Status: "failed", ErrorCode: "token_limit"}, end)
		require.Contains(t, *b.row(t).ErrorMessage, "MAX_TOKENS_PER_IMPORT")
		require.Zero(t, e.calls.Load())
	})

	t.Run("stops before the limit of tokens is passed", func(t *testing.T) {
		t.Parallel()
		e := &scripted{plan: halves, costs: 20, ask: func(extract.Question) (extract.Answer, error) {
			return extract.Answer{Usage: extract.Usage{InputTokens: 20, OutputTokens: 61}}, nil // more was answered than could be known
		}}
		b := setup(t, e, limited)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: 1})
		requireFinal(t, err, string(outcome.CodeTokenLimit))
		require.EqualValues(t, 1, e.calls.Load())
	})

	t.Run("calls at once do not pass the limit of tokens together", func(t *testing.T) {
		t.Parallel()
		begun, goOn := make(chan struct{}), make(chan struct{})
		e := &scripted{plan: halves, costs: 40, ask: func(extract.Question) (extract.Answer, error) {
			close(begun)
			<-goOn
			return extract.Answer{Usage: extract.Usage{InputTokens: 40}}, nil
		}}
		b := setup(t, e, limited)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		first := make(chan error)
		go func() {
			_, err := b.env.ExecuteActivity(b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
			first <- err
		}()
		<-begun
		e.costs = 61
		_, err = b.env.ExecuteActivity(b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref, Chunk: 1})
		requireFinal(t, err, string(outcome.CodeTokenLimit))
		close(goOn)
		require.NoError(t, <-first)
		require.EqualValues(t, 1, e.calls.Load())
		require.Zero(t, dbtest.Value[int](t, b.DB, `select sum(reserved_tokens) from private.import_chunks`))
	})

	t.Run("what an attempt cost that failed is counted, and the question asked again", func(t *testing.T) {
		t.Parallel()
		e := &scripted{}
		e.ask = func(extract.Question) (extract.Answer, error) {
			if e.calls.Load() == 1 {
				return extract.Answer{}, &extract.Error{Kind: extract.Unavailable, Usage: extract.Usage{InputTokens: 30, OutputTokens: 4}}
			}
			return extract.Answer{Usage: extract.Usage{InputTokens: 30, OutputTokens: 5}}, nil
		}
		b := setup(t, e)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.Error(t, err)
		require.Equal(t, outcome.StatusParsed, b.parse(t).Status)
		row := b.row(t)
		require.Equal(t, [2]int64{60, 9}, [2]int64{row.InputTokens, row.OutputTokens})
	})

	t.Run("between gaps nothing counts as read", func(t *testing.T) {
		t.Parallel()
		b := setup(t, &scripted{ask: func(extract.Question) (extract.Answer, error) {
			return extract.Answer{}, &extract.Error{Kind: extract.TooLong}
		}})
		requireEnd(t, activities.ParseEnd{Status: "failed", ErrorCode: "model_too_long"}, b.parse(t))
		require.Zero(t, b.row(t).Coverage)
	})
}

func TestParseEndDurations(t *testing.T) {
	t.Parallel()

	t.Run("of an import that was parsed", func(t *testing.T) {
		t.Parallel()
		b := setup(t, extract.NewKeyword())
		b.Exec(t, `update imports set queued_at = now() - interval '90 seconds'`)
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		b.Exec(t, `update imports set started_at = now() - interval '30 seconds'`)
		for range 2 { // a retry returns the same end
			end, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
			require.NoError(t, err)
			require.InDelta(t, 60, end.Queued.Seconds(), 10)
			require.InDelta(t, 30, end.Parsing.Seconds(), 10)
		}
	})

	t.Run("of an import that no worker began", func(t *testing.T) {
		t.Parallel()
		b := setup(t, extract.NewKeyword())
		b.Exec(t, `update imports set queued_at = now() - interval '90 seconds'`)
		end, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{
			ParseRef: b.ref, Status: outcome.StatusCanceled, ErrorCode: outcome.CodeCanceled,
		})
		require.NoError(t, err)
		require.InDelta(t, 90, end.Queued.Seconds(), 10)
		require.Zero(t, end.Parsing)
	})
}

func TestMessagesAreForPeople(t *testing.T) {
	t.Parallel()
	b := setup(t, &scripted{ask: func(extract.Question) (extract.Answer, error) { return extract.Answer{}, nil }})
	for _, code := range []outcome.Code{outcome.CodeModelKeyRejected, outcome.CodeCanceled, "something_new"} {
		b.Exec(t, `update imports set status = 'parsing' where id = $1`, b.ref.ImportID)
		_, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "failed", ErrorCode: code})
		require.NoError(t, err)
		message := *b.row(t).ErrorMessage
		require.True(t, strings.HasSuffix(message, ".") && strings.Contains(message, " "), message)
	}
}
