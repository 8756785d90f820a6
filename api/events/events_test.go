package events_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/events"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

// timeout is how long a test waits for what should take a second.
const timeout = 5 * time.Minute

// An installation has a database with a workspace, and servers that stream its events.
type installation struct {
	*dbtest.DB
	dbtest.Tenant
	tokens *tokentest.Issuer
}

func install(t *testing.T) *installation {
	t.Helper()
	i := &installation{DB: dbtest.New(t)}
	i.Tenant = i.DB.Tenant(t)
	return i
}

// serve starts one more server, and returns its address.
func (i *installation) serve(t *testing.T, change func(*events.Deps, *token.KeysConfig)) string {
	t.Helper()
	var keysConfig token.KeysConfig
	deps := events.Deps{
		Config: events.Config{Streams: 100, UserStreams: 100},
		Store:  i.Store, Log: slog.New(slog.DiscardHandler), Heartbeat: 100 * time.Millisecond,
	}
	if change != nil {
		change(&deps, &keysConfig)
	}
	i.tokens = tokentest.New(t, i.Store, keysConfig)
	deps.Authenticator = i.tokens.Authenticator
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	handler, err := events.New(ctx, deps)
	require.NoError(t, err)
	r := chi.NewRouter()
	r.Handle("/api/events", handler)
	r.Handle("/api/import/{importId}/events", handler)
	r.Handle("/api/answer/{answerId}/events", handler)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return server.URL
}

// A stream is one connection of a client.
type stream struct {
	status int
	lines  *bufio.Scanner
	close  func()
	lastID string // the header Last-Event-ID of the next connection
	retry  string
}

// open connects as a user, and waits until the stream has begun. Claims are added to those of the token.
func (i *installation) open(
	t *testing.T, url string, user uuid.UUID, lastID string, claims jwt.MapClaims,
) *stream {
	t.Helper()
	s := i.connect(t, url, user, lastID, claims)
	if s.status == http.StatusOK {
		first, open := s.block() // which has the id where the stream begins
		require.True(t, open)
		contract.CheckEvent(t, first.raw)
	}
	return s
}

// connect is open without waiting.
func (i *installation) connect(
	t *testing.T, url string, user uuid.UUID, lastID string, claims jwt.MapClaims,
) *stream {
	t.Helper()
	all := jwt.MapClaims{"sub": user.String(), "role": db.RoleAuthenticated}
	maps.Copy(all, claims)
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+i.tokens.Sign(t, all))
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := http.DefaultClient.Do(req) //nolint:bodyclose // stream.close closes it
	require.NoError(t, err)
	s := &stream{status: resp.StatusCode, lines: bufio.NewScanner(resp.Body), lastID: lastID}
	s.close = func() { cancel(); _ = resp.Body.Close() }
	t.Cleanup(s.close)
	if resp.StatusCode == http.StatusOK {
		require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	}
	return s
}

// An event is one that a client received.
type event struct {
	ID        string
	Type      string
	Timestamp time.Time
	Data      map[string]any

	raw []byte
}

// block reads up to the next blank line. The type is empty for a comment, and for a block without data. It
// reports whether the stream is still open.
func (s *stream) block() (e event, open bool) {
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case s.lines.Text() == "":
			return e, true
		case name == "id":
			s.lastID = value
		case name == "retry":
			s.retry = value
		case name == "data":
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				return e, false
			}
			e.raw = []byte(value)
		}
	}
	return e, false
}

// next returns the next event but ready.
func (s *stream) next(t *testing.T) event {
	t.Helper()
	for {
		e, open := s.block()
		require.True(t, open, "the stream has ended")
		if e.Type != "ready" {
			contract.CheckEvent(t, e.raw)
			return e
		}
	}
}

// until returns the next event of a type. A stream may begin with events of the second before it was opened.
func (s *stream) until(t *testing.T, eventType string) event {
	t.Helper()
	for {
		if e := s.next(t); e.Type == eventType {
			return e
		}
	}
}

// drain reads until the stream ends, and returns the types of the events.
func (s *stream) drain() (types []string) {
	for {
		e, open := s.block()
		if !open {
			return types
		}
		if e.Type != "" {
			types = append(types, e.Type)
		}
	}
}

// question adds a question to the tenant's project.
func (i *installation) question(t *testing.T, text string) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, i.DB, `insert into questions (project_id, text) values ($1, $2)
		returning id`,
		i.Project, text)
}

