package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/api/mcp"
	"research/api/token"
	"research/db/dbtest"
	"research/outcome"
)

// An asked is a result of ask_interviews.
type asked struct {
	AnswerID                   string `json:"answer_id"`
	Status, Result, Next       string
	Question, Mode, Missing    string
	People, Stale, URL, Cursor string
	More                       bool
	Read                       struct {
		NotRead string `json:"not_read"`
	}
	Sentences []struct {
		Text   string
		People int
		Quotes []askedQuote
	}
	Passages []askedQuote
}

type askedQuote struct{ ID, Quote, Speaker, Interview, URL string }

// soon waits for something that another goroutine does.
func soon(t testing.TB, what string, done func() bool) {
	t.Helper()
	require.Eventually(t, done, time.Minute, 10*time.Millisecond, what)
}

// begin waits until a run has been started, and returns its answer.
func (e *edge) begin(t testing.TB, runs int) uuid.UUID {
	t.Helper()
	soon(t, "a run is started", func() bool { return e.runner.runs() == runs })
	e.runner.mu.Lock()
	defer e.runner.mu.Unlock()
	return e.runner.started[runs-1].AnswerID
}

// write gives an answer sentences that quote turns of an interview, and ends it, as a run does.
func (e *edge) write(t testing.TB, answer, imported uuid.UUID, sentences ...string) {
	t.Helper()
	e.Exec(t, `update answers set status = 'reading', imports_total = 3, passages_total = 40,
		progress_total = 3, progress_done = 1 where id = $1`, answer)
	for i, sentence := range sentences {
		e.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text, people_count)
			values ($1, $2, $3, $4, 1)`, answer, i, e.Project, sentence)
		e.Exec(t, `
			insert into answer_quotes (
				answer_id, project_id, sentence_ordinal, ordinal, import_id, quote, byte_start, byte_end, match
			)
			select $1, $2, $3, 0, u.import_id, u.text, u.byte_start, u.byte_end, 'verbatim'
			from utterances u where u.import_id = $4 and u.ordinal = 1`, answer, e.Project, i, imported)
	}
	e.Exec(t, `
		update answers set status = 'answered', result = 'partly', claim_id = null, finished_at = now(),
			imports_read = 2, passages_read = 10, coverage = 0.25, people_total = 4, people_count = 1,
			missing = 'Who pays.'
		where id = $1`, answer)
}

// A listener is a client that hears of progress.
type listener struct {
	*sdk.ClientSession

	mu    sync.Mutex
	heard []*sdk.ProgressNotificationParams
}

func (e *edge) listen(t testing.TB, accessToken string) *listener {
	t.Helper()
	l := &listener{}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.heard = append(l.heard, r.Params)
		},
	})
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint:             e.server.URL + mcp.Path,
		HTTPClient:           &http.Client{Transport: bearer{accessToken, http.DefaultTransport}},
		DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	l.ClientSession = session
	return l
}

// count returns how many notifications came.
func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.heard)
}

// A call is a tool call under way.
type pending struct {
	done   chan struct{}
	result *sdk.CallToolResult
	err    error
}

// start calls ask_interviews.
func start(ctx context.Context, session *sdk.ClientSession, args map[string]any, progress bool) *pending {
	p := &pending{done: make(chan struct{})}
	params := &sdk.CallToolParams{Name: "ask_interviews", Arguments: args}
	if progress {
		params.SetProgressToken("p1")
	}
	go func() {
		defer close(p.done)
		p.result, p.err = session.CallTool(ctx, params)
	}()
	return p
}

// wait returns the text of the result.
func (p *pending) wait(t testing.TB) string {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		t.Fatal("the call did not end")
	}
	require.NoError(t, p.err)
	return p.result.Content[0].(*sdk.TextContent).Text
}

func TestAskingWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	e := setup(t)
	imported := e.transcript(t, e.Tenant, "en", books...)
	client := e.listen(t, e.app(t, e.Editor, allScopes))
	args := map[string]any{"project": e.Project.String(), "question": "How are books closed?"}
	call1 := start(t.Context(), client.ClientSession, args, true)
	answer := e.begin(t, 1)
	require.Equal(t, outcome.ModeQuick, e.runner.started[0].Mode)
	soon(t, "the client hears that it waits", func() bool { return client.count() >= 1 })
	e.Exec(t, `
		update answers set status = 'reading', waiting_reason = null, progress_total = 3, progress_done = 1
		where id = $1`, answer)
	soon(t, "the client hears of progress", func() bool { return client.count() >= 2 })
	e.write(t, answer, imported, "They copy invoices by hand.", "It takes two days.")
	call1.wait(t)
	named := map[string]any{"answer_id": answer.String()}
	result := call[asked](t, client.ClientSession, "ask_interviews", named)
	require.Equal(t, "answered", result.Status)
	require.Equal(t, "partly", result.Result)
	require.Equal(t, answer.String(), result.AnswerID)
	require.Equal(t, "How are books closed?", result.Question)
	require.Equal(t, "Who pays.", result.Missing)
	require.Equal(t, "1 of the 4 people who speak in these interviews", result.People)
	require.Equal(t, "10 of 40 passages in 2 of 3 interviews were read; the rest was not.", result.Read.NotRead)
	require.Equal(t, publicURL+"/projects/"+e.Project.String()+"/ask?a="+answer.String(), result.URL)
	require.Empty(t, result.Next)
	require.Len(t, result.Sentences, 2)
	require.Equal(t, 1, result.Sentences[0].People)
	require.Equal(t, askedQuote{
		ID: fmt.Sprintf("utterance:%s:1-1", imported), Quote: strings.TrimPrefix(books[1], "Ben: "),
		Speaker: "Ben Doe", Interview: "An interview", URL: fmt.Sprintf("%s/imports/%s?u=1", publicURL, imported),
	}, result.Sentences[0].Quotes[0])

	client.mu.Lock()
	require.Equal(t, "Waiting for a turn.", client.heard[0].Message)
	require.Equal(t, "Reading: 1 of 3 steps done.", client.heard[1].Message)
	last := -1.0
	for _, p := range client.heard {
		require.Equal(t, "p1", p.ProgressToken)
		require.Greater(t, p.Progress, last)
		last = p.Progress
	}
	client.mu.Unlock()

	// Asking the same again returns the answer. It is asked anew once interviews have changed.
	again := call[asked](t, client.ClientSession, "ask_interviews", args)
	require.Equal(t, result, again)
	require.Equal(t, 1, e.runner.runs())
	e.Exec(t, "update answers set stale_since = now()")
	require.Contains(t, call[asked](t, client.ClientSession, "ask_interviews",
		map[string]any{"answer_id": "answer:" + answer.String()}).Stale, "Interviews were added")
	more := start(t.Context(), client.ClientSession, args, false)
	other := e.begin(t, 2)
	require.NotEqual(t, answer, other)
	e.write(t, other, imported)
	require.Contains(t, more.wait(t), other.String())
	require.Contains(t, strings.Join(e.records(t, e.Workspace), "\n"), "mcp.ask_interviews project "+
		e.Project.String()+" "+e.Editor.String())
}

func TestAskingGoesOnInAnotherCall(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *mcp.Config, _ *mcp.Deps) { c.Wait = 300 * time.Millisecond })
	imported := e.transcript(t, e.Tenant, "en", books...)
	session := e.connect(t, e.app(t, e.Editor, allScopes))
	first := call[asked](t, session, "ask_interviews", map[string]any{
		"project": "project:" + e.Project.String(), "question": "How are books closed?", "mode": "thorough",
	})
	require.Equal(t, "queued", first.Status)
	require.Contains(t, first.Next, "Call ask_interviews again")
	require.Empty(t, first.Sentences)
	require.Equal(t, outcome.ModeThorough, e.runner.started[0].Mode)
	second := call[asked](t, session, "ask_interviews", map[string]any{"answer_id": first.AnswerID})
	require.Equal(t, first, second)

	ctx, cancel := context.WithCancel(t.Context())
	waiting := start(ctx, session, map[string]any{"answer_id": first.AnswerID}, false)
	cancel()
	<-waiting.done
	require.Error(t, waiting.err)
	require.Equal(t, "queued", dbtest.Value[string](t, e.DB, "select status::text from answers"),
		"who stops waiting does not stop the answer")

	e.write(t, uuid.MustParse(first.AnswerID), imported, "They copy invoices by hand.")
	third := call[asked](t, session, "ask_interviews", map[string]any{"answer_id": first.AnswerID})
	require.Equal(t, "answered", third.Status)
	require.Len(t, third.Sentences, 1)
	require.Equal(t, 1, e.runner.runs())
	require.Equal(t, third, call[asked](t, e.connect(t, e.app(t, e.Viewer, allScopes)), "ask_interviews",
		map[string]any{"answer_id": first.AnswerID}), "who may only read, reads answers")

	e.Exec(t, `
		update answers set status = 'failed', result = null, error_message = 'The model does not respond.'`)
	failed := call[asked](t, session, "ask_interviews", map[string]any{"answer_id": first.AnswerID})
	require.Equal(t, "failed", failed.Status)
	require.Equal(t, "The model does not respond. The same question can be asked again.", failed.Next)
}

func TestQuestionsThatAreNotAsked(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.transcript(t, e.Tenant, "en", books...)
	stranger := e.DB.Tenant(t)
	args := map[string]any{"project": e.Project.String(), "question": "How are books closed?"}
	session := e.connect(t, e.app(t, e.Editor, allScopes))
	for name, c := range map[string]struct {
		changes map[string]any
		text    string
	}{
		"no project":         {map[string]any{"project": nil}, "project and question are required"},
		"no question":        {map[string]any{"question": nil}, "project and question are required"},
		"a short question":   {map[string]any{"question": "?"}, "3 to 1000 characters"},
		"a long question":    {map[string]any{"question": strings.Repeat("é", 1001)}, "3 to 1000 characters"},
		"a mode of no kind":  {map[string]any{"mode": "slow"}, "mode"},
		"no such project":    {map[string]any{"project": uuid.NewString()}, "There is nothing with this id"},
		"a malformed id":     {map[string]any{"project": "1"}, "There is nothing with this id"},
		"a foreign project":  {map[string]any{"project": stranger.Project.String()}, "There is nothing with"},
		"no such answer":     {map[string]any{"answer_id": uuid.NewString()}, "There is nothing with this id"},
		"a cursor of no use": {map[string]any{"answer_id": uuid.NewString(), "cursor": "x"}, "cursor is not one"},
	} {
		require.Contains(t, fail(t, session, "ask_interviews", arguments(args, c.changes)), c.text, name)
	}
	require.Contains(t, fail(t, e.connect(t, e.app(t, e.Viewer, allScopes)), "ask_interviews", args),
		"only allows reading")
	require.Contains(t, fail(t, e.connect(t, e.app(t, stranger.Owner, allScopes)), "ask_interviews", args),
		"There is nothing with this id")
	require.Zero(t, e.runner.runs())
	require.Contains(t, strings.Join(e.records(t, e.Workspace), "\n"), e.Viewer.String()+` {"error":`)
	require.Empty(t, e.records(t, stranger.Workspace))
}

// An asking is an Asker that does something once a question is asked.
type asking struct {
	mcp.Asker

	asked func(ctx context.Context)
}

func (a asking) Ask(ctx context.Context, project uuid.UUID, question, mode string) (uuid.UUID, error) {
	id, err := a.Asker.Ask(ctx, project, question, mode)
	a.asked(ctx)
	return id, err
}

func TestWhoAsksAndDisconnectsLeavesARecord(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	e := setup(t, func(_ *mcp.Config, d *mcp.Deps) {
		d.Asker = asking{d.Asker, func(ctx context.Context) { close(leave); <-ctx.Done() }}
	})
	e.transcript(t, e.Tenant, "en", books...)
	ctx, cancel := context.WithCancel(t.Context())
	asked := start(ctx, e.connect(t, e.app(t, e.Editor, allScopes)), map[string]any{
		"project": e.Project.String(), "question": "How are books closed?",
	}, false)
	<-leave
	cancel()
	<-asked.done
	require.Equal(t, 1, e.runner.runs())
	soon(t, "the call is recorded", func() bool { return len(e.records(t, e.Workspace)) == 1 })
	require.Contains(t, e.records(t, e.Workspace)[0], "mcp.ask_interviews project "+e.Project.String())
}

func TestTheWaitForAnAnswerBeginsWithTheCall(t *testing.T) {
	t.Parallel()
	began, passed := time.Now(), atomic.Int64{}
	e := setup(t, func(c *mcp.Config, d *mcp.Deps) {
		c.Wait, d.Now = time.Hour, func() time.Time { return began.Add(time.Duration(passed.Load())) }
		d.Asker = asking{d.Asker, func(context.Context) { passed.Add(int64(time.Hour)) }}
	})
	e.transcript(t, e.Tenant, "en", books...)
	result := call[asked](t, e.connect(t, e.app(t, e.Editor, allScopes)), "ask_interviews", map[string]any{
		"project": e.Project.String(), "question": "How are books closed?",
	})
	require.Equal(t, "queued", result.Status)
	require.NotEmpty(t, result.AnswerID)
}

// A counting Authenticator counts the tokens that it admits.
type counting struct {
	mcp.Authenticator

	admitted atomic.Int64
}

func (c *counting) AdmitResource(r *http.Request, resource string) (token.Principal, error) {
	c.admitted.Add(1)
	return c.Authenticator.AdmitResource(r, resource)
}

func TestWhoWaitsIsNotBusy(t *testing.T) {
	t.Parallel()
	var admissions *counting
	stopping := make(chan struct{})
	e := setup(t, func(_ *mcp.Config, d *mcp.Deps) {
		admissions = &counting{Authenticator: d.Authenticator}
		d.Authenticator, d.Stopping = admissions, stopping
	})
	imported := e.transcript(t, e.Tenant, "en", books...)
	access := e.app(t, e.Editor, allScopes)
	client := e.listen(t, access)
	question := func(i int) map[string]any {
		return map[string]any{"project": e.Project.String(), "question": fmt.Sprintf("Question %d?", i)}
	}
	var waiting []*pending
	for i := range 4 {
		waiting = append(waiting, start(t.Context(), client.ClientSession, question(i), true))
		e.begin(t, i+1)
	}
	soon(t, "all wait", func() bool { return client.count() >= 4 })

	// One user is woken for as many answers as they may have streams. For others, it is looked now and then.
	unwatched := start(t.Context(), client.ClientSession, question(4), false)
	e.begin(t, 5)

	// Once all know that the questions were asked, nothing happens.
	last, since := admissions.admitted.Load(), time.Now()
	soon(t, "nobody looks", func() bool {
		if now := admissions.admitted.Load(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 1500*time.Millisecond
	})

	// An event of one answer wakes one call.
	e.write(t, e.begin(t, 5), imported)
	require.Contains(t, unwatched.wait(t), "answered")
	e.runner.mu.Lock()
	first := e.runner.started[0].AnswerID
	e.runner.mu.Unlock()
	e.write(t, first, imported)
	<-waiting[0].done

	// Access that has ended is refused as soon as something happens.
	e.Exec(t, "delete from auth.sessions where user_id = $1", e.Editor)
	e.runner.mu.Lock()
	second := e.runner.started[1].AnswerID
	e.runner.mu.Unlock()
	soon(t, "the session has ended", func() bool {
		response, _ := e.post(t, access, `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`) //nolint:bodyclose // is
		return response.StatusCode == http.StatusUnauthorized
	})
	e.write(t, second, imported, "Nobody may read this any more.")
	text := waiting[1].wait(t)
	require.True(t, waiting[1].result.IsError)
	require.NotContains(t, text, "Nobody may read this")

	// A server that stops ends the calls.
	close(stopping)
	for _, p := range waiting[2:] {
		p.wait(t)
	}
}

func TestLongAnswersHavePages(t *testing.T) {
	t.Parallel()
	e := setup(t, func(c *mcp.Config, _ *mcp.Deps) { c.Wait = time.Millisecond })
	imported := e.transcript(t, e.Tenant, "en",
		"Ann: Yes?", "Ben: "+strings.Repeat("We copy invoices by hand. ", 80))
	session := e.connect(t, e.app(t, e.Editor, allScopes))
	begun := call[asked](t, session, "ask_interviews", map[string]any{
		"project": e.Project.String(), "question": "How are books closed?",
	})
	var sentences []string
	for i := range 40 {
		sentences = append(sentences, fmt.Sprintf("Sentence %d.", i))
	}
	e.write(t, uuid.MustParse(begun.AnswerID), imported, sentences...)
	var read []string
	args := map[string]any{"answer_id": begun.AnswerID}
	for pages := 1; ; pages++ {
		page := call[asked](t, session, "ask_interviews", args)
		for _, s := range page.Sentences {
			read = append(read, s.Text)
			require.Len(t, s.Quotes, 1)
		}
		if !page.More {
			require.Greater(t, pages, 1)
			break
		}
		args["cursor"] = page.Cursor
	}
	require.Equal(t, sentences, read)
}
