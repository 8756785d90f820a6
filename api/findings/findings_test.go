package findings_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/findings"
	"research/api/problem/problemtest"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// An edge is the handler under test, with a workspace that has a hypothesis with a chosen quote.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	hypothesis uuid.UUID
	tokens     *tokentest.Issuer
	handler    http.Handler
	log        bytes.Buffer
}

func setup(t *testing.T) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t)}
	e.Tenant = e.DB.Tenant(t)
	e.hypothesis = e.Hypothesis(t, e.Tenant, "People pay monthly")
	quote := dbtest.Value[uuid.UUID](t, e.DB,
		"insert into evidence (project_id, quote, speaker) values ($1, 'I pay.', 'Ann') returning id", e.Project)
	e.Exec(t, "insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')",
		quote, e.hypothesis)
	e.Exec(t, "insert into finding_quotes (evidence_id, hypothesis_id) values ($1, $2)", quote, e.hypothesis)
	e.tokens = tokentest.New(t, e.Store, token.KeysConfig{})
	handler, err := findings.New(findings.Deps{
		Store: e.Store, Authenticator: e.tokens.Authenticator, Log: slog.New(slog.NewTextHandler(&e.log, nil)),
		PublicURL: "https://research.example", Now: func() time.Time { return time.Unix(1_900_000_000, 0) },
	})
	require.NoError(t, err)
	r := chi.NewRouter()
	r.Mount("/api/findings", handler)
	e.handler = r
	return e
}

// do sends a request, and checks that the answer is documented.
func (e *edge) do(
	t *testing.T, method, path, address, authorization, body string,
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/findings"+path, strings.NewReader(body))
	r.RemoteAddr = address
	if method == http.MethodPost {
		r.Header.Set("apikey", tokentest.AnonKey)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: method, Path: "/api/findings" + path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	return w
}

// share asks for a link as a user.
func (e *edge) share(t *testing.T, user uuid.UUID, body string) *httptest.ResponseRecorder {
	t.Helper()
	return e.do(t, http.MethodPost, "/shares", "192.0.2.7:4000", "Bearer "+e.tokens.AccessToken(t, user), body)
}

type link struct {
	ID, URL, Token string
	ExpiresAt      time.Time
}

// link makes a link to a hypothesis as the editor.
func (e *edge) link(t *testing.T, hypothesis uuid.UUID, more string) (made link) {
	t.Helper()
	w := e.share(t, e.Editor, fmt.Sprintf(`{"hypothesisId": %q%s}`, hypothesis, more))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
	return made
}

// report writes the report of the project, and makes a link to it as the editor.
func (e *edge) report(t *testing.T, more string) (report uuid.UUID, made link) {
	t.Helper()
	report = dbtest.Value[uuid.UUID](t, e.DB, `
		insert into reports (project_id, title, summary, recommendations)
		values ($1, 'What we know', 'People pay.', '<b>Sell it.</b>')
		on conflict (project_id) do update set title = excluded.title returning id`, e.Project)
	w := e.share(t, e.Editor, fmt.Sprintf(`{"reportId": %q%s}`, report, more))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
	return report, made
}

// open reads what a token shows.
func (e *edge) open(t *testing.T, linkToken string) *httptest.ResponseRecorder {
	t.Helper()
	return e.do(t, http.MethodGet, "/shared", "192.0.2.8:4000", "Bearer "+linkToken, "")
}

func TestShare(t *testing.T) {
	t.Parallel()

	t.Run("shows a token of 256 bits once, and stores its hash", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		made := e.link(t, e.hypothesis, "")
		bits, err := base64.RawURLEncoding.DecodeString(made.Token)
		require.NoError(t, err)
		require.Len(t, bits, 32)
		require.WithinDuration(t, time.Now().AddDate(0, 0, 30), made.ExpiresAt, 2*time.Hour)
		require.NotEqual(t, made.Token, e.link(t, e.hypothesis, "").Token)

		address, err := url.Parse(made.URL)
		require.NoError(t, err)
		require.Equal(t, "/shared", address.Path)
		require.Equal(t, made.Token, address.Fragment, "browsers do not send it")

		hash := sha256.Sum256([]byte(made.Token))
		require.Equal(t, made.ID, dbtest.Value[string](t, e.DB,
			"select share_id::text from private.finding_share_tokens where token_hash = $1", hash[:]))
		require.NotContains(t, e.log.String(), made.Token)
	})

	t.Run("is for editors of the workspace", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		body := fmt.Sprintf(`{"hypothesisId": %q}`, e.hypothesis)
		problemtest.RequireError(t, e.share(t, e.Viewer, body), 403, "forbidden")
		problemtest.RequireError(t, e.share(t, e.DB.Tenant(t).Owner, body), 404, "hypothesis_not_found")
		problemtest.RequireError(
			t, e.share(t, e.Editor, fmt.Sprintf(`{"hypothesisId": %q}`, uuid.New())),
			404, "hypothesis_not_found",
		)
		problemtest.RequireError(t, e.do(t, "POST", "/shares", "", "", body), 401, "unauthorized")
		problemtest.RequireError(t, e.do(t, "POST", "/shares", "", "Bearer "+tokentest.ServiceKey, body), 403,
			"forbidden")
		require.Zero(t, dbtest.Value[int](t, e.DB, "select count(*) from finding_shares"))
	})

	t.Run("rejects a body that it does not know", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := fmt.Sprintf(`"hypothesisId": %q`, e.hypothesis)
		for _, body := range []string{
			"", "{", "[]", "null", "{}", `{"hypothesisId": "1"}`, `{"reportId": "1"}`, `{` + id + `, "reportId": "` +
				uuid.NewString() + `"}`, `{` + id + `, "token": "mine"}`, `{` + id + `} {}`,
			`{` + id + `, "expiresInDays": 0}`, `{` + id + `, "expiresInDays": 366}`, `{` + id +
				`, "expiresInDays": 1.5}`,
		} {
			problemtest.RequireError(t, e.share(t, e.Editor, body), 400, "invalid_request")
		}
		problemtest.RequireError(
			t, e.share(t, e.Editor, `{"hypothesisId": "`+strings.Repeat("1", 5000)+`"}`),
			413, "too_large",
		)
	})
}

