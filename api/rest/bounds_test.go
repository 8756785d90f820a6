package rest_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
	"research/api/rest"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
	"research/dev/procmem"
)

// What one caller cannot take of the service.

func TestAnswersHaveAMaximumSize(t *testing.T) {
	t.Parallel()
	e := begin(t, func(cfg *rest.Config, _ *dbtest.DB) { cfg.MaxAnswerBytes = 100_000 })
	persona := dbtest.Value[uuid.UUID](t, e.DB, `insert into personas (project_id, name, description)
		values ($1, 'P', repeat('x', 20000)) returning id`, e.Project)
	e.Exec(t, `insert into hypotheses (project_id, statement, persona_id)
		select $1, 'H' || i, $2 from generate_series(1, 30) i`, e.Project, persona)
	owner := e.as(t, e.Owner)
	const multiplied = "/hypotheses?select=id,personas(description)"
	for _, headers := range [][]string{nil, {"Accept", "text/csv"}, {"Prefer", "count=exact"}} {
		a := owner.get(multiplied, headers...)
		require.Equal(t, http.StatusBadRequest, a.status, "%v: %.200s", headers, a.body)
		require.Equal(t, "PGRSTX03", a.code())
		require.NotContains(t, a.body, "xxx")
	}
	require.Equal(t, http.StatusOK, owner.get(multiplied+"&limit=4").status)
	require.Equal(t, http.StatusOK, owner.do(http.MethodHead, multiplied, "").status)

	a := owner.do(http.MethodPatch, "/hypotheses?category=eq.problem&select=id,personas(description)",
		`{"category": "value"}`, "Prefer", "return=representation")
	require.Equal(t, http.StatusBadRequest, a.status, "%.200s", a.body)
	require.Equal(t, 0, dbtest.Value[int](t, e.DB, `select count(*) from hypotheses where category = 'value'`),
		"a write whose answer is too large is rolled back")

	long := fmt.Sprintf(`{"project_id": %q, "name": "P", "description": "%020001d"}`, e.Project, 0)
	a = owner.do(http.MethodPost, "/personas", long)
	require.Equal(t, http.StatusBadRequest, a.status, a.body)
	require.Equal(t, "23514", a.code())
	require.Contains(t, a.body, "personas_description_length")
}

