package activities_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
	"research/transcript"
)

// A fakeExtractor responds as the test defines. Without a plan it reads the transcript as one chunk.
type fakeExtractor struct {
	keyword.Extractor
	plan     func(*transcript.Transcript) []extract.Chunk
	ask      func(extract.Request) (extract.Response, error)
	estimate int64  // of each request, in tokens
	name     string // "openai" if empty
	model    string // "test-model" if empty

	untilCanceled bool // calls last until their context ends

	calls atomic.Int32
	mu    sync.Mutex
	asked []extract.Request
}

func (e *fakeExtractor) Name() string          { return cmp.Or(e.name, "openai") }
func (e *fakeExtractor) Model() string         { return cmp.Or(e.model, "test-model") }
func (e *fakeExtractor) PromptVersion() string { return "v0" }

func (e *fakeExtractor) Estimate(extract.Request) int64 { return e.estimate }

func (e *fakeExtractor) Expect(extract.Request) extract.Usage {
	return extract.Usage{InputTokens: 30, OutputTokens: 10}
}

func (e *fakeExtractor) Plan(t *transcript.Transcript, _ []extract.Hypothesis) []extract.Chunk {
	if e.plan != nil {
		return e.plan(t)
	}
	return []extract.Chunk{extract.Whole(t)}
}

func (e *fakeExtractor) Extract(ctx context.Context, q extract.Request) (extract.Response, error) {
	e.calls.Add(1)
	e.mu.Lock()
	e.asked = append(e.asked, q)
	e.mu.Unlock()
	if e.untilCanceled {
		<-ctx.Done()
		return extract.Response{}, ctx.Err()
	}
	return e.ask(q)
}

// requests returns what was asked, one line each: the utterances, and the statements in their order.
func (e *fakeExtractor) requests() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for _, r := range e.asked {
		var statements []string
		for _, h := range r.Hypotheses {
			statements = append(statements, h.Statement)
		}
		slices.Sort(statements)
		lines = append(lines, fmt.Sprintf("%d-%d %s", r.Chunk.From, r.Chunk.To, strings.Join(statements, ", ")))
	}
	slices.Sort(lines)
	return lines
}

// forget clears the recorded requests.
func (e *fakeExtractor) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = nil
}

// findsNothing is a response without findings.
func findsNothing(extract.Request) (extract.Response, error) { return extract.Response{}, nil }

// fails responds with an error of the model.
func fails(code outcome.Code) func(extract.Request) (extract.Response, error) {
	return func(extract.Request) (extract.Response, error) {
		return extract.Response{}, &extract.Error{Code: code}
	}
}

// halves plans two chunks of two turns each.
func halves(t *transcript.Transcript) []extract.Chunk {
	return []extract.Chunk{
		{From: 0, To: 2, ByteStart: 0, ByteEnd: t.Utterances[1].ByteEnd},
		{From: 2, To: 4, ByteStart: t.Utterances[2].ByteStart, ByteEnd: len(t.Text)},
	}
}

// The interview has four turns.
const (
	fiveDays  = "It takes us five full days, every month."
	sleepless = "Then we do not sleep. I hate the spreadsheet, honestly."
	interview = "Dana: How do you close the books?\n\nOmar: " + fiveDays + "\n\n" +
		"Dana: And then?\n\nOmar: " + sleepless + "\n"
)

// A parseFixture is one import of four turns, claimed for two hypotheses, and the activities that parse it.
type parseFixture struct {
	*dbtest.DB
	env     *testsuite.TestActivityEnvironment
	imports *activities.Imports
	tenant  dbtest.Tenant
	ref     activities.ParseRef

	bookkeeping, spreadsheets uuid.UUID // hypotheses

	byModel bool // claims are made by a server with a model
}

func newParseFixture(t *testing.T, e extract.Extractor) *parseFixture {
	t.Helper()
	return newLimitedParseFixture(t, e, 0)
}