func TestShared(t *testing.T) {
	t.Parallel()

	t.Run("shows the findings of one hypothesis, and nothing else", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		other := e.Hypothesis(t, e.Tenant, "A secret of the project")
		foreign := e.DB.Tenant(t)
		e.Hypothesis(t, foreign, "A secret of another workspace")
		made := e.link(t, e.hypothesis, "")
		w := e.open(t, made.Token)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Contains(t, w.Body.String(), "People pay monthly")
		require.Contains(t, w.Body.String(), "I pay.")
		for _, hidden := range []string{
			"secret", "Ann", "Project", "Workspace", "@example.com", e.Project.String(), e.Workspace.String(),
			e.Editor.String(), e.hypothesis.String(), other.String(),
		} {
			require.NotContains(t, w.Body.String(), hidden)
		}
		for _, query := range []string{"?hypothesis=", "?hypothesisId=", "?id=eq."} {
			same := e.do(t, http.MethodGet, "/shared"+query+other.String(), "", "Bearer "+made.Token, "")
			require.NotContains(t, same.Body.String(), "secret")
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow",
		} {
			require.Equal(t, want, w.Header().Get(name))
		}
	})

	t.Run("shows names only if the maker of the link chose so", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		require.NotContains(t, e.open(t, e.link(t, e.hypothesis, "").Token).Body.String(), "Ann")
		named := e.open(t, e.link(t, e.hypothesis, `, "showNames": true`).Token)
		require.Contains(t, named.Body.String(), "Ann")
	})

	t.Run("answers the same for every token that does not work", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		expired, revoked, good := e.link(t, e.hypothesis, ""), e.link(t, e.hypothesis, ""), e.link(t, e.hypothesis,
			"")
		e.Exec(t, "update finding_shares set expires_at = now() where id = $1", expired.ID)
		e.Exec(t, "delete from finding_shares where id = $1", revoked.ID)
		hash := sha256.Sum256([]byte(good.Token))
		want := e.open(t, "guess").Body.String()
		for name, wrong := range map[string]string{
			"expired": expired.Token, "revoked": revoked.Token, "empty": "", "cut off": good.Token[1:],
			"longer": good.Token + "A", "padded": good.Token + "=", "the id of the link": good.ID,
			"the hash": base64.RawURLEncoding.EncodeToString(hash[:]), "the hypothesis": e.hypothesis.String(),
			"SQL": "' or true --", "an API key": tokentest.AnonKey, "the secret key": tokentest.ServiceKey,
			"another case": strings.ToUpper(good.Token), "two": good.Token + " " + good.Token,
		} {
			w := e.open(t, wrong)
			problemtest.RequireError(t, w, 404, "link_not_found")
			require.Equal(t, want, w.Body.String(), name)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		}
		for _, wrong := range []string{"", "Basic " + good.Token, good.Token} {
			problemtest.RequireError(t, e.do(t, http.MethodGet, "/shared", "", wrong, ""), 404, "link_not_found")
		}
		problemtest.RequireError(t, e.do(t, http.MethodGet, "/shared?token="+good.Token, "", "", ""), 400,
			"invalid_request")
		require.Equal(t, http.StatusOK, e.open(t, good.Token).Code)
	})

	t.Run("does not serve as an access token", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		made := e.link(t, e.hypothesis, "")
		w := e.do(t, http.MethodPost, "/shares", "", "Bearer "+made.Token,
			fmt.Sprintf(`{"hypothesisId": %q}`, e.hypothesis))
		problemtest.RequireError(t, w, 401, "unauthorized")
	})

	t.Run("is limited for each network", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		made := e.link(t, e.hypothesis, "")
		from := func(address string) *httptest.ResponseRecorder {
			return e.do(t, http.MethodGet, "/shared", address, "Bearer "+made.Token, "")
		}
		for i := range 60 {
			require.Equal(t, http.StatusOK, from(fmt.Sprintf("[2001:db8::%x]:1", i+1)).Code)
		}
		w := from("[2001:db8::ffff]:1")
		problemtest.RequireError(t, w, 429, "too_many_requests")
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.Equal(t, http.StatusOK, from("[2001:db8:0:1::1]:1").Code)
		require.Equal(t, http.StatusOK, from("192.0.2.1:1").Code)
	})

	t.Run("rejects findings that are too large", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		made := e.link(t, e.hypothesis, "")
		e.addLargeQuotes(t)
		problemtest.RequireError(t, e.open(t, made.Token), 422, "findings_too_large")
		e.Exec(t, `delete from finding_quotes where evidence_id in (
			select evidence_id from finding_quotes order by evidence_id limit 3)`)
		require.Equal(t, http.StatusOK, e.open(t, made.Token).Code)
	})

	t.Run("ends a statement that takes too long, and leaves the others their connections", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		made := e.link(t, e.hypothesis, "")
		e.AsOwner(t, func(owner *pgx.Conn) {
			tx, err := owner.Begin(t.Context())
			require.NoError(t, err)
			defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
			_, err = tx.Exec(t.Context(), "lock table finding_shares")
			require.NoError(t, err)
			const networks = 6
			answers := make(chan int, networks)
			for i := range networks {
				go func() {
					r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/findings/shared", nil)
					r.RemoteAddr = fmt.Sprintf("192.0.2.%d:4000", i+1)
					r.Header.Set("Authorization", "Bearer "+made.Token)
					w := httptest.NewRecorder()
					e.handler.ServeHTTP(w, r)
					answers <- w.Code
				}()
			}
			e.AwaitLock(t)
			for range networks {
				require.Contains(t, []int{429, 503}, <-answers)
				waiting, err := dbtest.Try[int](t.Context(), e.DB, `select count(*) from pg_stat_activity
					where datname = current_database() and wait_event_type = 'Lock'`)
				require.NoError(t, err)
				require.LessOrEqual(t, waiting, 2)
			}
		})
		require.Equal(t, http.StatusOK, e.open(t, made.Token).Code)
	})
}