// newImport adds an import to the tenant's project.
func (i *installation) newImport(t *testing.T) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, i.DB, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256)
		values ($1, $2, 'Interview', 'text', 10, repeat('0', 64)) returning id`, i.Workspace, i.Project)
}

func TestEventsOfAnImport(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, nil)
	id, other := i.newImport(t), i.newImport(t)
	hypothesis := i.Hypothesis(t, i.Tenant, "People pay")
	s := i.open(t, url+"/api/import/"+id.String()+"/events", i.Viewer, "", nil)

	i.Exec(t, `update imports set status = 'queued' where id in ($1, $2)`, id, other)
	i.Exec(t, `update imports set status = 'parsing', progress_total = 3 where id = $1`, id)
	i.Exec(t, `update imports set progress_done = 2 where id = $1`, id)
	i.Exec(t, `update imports set title = 'Not an event' where id = $1`, id)
	evidence := dbtest.Value[uuid.UUID](t, i.DB, `
		insert into evidence (project_id, import_id, quote, origin) values ($1, $2, 'We pay a secret price', 'ai')
		returning id`, i.Project, id)
	i.asUser(t, i.Editor, `update evidence set review = 'accepted' where id = $1`, evidence)
	i.asUser(t, i.Editor, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance, strength)
		values ($1, $2, 'supports', 'weak')`, evidence, hypothesis)
	i.asUser(t, i.Editor, `update evidence_hypotheses set stance = 'contradicts' where evidence_id = $1`,
		evidence)
	i.Exec(t, `update imports set status = 'parsed' where id = $1`, id)
	i.Exec(t, `delete from imports where id = $1`, id)

	var got []string
	for {
		e := s.next(t)
		require.Equal(t, id.String(), e.Data["importId"], e.Type)
		require.Equal(t, i.Workspace.String(), e.Data["workspaceId"])
		require.Equal(t, i.Project.String(), e.Data["projectId"])
		require.WithinDuration(t, time.Now(), e.Timestamp, timeout)
		byEditor := e.Data["actorId"] == i.Editor.String()
		var about []string
		for _, name := range []string{"from", "to", "done", "total", "hypothesisId"} {
			if value, found := e.Data[name]; found {
				about = append(about, fmt.Sprintf("%s=%v", name, value))
			}
		}
		if e.Type != "import.created" && e.Type != "evidence.deleted" { // before the stream; with its import
			got = append(got, fmt.Sprintf("%s %v %v", e.Type, byEditor, about))
		}
		if e.Type == "import.deleted" {
			break
		}
	}
	require.Equal(t, []string{
		"import.queued false [from=uploaded to=queued]",
		"import.parsing false [from=queued to=parsing]",
		"import.progress false [done=0 total=3]",
		"import.progress false [done=2 total=3]",
		"evidence.created false []",
		"evidence.accepted true [from=suggested to=accepted]",
		"evidence.stance_changed true [from=<nil> to=supports hypothesisId=" + hypothesis.String() + "]",
		"evidence.stance_changed true [from=supports to=contradicts hypothesisId=" + hypothesis.String() + "]",
		"import.parsed false [from=parsing to=parsed]",
		"import.deleted false []",
	}, got)
	require.NotContains(t, s.drain(), "import.deleted", "the stream ends with its import")
}

// asUser executes a statement with the rights of a user.
func (i *installation) asUser(t *testing.T, user uuid.UUID, sql string, args ...any) {
	t.Helper()
	i.AsOwner(t, func(c *pgx.Conn) {
		require.NoError(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			claims := fmt.Sprintf(`{"sub": %q, "role": "authenticated"}`, user)
			_, err := tx.Exec(t.Context(),
				"select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", claims)
			require.NoError(t, err)
			tag, err := tx.Exec(t.Context(), sql, args...)
			require.EqualValues(t, 1, tag.RowsAffected())
			return err
		}))
	})
}