// newLimitedParseFixture has a limit of tokens; 0 means none.
func newLimitedParseFixture(t *testing.T, e extract.Extractor, maxTokens int64) *parseFixture {
	t.Helper()
	return newConfiguredParseFixture(t, e, activities.ImportsConfig{
		Concurrency: 1, Timeout: time.Hour, MaxTokens: maxTokens,
	})
}

func newConfiguredParseFixture(
	t *testing.T, e extract.Extractor, cfg activities.ImportsConfig,
) *parseFixture {
	t.Helper()
	f := &parseFixture{DB: dbtest.New(t)}
	f.tenant = f.Tenant(t)
	f.bookkeeping = f.Hypothesis(t, f.tenant, "Closing the books takes five days")
	f.spreadsheets = f.Hypothesis(t, f.tenant, "People like spreadsheets")
	var err error
	log := slog.New(slog.DiscardHandler)
	f.imports, err = activities.NewImports(f.Store, e, cfg, log)
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	f.env = suite.NewTestActivityEnvironment()
	activities.Register(f.env, activities.Deps{Imports: f.imports})
	f.ref.ImportID = f.upload(t)
	f.claim(t)
	return f
}

// upload stores the interview as an editor.
func (f *parseFixture) upload(t *testing.T) uuid.UUID {
	t.Helper()
	parsed, err := transcript.Parse([]byte(interview))
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(parsed.Text))
	params := db.StoreImportParams{
		ProjectID: f.tenant.Project, Title: "Interview", Format: string(parsed.Format),
		SizeBytes: int64(len(parsed.Text)), Sha256: hex.EncodeToString(sum[:]), Body: []byte(parsed.Text),
	}
	for _, u := range parsed.Utterances {
		params.Speakers, params.Texts = append(params.Speakers, u.Speaker), append(params.Texts, u.Text)
		params.Starts, params.Ends = append(params.Starts, -1), append(params.Ends, -1)
		params.ByteStarts = append(params.ByteStarts, int32(u.ByteStart))
		params.ByteEnds = append(params.ByteEnds, int32(u.ByteEnd))
	}
	id, err := db.AsUser(t.Context(), f.Store, db.User(f.tenant.Editor), func(q *db.Queries) (uuid.UUID, error) {
		return q.StoreImport(t.Context(), params)
	})
	require.NoError(t, err)
	return id
}

// claim claims the import again, as a request to parse does.
func (f *parseFixture) claim(t *testing.T) {
	t.Helper()
	require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, false, f.bookkeeping, f.spreadsheets))
}

// refresh claims the import for reading everything again.
func (f *parseFixture) refresh(t *testing.T) {
	t.Helper()
	require.Equal(t, db.PrivateClaimResultClaimed, f.tryClaim(t, true, f.bookkeeping, f.spreadsheets))
}

func (f *parseFixture) tryClaim(t *testing.T, refresh bool, hypotheses ...uuid.UUID) db.PrivateClaimResult {
	t.Helper()
	f.ref.ClaimID = uuid.New()
	editor := db.User(f.tenant.Editor)
	claimed, err := db.AsUser(t.Context(), f.Store, editor, func(q *db.Queries) (db.ClaimImportRow, error) {
		return q.ClaimImport(t.Context(), db.ClaimImportParams{
			ImportID: f.ref.ImportID, ClaimID: f.ref.ClaimID,
			HypothesisIds: hypotheses, Refresh: refresh, ByModel: f.byModel,
		})
	})
	require.NoError(t, err)
	return claimed.Result
}

// run executes an activity in the environment.
func run[Out any](f *parseFixture, activity, in any) (Out, error) {
	var out Out
	value, err := f.env.ExecuteActivity(activity, in)
	if err == nil {
		err = value.Get(&out)
	}
	return out, err
}

func (f *parseFixture) plan() (activities.ImportPlan, error) {
	return run[activities.ImportPlan](f, f.imports.PlanImport, f.ref)
}