func TestSharedReport(t *testing.T) {
	t.Parallel()

	t.Run("shows the texts and the findings that the report has, and nothing else", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		second := e.Hypothesis(t, e.Tenant, "People stay")
		other := e.Hypothesis(t, e.Tenant, "A secret of the project")
		foreign := e.DB.Tenant(t)
		secret := e.Hypothesis(t, foreign, "A secret of another workspace")
		report, made := e.report(t, "")
		e.Exec(t, "update reports set hypothesis_ids = $1", []uuid.UUID{second, secret, e.hypothesis})
		w := e.open(t, made.Token)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		var body struct {
			Report struct {
				Title, Summary, Recommendations string
				Findings                        []struct{ Statement string }
			}
			Findings json.RawMessage
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
		require.Equal(t, "What we know", body.Report.Title)
		require.Equal(t, "People pay.", body.Report.Summary)
		require.Equal(t, "<b>Sell it.</b>", body.Report.Recommendations)
		require.Len(t, body.Report.Findings, 2)
		require.Equal(t, "People stay", body.Report.Findings[0].Statement)
		require.Equal(t, "People pay monthly", body.Report.Findings[1].Statement)
		require.Nil(t, body.Findings)
		for _, hidden := range []string{
			"secret", "Ann", "Workspace", "@example.com", e.Project.String(), e.Workspace.String(), e.Editor.String(),
			e.hypothesis.String(), second.String(), other.String(), report.String(), "updated_at",
		} {
			require.NotContains(t, w.Body.String(), hidden)
		}
		_, named := e.report(t, `, "showNames": true`)
		require.Contains(t, e.open(t, named.Token).Body.String(), "Ann")
	})

	t.Run("is made by editors of the workspace", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		report, made := e.report(t, "")
		body := fmt.Sprintf(`{"reportId": %q}`, report)
		problemtest.RequireError(t, e.share(t, e.Viewer, body), 403, "forbidden")
		problemtest.RequireError(t, e.share(t, e.DB.Tenant(t).Owner, body), 404, "report_not_found")
		problemtest.RequireError(t, e.share(t, e.Editor, fmt.Sprintf(`{"reportId": %q}`, e.hypothesis)), 404,
			"report_not_found")
		problemtest.RequireError(t, e.share(t, e.Editor, fmt.Sprintf(`{"hypothesisId": %q}`, report)), 404,
			"hypothesis_not_found")
		require.Equal(t, made.ID, dbtest.Value[string](t, e.DB,
			"select string_agg(id::text, ' ') from finding_shares where report_id = $1", report))
	})

	for name, end := range map[string]string{
		"expires":                        "update finding_shares set expires_at = now()",
		"is revoked":                     "delete from finding_shares",
		"ends with the report":           "delete from reports",
		"ends with the project":          "delete from projects",
		"ends when its maker leaves":     "delete from workspace_members where role = 'editor'",
		"ends when its maker only reads": "update workspace_members set role = 'viewer' where role = 'editor'",
		"ends when its maker is banned":  "update auth.users set banned_until = now() + interval '1 day'",
		"ends with its marked workspace": "insert into private.deletions (id, kind) " +
			"select id, 'workspace' from workspaces",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			_, made := e.report(t, "")
			require.Equal(t, http.StatusOK, e.open(t, made.Token).Code)
			e.Exec(t, end)
			problemtest.RequireError(t, e.open(t, made.Token), 404, "link_not_found")
		})
	}

	t.Run("outlives a hypothesis, without its findings", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, made := e.report(t, "")
		e.Exec(t, "update reports set hypothesis_ids = $1", []uuid.UUID{e.hypothesis})
		e.Exec(t, "delete from hypotheses")
		w := e.open(t, made.Token)
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), `"findings":[]`)
	})

	t.Run("is rejected if it is too large", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, made := e.report(t, "")
		e.addLargeQuotes(t)
		problemtest.RequireError(t, e.open(t, made.Token), 422, "findings_too_large")
	})
}

// addLargeQuotes adds eleven quotes of 100 kB each to the findings of the hypothesis.
func (e *edge) addLargeQuotes(t *testing.T) {
	t.Helper()
	e.Exec(t, `with quotes as (
			insert into evidence (project_id, quote) select $1, repeat('x', 100000) from generate_series(1, 11)
			returning id),
		linked as (
			insert into evidence_hypotheses (evidence_id, hypothesis_id, project_id, stance)
			select id, $2, $1, 'supports' from quotes returning evidence_id, hypothesis_id)
		select`, e.Project, e.hypothesis)
	e.Exec(t, `insert into finding_quotes (evidence_id, hypothesis_id)
		select evidence_id, hypothesis_id from evidence_hypotheses on conflict do nothing`)
}