// A client that is cut off every few events, and connects to another server each time, receives every event
// once, although transactions do not commit in the order in which they wrote.
func TestClientThatIsCutOffMissesNothing(t *testing.T) {
	t.Parallel()
	i := install(t)
	servers := []string{i.serve(t, nil), i.serve(t, nil)}
	const writers, writes = 4, 15

	s := i.open(t, servers[0]+"/api/events", i.Viewer, "", nil)
	late, releaseLate := make(chan struct{}), make(chan struct{})
	go i.AsOwner(t, func(c *pgx.Conn) {
		tx, err := c.Begin(context.Background())
		if err == nil {
			_, err = tx.Exec(context.Background(), `insert into questions (project_id, text) values ($1, 'late')`,
				i.Project)
		}
		close(late)
		<-releaseLate
		if err == nil {
			err = tx.Commit(context.Background())
		}
		if err != nil {
			t.Errorf("the late transaction failed: %v", err)
		}
	})
	<-late
	for writer := range writers {
		go i.AsOwner(t, func(c *pgx.Conn) {
			for n := range writes {
				_, err := c.Exec(context.Background(), `insert into questions (project_id, text) values ($1, $2)`,
					i.Project, fmt.Sprintf("%d of %d", n, writer))
				if err != nil {
					t.Errorf("a writer failed: %v", err)
				}
			}
		})
	}

	seen := map[string]int{}
	last := int64(-1)
	for connection := 1; len(seen) < writers*writes+1; connection++ {
		for range 1 + connection%5 {
			e := s.until(t, "question.created")
			seen[e.Data["entityId"].(string)]++
			id, err := strconv.ParseInt(s.lastID, 10, 64)
			require.NoError(t, err)
			require.Greater(t, id, last, "ids increase")
			last = id
			if len(seen) == writers*writes {
				close(releaseLate) // its event was written first, and is committed last
			}
			if len(seen) == writers*writes+1 {
				break
			}
		}
		s.close()
		s = i.open(t, servers[connection%2]+"/api/events", i.Viewer, s.lastID, nil)
	}
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
	require.Equal(t, writers*writes+1, dbtest.Value[int](t, i.DB, "select count(*) from questions"))
}

func TestWhoSeesEvents(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, nil)
	rival := i.DB.Tenant(t)
	imported := i.newImport(t)

	t.Run("only members of the workspace, as long as they are members", func(t *testing.T) {
		t.Parallel()
		tenant := i.DB.Tenant(t)
		one := installation{i.DB, tenant, i.tokens}
		removed := one.open(t, url+"/api/events", tenant.Viewer, "", nil)
		stays := one.open(t, url+"/api/events", tenant.Editor, "", nil)
		foreign := one.open(t, url+"/api/events", rival.Owner, "", nil)
		one.question(t, "first")
		removed.until(t, "question.created")
		one.Exec(t, `delete from workspace_members where workspace_id = $1 and user_id = $2`,
			tenant.Workspace, tenant.Viewer)
		second := one.question(t, "second")
		for e := stays.next(t); e.Data["entityId"] != second.String(); e = stays.next(t) {
			require.Equal(t, tenant.Workspace.String(), e.Data["workspaceId"])
		}

		// Who was removed, and who never was a member, receive the events of a workspace that they join, and
		// nothing before.
		third := i.DB.Tenant(t)
		for _, user := range []uuid.UUID{tenant.Viewer, rival.Owner} {
			one.Exec(t, `insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'viewer')`,
				third.Workspace, user)
		}
		for _, s := range []*stream{removed, foreign} {
			e := s.next(t)
			// The removal itself may still be shown, and what happened in the own workspace just before the stream.
			for e.Type == "member.deleted" || e.Data["workspaceId"] == rival.Workspace.String() {
				e = s.next(t)
			}
			require.Equal(t, third.Workspace.String(), e.Data["workspaceId"], e.Type)
		}
	})

	t.Run("nobody else learns that an import exists", func(t *testing.T) {
		t.Parallel()
		for _, id := range []string{imported.String(), uuid.NewString(), "not-a-uuid"} {
			s := i.open(t, url+"/api/import/"+id+"/events", rival.Owner, "", nil)
			require.Equal(t, http.StatusNotFound, s.status, id)
		}
	})

	t.Run("the stream of an import ends with the membership", func(t *testing.T) {
		t.Parallel()
		s := i.open(t, url+"/api/import/"+imported.String()+"/events", i.Viewer, "", nil)
		i.Exec(t, `delete from workspace_members where workspace_id = $1 and user_id = $2`, i.Workspace, i.Viewer)
		s.drain()
	})

	t.Run("a token is required", func(t *testing.T) {
		t.Parallel()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/events", nil)
		require.NoError(t, err)
		req.Header.Set("apikey", tokentest.AnonKey)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	})
}