// readChunk runs one activity that reads a chunk.
func (f *parseFixture) readChunk(ordinal int) (activities.ReadChunkResult, error) {
	in := activities.ReadChunkInput{ParseRef: f.ref, Ordinal: ordinal}
	return run[activities.ReadChunkResult](f, f.imports.ReadChunk, in)
}

// read plans, and reads the chunks that are left one after the other, until one fails.
func (f *parseFixture) read() error {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	for _, ordinal := range plan.Chunks {
		for done := false; !done; {
			result, err := f.readChunk(ordinal)
			if err != nil {
				return err
			}
			done = result.Done
		}
	}
	return nil
}

func (f *parseFixture) finish() (activities.ParseEnd, error) {
	return run[activities.ParseEnd](f, f.imports.FinishImport, f.ref)
}

func (f *parseFixture) fail(status outcome.Status, code outcome.Code) (activities.ParseEnd, error) {
	in := activities.FailImportInput{ParseRef: f.ref, Status: status, ErrorCode: code}
	return run[activities.ParseEnd](f, f.imports.FailImport, in)
}

// must fails the test if an activity failed.
func must[Out any](t *testing.T, out Out, err error) Out {
	t.Helper()
	require.NoError(t, err)
	return out
}

// mustPlan, mustReadChunk and mustFail run an activity that must succeed.
func (f *parseFixture) mustPlan(t *testing.T) activities.ImportPlan {
	t.Helper()
	plan, err := f.plan()
	return must(t, plan, err)
}

func (f *parseFixture) mustReadChunk(t *testing.T, ordinal int) {
	t.Helper()
	result, err := f.readChunk(ordinal)
	require.True(t, must(t, result, err).Done)
}

func (f *parseFixture) mustFail(t *testing.T, status outcome.Status, code outcome.Code) activities.ParseEnd {
	t.Helper()
	end, err := f.fail(status, code)
	return must(t, end, err)
}

// readNext plans, and reads the next chunk.
func (f *parseFixture) readNext(t *testing.T) {
	t.Helper()
	f.mustReadChunk(t, f.mustPlan(t).Chunks[0])
}

// parse runs the activities in the order of the workflow.
func (f *parseFixture) parse(t *testing.T) activities.ParseEnd {
	t.Helper()
	require.NoError(t, f.read())
	end, err := f.finish()
	return must(t, end, err)
}

// row returns the import as a viewer sees it.
func (f *parseFixture) row(t *testing.T) db.Import {
	t.Helper()
	viewer := db.User(f.tenant.Viewer)
	row, err := db.AsUser(t.Context(), f.Store, viewer, func(q *db.Queries) (db.Import, error) {
		return q.GetImport(t.Context(), f.ref.ImportID)
	})
	return must(t, row, err)
}

// execAsEditor executes a statement with the rights of an editor.
func (f *parseFixture) execAsEditor(t *testing.T, sql string) {
	t.Helper()
	claims, err := json.Marshal(map[string]string{"sub": f.tenant.Editor.String(), "role": "authenticated"})
	require.NoError(t, err)
	f.Exec(t, strings.Join([]string{
		`do $$ begin`,
		`perform set_config('role', 'authenticated', true);`,
		`perform set_config('request.jwt.claims', '` + string(claims) + `', true);`,
		sql + `;`,
		`end $$`,
	}, "\n"))
}

// requireEnd compares ends apart from their durations.
func requireEnd(t *testing.T, want, got activities.ParseEnd) {
	t.Helper()
	got.Queued, got.Parsing = 0, 0
	require.Equal(t, want, got)
}

// requireNotRetried requires an error of a type that Temporal does not retry.
func requireNotRetried(t *testing.T, errorType string, err error) {
	t.Helper()
	var application *temporal.ApplicationError
	require.True(t, errors.As(err, &application), "%v", err)
	require.Equal(t, errorType, application.Type())
	require.True(t, application.NonRetryable())
}