func TestCostlySelectsAreRejected(t *testing.T) {
	t.Parallel()
	e := begin(t, func(cfg *rest.Config, _ *dbtest.DB) { cfg.MaxCost = 1_000_000 })
	e.Exec(t, `insert into hypotheses (project_id, statement) select $1, 'H' || i from generate_series(1, 30) i`,
		e.Project)
	e.Exec(t, `insert into evidence (project_id, quote) select $1, 'Q' || i from generate_series(1, 300) i`,
		e.Project)
	e.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, project_id)
		select e.id, h.id, e.project_id from evidence e join hypotheses h using (project_id)`)
	e.Exec(t, "analyze")
	owner := e.as(t, e.Owner)
	a := owner.get("/evidence?select=id," +
		"evidence_hypotheses(hypotheses(id,evidence_hypotheses(evidence(id,quote))))")
	require.Equal(t, http.StatusBadRequest, a.status, "%.200s", a.body)
	require.Equal(t, "PGRSTX04", a.code())
	require.NotRegexp(t, `[0-9]{3}`, a.body, "estimates are of all tenants' rows")
	for _, path := range []string{
		"/workspaces?select=*,projects(*,hypotheses(*),personas(*)),workspace_members(*,profiles(*))",
		"/hypotheses?select=*,evidence_hypotheses(*,evidence(*))",
		"/projects?select=*,hypotheses(*,evidence_hypotheses(*,evidence(*)))",
	} {
		a := owner.get(path)
		require.Equal(t, http.StatusOK, a.status, "%s: %.300s", path, a.body)
	}
}

func TestAUserHasAShareOfTheService(t *testing.T) {
	t.Parallel()
	cfg := admission.Config{Slots: 2, WorkspaceSlots: 1, UserRequests: 1, MaxWait: time.Minute}
	e := beginQueue(t, cfg, library(t))
	busy, other := e.as(t, e.Owner), e.as(t, e.Viewer)
	ctx, cancel := context.WithCancel(t.Context())
	slow := make(chan struct{})
	go func() {
		defer close(slow)
		_, _ = busy.try(ctx, http.MethodGet, "/rpc/sleep_readonly?seconds=600", "")
	}()
	require.Eventually(t, func() bool {
		return dbtest.Value[bool](t, e.DB, `select exists (select from pg_stat_activity
			where datname = current_database() and state = 'active' and query ~ 'sleep_readonly'
				and pid <> pg_backend_pid())`)
	}, time.Minute, 10*time.Millisecond)
	a := busy.get("/books")
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	require.Equal(t, "PGRSTX02", a.code(), a.body)
	require.Equal(t, "2", a.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, other.get("/books").status)
	require.Equal(t, http.StatusOK, e.asService(t).get("/books").status)
	cancel()
	<-slow
	require.Eventually(t, func() bool { return busy.get("/books").status == http.StatusOK },
		time.Minute, 10*time.Millisecond)
}

// A client that goes away keeps its slot until PostgreSQL has stopped working for it.
func TestASlotIsHeldUntilTheStatementHasStopped(t *testing.T) {
	t.Parallel()
	cfg := admission.Config{Slots: 1, WorkspaceSlots: 1, UserRequests: 1, MaxWait: time.Minute}
	e := beginQueue(t, cfg, library(t), func(_ *rest.Config, d *dbtest.DB) {
		d.Exec(t, `create function library.working() returns bigint security definer language sql as $$
			select count(*) from pg_stat_activity where datname = current_database() and state = 'active'
				and query like '%"sleep_on"%' and pid <> pg_backend_pid() $$;
			grant execute on function library.working() to authenticated`)
	})
	working := func() int {
		return dbtest.Value[int](t, e.DB, `select library.working()`)
	}
	for _, r := range []wireRequest{
		{method: http.MethodGet}, {method: http.MethodGet, body: "{}"}, {method: http.MethodPost, body: "{}"},
	} {
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			_, _ = e.as(t, e.Owner).try(ctx, r.method, "/rpc/sleep_on", r.body)
		}()
		require.Eventually(t, func() bool { return working() == 1 }, time.Minute, 10*time.Millisecond)
		leave()
		<-left
		a := e.as(t, e.Viewer).do(http.MethodPost, "/rpc/working", "{}")
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, "0", a.body, "%s %s: PostgreSQL still works for the client that went away",
			r.method, r.body)
	}
}

// A request ends before PostgreSQL has made more than a few answers of text, however its lists multiply rows.
func TestAnswersAreBoundedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	e := begin(t, func(cfg *rest.Config, _ *dbtest.DB) { cfg.MaxAnswerBytes = 10 << 20 })
	importID := e.addImport(t, strings.Repeat("receipts ", 200), 40)
	e.Exec(t, `insert into evidence (project_id, quote)
		select $1, repeat(e'\x01', 90000) from generate_series(1, 300)`, e.Project)
	nested := func(levels int) string {
		selected := "ordinal,text"
		for range levels {
			selected = "ordinal,text,imports(id,utterances(" + selected + "))"
		}
		return "/utterances?import_id=eq." + importID.String() + "&select=" + selected
	}
	beside := "/imports?select=id"
	var columns []string
	for i := range 30 {
		beside += fmt.Sprintf(",u%d:utterances(text,imports(id,utterances(text)))", i)
		columns = append(columns, fmt.Sprintf("c%d:quote", i))
	}
	const spread = "/imports?select=id,...utterances(text,imports(utterances(text,imports(utterances(text)))))"
	for name, r := range map[string]wireRequest{
		"lists in lists":     {method: http.MethodGet, path: nested(4)},
		"HEAD":               {method: http.MethodHead, path: nested(4)},
		"lists beside lists": {method: http.MethodGet, path: beside},
		"spread":             {method: http.MethodGet, path: spread},
		"wide rows":          {method: http.MethodGet, path: "/evidence?select=" + strings.Join(columns, ",")},
		"escaped text":       {method: http.MethodGet, path: "/evidence"},
		"within a row":       {method: http.MethodGet, path: "/projects?select=id,evidence(quote)"},
		"what a write returns": {
			method: http.MethodPatch, path: "/evidence?match=eq.manual", body: `{"summary":"s"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := db.Open(t.Context(), db.Config{URL: e.URL, MaxConns: 1, ApplicationName: name})
			require.NoError(t, err)
			t.Cleanup(store.Close)
			handler, err := rest.New(t.Context(),
				rest.Config{Schemas: []string{"public"}, MaxRows: 1000, MaxAnswerBytes: 10 << 20},
				rest.Deps{Store: store, Log: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			ctx := token.With(t.Context(), db.User(e.Owner))
			for _, accept := range []string{"application/json", "text/csv"} {
				req := httptest.NewRequestWithContext(ctx, r.method, r.path, strings.NewReader(r.body))
				req.Header.Set("Accept", accept)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Prefer", "return=representation")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, req)
				require.Equal(t, http.StatusBadRequest, w.Code, accept)
				require.Contains(t, w.Body.String(), "PGRSTX03", accept)
			}
			pid := dbtest.Value[int](t, e.DB, `select pid from pg_stat_activity
				where application_name = $1 and datname = current_database()`, name)
			peakMB, found := procmem.MB(pid, "VmHWM")
			if !found && os.Getenv("TEST_ALL_PROGRAMS") == "" {
				t.Skip("the memory of PostgreSQL is not bounded here: it runs on another machine, or not on Linux")
			}
			require.True(t, found, "PostgreSQL must run on this machine")
			require.Less(t, peakMB, 250.0)
		})
	}
	a := e.as(t, e.Owner).get("/imports?select=id,utterances(ordinal,text)")
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// A brokenBody is a body that there is no memory for.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, brokenBody{} }
func (brokenBody) Close() error             { return nil }
func (brokenBody) Error() string            { return "no memory" }
func (brokenBody) Unavailable() bool        { return true }

func TestABodyWithoutMemoryIsAnsweredWith503(t *testing.T) {
	t.Parallel()
	e := begin(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/personas", nil)
	r.Body = brokenBody{}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	require.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
}