func TestEndOfStreams(t *testing.T) {
	t.Parallel()

	t.Run("with the token", func(t *testing.T) {
		t.Parallel()
		i := install(t)
		url := i.serve(t, func(_ *events.Deps, k *token.KeysConfig) { k.Lifetime = 3 * time.Second })
		s := i.connect(t, url+"/api/events", i.Viewer, "", nil)
		// On a busy machine, a token can expire before its request arrives.
		for s.status == http.StatusUnauthorized {
			s = i.connect(t, url+"/api/events", i.Viewer, "", nil)
		}
		require.Equal(t, http.StatusOK, s.status)
		s.drain()
		require.NoError(t, s.lines.Err(), "the server ends the stream")
	})

	t.Run("with the session", func(t *testing.T) {
		t.Parallel()
		i := install(t)
		url := i.serve(t, nil)
		session := dbtest.Value[uuid.UUID](t, i.DB,
			`insert into auth.sessions (user_id) values ($1) returning id`, i.Viewer)
		s := i.open(t, url+"/api/events", i.Viewer, "", jwt.MapClaims{"session_id": session.String()})
		require.Equal(t, http.StatusOK, s.status)
		i.Exec(t, `delete from auth.sessions where id = $1`, session)
		s.drain()
	})

	t.Run("when the server stops, and clients return one by one", func(t *testing.T) {
		t.Parallel()
		i := install(t)
		stopping := make(chan struct{})
		url := i.serve(t, func(d *events.Deps, _ *token.KeysConfig) { d.Stopping = stopping })
		s := i.open(t, url+"/api/events", i.Viewer, "", nil)
		require.Equal(t, "2000", s.retry)
		close(stopping)
		s.drain()
		require.NotEqual(t, "2000", s.retry)
		require.Equal(t, http.StatusServiceUnavailable, i.open(t, url+"/api/events", i.Viewer, "", nil).status)
	})
}

// Some libraries pass on every block, also that of a comment, and applications parse its data.
func TestBlocksOfStreamsHaveData(t *testing.T) {
	t.Parallel()
	i := install(t)
	stopping := make(chan struct{})
	url := i.serve(t, func(d *events.Deps, _ *token.KeysConfig) {
		d.Stopping, d.Heartbeat = stopping, time.Millisecond
	})
	s := i.connect(t, url+"/api/events", i.Viewer, "", nil)
	first, open := s.block()
	require.True(t, open)
	require.Equal(t, "ready", first.Type)
	start := s.lastID
	require.NotEmpty(t, start)
	i.question(t, "asked")
	require.Equal(t, "question.created", s.until(t, "question.created").Type)
	for range 2 {
		require.True(t, s.lines.Scan(), "heartbeats")
	}
	require.Equal(t, ":", s.lines.Text())
	close(stopping)
	for s.lines.Scan() {
		require.NotEmpty(t, s.lines.Text(), "the end of a block")
	}

	again := i.serve(t, nil)
	s = i.connect(t, again+"/api/events", i.Viewer, start, nil)
	first, open = s.block()
	require.True(t, open)
	require.Equal(t, "ready", first.Type)
	require.Equal(t, start, s.lastID, "a client that is cut off here continues at the same place")
	s.until(t, "question.created")
}

func TestLimitsOfStreams(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, func(d *events.Deps, _ *token.KeysConfig) { d.Streams, d.UserStreams = 3, 2 })
	open := func(user uuid.UUID) *stream { return i.open(t, url+"/api/events", user, "", nil) }
	first := open(i.Viewer)
	require.Equal(t, http.StatusOK, first.status)
	require.Equal(t, http.StatusOK, open(i.Viewer).status)
	require.Equal(t, http.StatusTooManyRequests, open(i.Viewer).status, "of one user")
	require.Equal(t, http.StatusOK, open(i.Editor).status)
	require.Equal(t, http.StatusServiceUnavailable, open(i.Editor).status, "of the process")
	first.close()
	require.Eventually(t, func() bool { return open(i.Viewer).status == http.StatusOK }, timeout,
		20*time.Millisecond)
}

func TestEventsExpire(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, nil)
	s := i.open(t, url+"/api/events", i.Viewer, "", nil)
	i.question(t, "first")
	s.until(t, "question.created")
	before := s.lastID
	i.question(t, "second")
	s.until(t, "question.created")

	expire := func(age time.Duration) int64 {
		deleted, err := db.AsService(t.Context(), i.Store, func(q *db.Queries) (int64, error) {
			return q.DeleteOldEvents(t.Context(), db.DeleteOldEventsParams{Before: time.Now().Add(-age), Most: 1000})
		})
		require.NoError(t, err)
		return deleted
	}
	require.Zero(t, expire(time.Hour))
	require.Positive(t, expire(-time.Hour))
	from := func(lastID string) *stream { return i.connect(t, url+"/api/events", i.Viewer, lastID, nil) }
	require.Equal(t, "reset", from(before).next(t).Type, "events after it are gone")
	i.question(t, "third")
	require.Equal(t, "question.created", from(s.lastID).next(t).Type, "none was lost")
	require.Equal(t, "reset", from("9000000000").next(t).Type, "a number of another database")
	require.Equal(t, http.StatusBadRequest, from("no-number").status)
}

func TestStreamsBeginInTurns(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, func(*events.Deps, *token.KeysConfig) {}) + "/api/events"
	var answers sync.WaitGroup
	begin := func(ctx context.Context, user uuid.UUID) (ended chan error) {
		ended = make(chan error, 1)
		signed := i.tokens.Sign(t, jwt.MapClaims{"sub": user.String(), "role": db.RoleAuthenticated})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		require.NoError(t, err)
		req.Header.Set("apikey", tokentest.AnonKey)
		req.Header.Set("Authorization", "Bearer "+signed)
		answers.Go(func() {
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				err = resp.Body.Close()
			}
			ended <- err
		})
		return ended
	}
	const waiting = `select count(*) from pg_stat_activity where datname = current_database()
		and wait_event_type = 'Lock' and query like '%GetEventBounds%'`
	i.AsOwner(t, func(owner *pgx.Conn) {
		tx, err := owner.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "lock table private.event_head")
		require.NoError(t, err)
		for _, user := range []uuid.UUID{i.Viewer, i.Viewer, i.Viewer, i.Editor, i.Editor, i.Owner} {
			begin(t.Context(), user)
		}
		require.Eventually(t, func() bool { return dbtest.Value[int](t, i.DB, waiting) == 2 }, timeout,
			10*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, <-begin(ctx, i.Owner), context.DeadlineExceeded)
		require.Equal(t, 2, dbtest.Value[int](t, i.DB, waiting), "the others wait without a connection")
		require.NoError(t, tx.Rollback(t.Context()))
	})
	answers.Wait()
}

// newAnswer adds an answer to the tenant's project.
func (i *installation) newAnswer(t *testing.T) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, i.DB, `
		insert into answers (project_id, question, mode, claim_id) values ($1, 'Who pays?', 'quick', $2)
		returning id`, i.Project, uuid.New())
}

func TestEventsOfAnAnswer(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := i.serve(t, nil)
	id, other := i.newAnswer(t), i.newAnswer(t)
	path := url + "/api/answer/" + id.String() + "/events"
	s := i.open(t, path, i.Viewer, "", nil)
	begin := s.lastID

	write := func(answer uuid.UUID, ordinal int) {
		i.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text)
			values ($1, $2, $3, 'They do.')`,
			answer, ordinal, i.Project)
	}
	i.Exec(t, `update answers set status = 'reading', progress_total = 3`)
	i.Exec(t, `update answers set title = 'Not an event'`)
	write(other, 7)
	write(id, 0)
	write(id, 1)
	i.Exec(t, `update answers set status = 'answered', result = 'partly', finished_at = now() where id = $1`, id)

	read := func(s *stream) (got []string) {
		for e, open := s.block(); open; e, open = s.block() {
			if e.Type == "" || e.Type == "answer.asked" || e.Type == "ready" {
				continue
			}
			contract.CheckEvent(t, e.raw)
			require.Equal(t, id.String(), e.Data["answerId"], e.Type)
			require.Equal(t, i.Project.String(), e.Data["projectId"])
			require.NotContains(t, string(e.raw), "They do", "no text")
			line := e.Type
			for _, name := range []string{"ordinal", "done", "total", "status", "result"} {
				if value, found := e.Data[name]; found {
					line += fmt.Sprintf(" %s=%v", name, value)
				}
			}
			got = append(got, line)
		}
		return got
	}
	expected := []string{
		"answer.progress done=0 total=3", "answer.sentence ordinal=0", "answer.sentence ordinal=1",
		"answer.finished status=answered result=partly",
	}
	require.Equal(t, expected, read(s), "and then it ends")

	t.Run("a client that was cut off gets the rest, also after the end", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, expected, read(i.open(t, path, i.Viewer, begin, nil)))
	})
	t.Run("a stream of what has ended ends", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, read(i.open(t, path, i.Viewer, "", nil)))
	})
	t.Run("others have no such answer", func(t *testing.T) {
		t.Parallel()
		stranger := i.DB.Tenant(t)
		require.Equal(t, http.StatusNotFound, i.connect(t, path, stranger.Owner, "", nil).status)
		for _, id := range []string{uuid.NewString(), "1"} {
			stream := i.connect(t, url+"/api/answer/"+id+"/events", i.Viewer, "", nil)
			require.Equal(t, http.StatusNotFound, stream.status)
		}
	})
	t.Run("a deleted answer has no more events", func(t *testing.T) {
		t.Parallel()
		s := i.open(t, url+"/api/answer/"+other.String()+"/events", i.Viewer, "", nil)
		i.Exec(t, `delete from answers where id = $1`, other)
		types := s.drain()
		require.Equal(t, "answer.deleted", types[len(types)-1])
	})
}
