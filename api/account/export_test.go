package account_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/problem/problemtest"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

// An archive has the lines of each file of an export.
type archive map[string][]map[string]any

// export requires that an export succeeds, and returns it with all of its text.
func (e *edge) export(t *testing.T, access string) (files archive, text string) {
	t.Helper()
	w := e.do(t, "GET", "/api/account/export", access, "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, `attachment; filename="account.zip"`, w.Header().Get("Content-Disposition"))
	content, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	require.NoError(t, err)
	files = archive{}
	for _, entry := range content.File {
		file, err := entry.Open()
		require.NoError(t, err)
		lines, err := io.ReadAll(file)
		require.NoError(t, err)
		text += string(lines)
		files[entry.Name] = nil
		for line := range strings.Lines(string(lines)) {
			var record map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &record), line)
			files[entry.Name] = append(files[entry.Name], record)
		}
	}
	return files, text
}

func TestExportAccount(t *testing.T) {
	t.Parallel()

	t.Run("has what is the user's own", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		h := e.Hypothesis(t, e.Tenant, "Receipts get lost")
		e.Exec(t, "update hypotheses set decided_by = $1, decided_at = now(), status = 'validated' where id = $2",
			e.Editor, h)
		interview := dbtest.Value[uuid.UUID](t, e.DB, `
			insert into imports (project_id, title, filename, format, size_bytes, sha256, created_by)
			values ($1, 'Ada', 'ada.vtt', 'webvtt', 1, 'x', $2) returning id`, e.Project, e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'mine', $2)", e.Project,
			e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, summary, created_by, review, reviewed_by, "+
			"reviewed_at) "+
			"values ($1, 'judged', 'of another', $2, 'accepted', $3, now())", e.Project, e.Owner, e.Editor)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'of another', $2)", e.Project,
			e.Owner)
		e.addFactor(t, e.Editor)
		e.Exec(t, "update auth.mfa_factors set status = 'unverified'")
		e.Exec(t, `
			with c as (
				insert into auth.oauth_clients (registration_type, client_type, token_endpoint_auth_method, client_name,
					redirect_uris, grant_types)
				values ('dynamic', 'public', 'none', 'Assistant', '{}', '{}')
				returning id
			), g as (
				insert into auth.oauth_consents (user_id, client_id, scopes, redirect_host)
				select $1, id, '{email}', 'app.example' from c
			), a as (
				insert into auth.oauth_authorizations (user_id, client_id, redirect_uri, scopes, state, code_challenge,
					expires_at)
				select $1, id, '', '{email}', 'secret of the app', '', now() from c
			)
			insert into auth.sessions (user_id, oauth_client_id, scopes, ip) select $1, id, '{email}', '192.0.2.1'
			from c`, e.Editor)
		secret := tokentest.PersonalToken(t, e.Store, e.Editor, token.ScopeRead)

		files, text := e.export(t, e.signIn(t, e.Editor, 0))
		require.Equal(t, e.Editor.String(), files["account.jsonl"][0]["id"])
		require.Equal(t, "192.0.2.1", files["sessions.jsonl"][0]["ip"])
		require.Len(t, files["sessions.jsonl"], 2)
		require.Contains(t, text, `"scopes": ["email"]`)
		require.Equal(t, "Assistant", files["apps.jsonl"][0]["client_name"])
		require.Equal(t, "pending", files["app_requests.jsonl"][0]["status"])
		require.NotContains(t, text, "secret of the app")
		require.Equal(t, "Test", files["personal_access_tokens.jsonl"][0]["name"])
		require.NotContains(t, text, secret[4:])
		require.Equal(t, "Phone", files["second_factors.jsonl"][0]["friendly_name"])
		require.Equal(t, "editor", files["memberships.jsonl"][0]["role"])
		require.Equal(t, interview.String(), files["imports.jsonl"][0]["id"])
		require.Equal(t, "Receipts get lost", files["decisions.jsonl"][0]["statement"])
		require.Len(t, files["digest_preferences.jsonl"], 1)
		require.Equal(t, "user_exported", files["sign_ins.jsonl"][0]["action"], "the export itself is recorded")
		require.NotEmpty(t, files["audit.jsonl"], "a member was added")
		quotes := map[any]any{}
		for _, row := range files["evidence.jsonl"] {
			quotes[row["quote"]] = row["review"]
		}
		require.Equal(t, map[any]any{"mine": nil, "judged": "accepted"}, quotes)
		require.NotContains(t, text, "of another")
	})

	t.Run("has what the user wrote", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.write(t, e.Editor, `
			insert into hypotheses (project_id, statement, falsified_if)
			values (:project, 'Receipts get lost', 'all are there');
			insert into questions (project_id, text) values (:project, 'Where were they?');
			insert into personas (project_id, name, description, segment)
			values (:project, 'The traveller', 'pays first', 'sales');
			update projects set description = 'About receipts' where id = :project;
			insert into reports (project_id, summary) values (:project, 'What I found');
			insert into themes (project_id, name, memo) values (:project, 'Lost paper', 'Ask about the box');
			insert into comments (theme_id, body) select id, 'Is it paper?' from themes`)
		e.write(t, e.Owner, `
			insert into hypotheses (project_id, statement) values (:project, 'Written by another');
			insert into questions (project_id, text) values (:project, 'Written by another');
			insert into themes (project_id, name) values (:project, 'Named by another');
			insert into comments (theme_id, body) select id, 'Written by another' from themes;
			insert into personas (project_id, name) values (:project, 'Written by another')`)
		h := dbtest.Value[uuid.UUID](t, e.DB, "select id from hypotheses where falsified_if <> ''")
		quote := dbtest.Value[uuid.UUID](t, e.DB,
			"insert into evidence (project_id, quote, created_by) values ($1, 'mine', $2) returning id", e.Project,
			e.Editor)
		e.Exec(t, "insert into evidence_hypotheses (evidence_id, hypothesis_id, project_id, stance) "+
			"values ($1, $2, $3, 'supports')", quote, h, e.Project)
		answer := dbtest.Value[uuid.UUID](t, e.DB, `insert into answers (project_id, question, mode, created_by)
			values ($1, 'Who loses them?', 'quick', $2) returning id`, e.Project, e.Editor)
		e.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text)
			values ($1, 0, $2, 'Travellers do.')`, answer, e.Project)
		e.Exec(t, `insert into answers (project_id, question, mode, created_by)
			values ($1, 'Written by another?', 'quick', $2)`, e.Project, e.Owner)
		e.Exec(t, "insert into finding_shares (project_id, workspace_id, hypothesis_id, expires_at, created_by) "+
			"values ($1, $2, $3, now() + '1 day', $4)", e.Project, e.Workspace, h, e.Editor)

		files, text := e.export(t, e.signIn(t, e.Editor, 0))
		require.Equal(t, "all are there", files["hypotheses.jsonl"][0]["falsified_if"])
		require.Equal(t, "Where were they?", files["questions.jsonl"][0]["text"])
		require.Equal(t, "Who loses them?", files["answers.jsonl"][0]["question"])
		require.Equal(t, []any{map[string]any{"text": "Travellers do.", "people": 0., "quotes": []any{}}},
			files["answers.jsonl"][0]["sentences"])
		require.Equal(t, "pays first", files["personas.jsonl"][0]["description"])
		require.Equal(t, "What I found", files["reports.jsonl"][0]["summary"])
		require.Equal(t, "Ask about the box", files["themes.jsonl"][0]["memo"])
		require.Equal(t, "Is it paper?", files["comments.jsonl"][0]["body"])
		require.Equal(t, "About receipts", files["projects.jsonl"][0]["description"])
		require.NotEmpty(t, files["projects.jsonl"][0]["workspace_name"])
		require.Equal(t, h.String(), files["finding_shares.jsonl"][0]["hypothesis_id"])
		require.Equal(t,
			[]any{map[string]any{"hypothesis_id": h.String(), "stance": "supports", "strength": "medium"}},
			files["evidence.jsonl"][0]["hypotheses"])
		require.NotContains(t, text, "by another")

		files, text = e.export(t, e.signIn(t, e.Viewer, 0))
		require.Empty(t, files["hypotheses.jsonl"])
		require.NotContains(t, text, "Receipts get lost")

		e.Exec(t, "delete from activity_events") // their time is over
		e.Exec(t, "delete from workspace_members where user_id <> $1", e.Owner)
		files, _ = e.export(t, e.signIn(t, e.Owner, 0))
		require.Len(t, files["hypotheses.jsonl"], 2, "nobody else can have it")
		require.Len(t, files["personas.jsonl"], 2)
	})

	t.Run("has no secrets and no addresses of others", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "insert into workspace_invitations (workspace_id, email, role, created_by) "+
			"values ($1, 'invited@example.net', 'viewer', $2)", e.Workspace, e.Owner)
		byAdmin := `{"action": "user_modified", "traits": {"user_id": "` + e.Owner.String() + `"}}`
		e.Exec(t, "insert into auth.audit_log_entries (payload, ip_address) values ($1, '203.0.113.9')", byAdmin)
		own := dbtest.Value[string](t, e.DB, "select email from auth.users where id = $1", e.Owner)
		files, text := e.export(t, e.signIn(t, e.Owner, 0))
		require.Len(t, files["invitations.jsonl"], 1)
		require.NotContains(t, strings.ReplaceAll(text, own, ""), "@example")
		for _, hidden := range []string{"$2a$", "secret\"", "salt", "hash\"", "203.0.113.9"} {
			require.NotContains(t, text, hidden)
		}
	})

	t.Run("has of workspaces what the user may still see", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "insert into evidence (project_id, quote, created_by) values ($1, 'said there', $2)", e.Project,
			e.Editor)
		e.Exec(t, "delete from workspace_members where user_id = $1", e.Editor)
		files, text := e.export(t, e.signIn(t, e.Editor, 0))
		require.Empty(t, files["memberships.jsonl"])
		require.NotContains(t, text, "said there")
	})

	t.Run("has every record once, however many there are", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, "delete from activity_events")
		e.Exec(t, `
			insert into activity_events (workspace_id, actor_id, verb, entity_type, entity_id)
			select $1, $2, 'created', 'evidence', gen_random_uuid()
				from generate_series(1, 1500)`, e.Workspace, e.Editor)
		files, _ := e.export(t, e.signIn(t, e.Editor, 0))
		seen := map[any]bool{}
		for _, row := range files["activity.jsonl"] {
			seen[row["id"]] = true
		}
		require.Len(t, files["activity.jsonl"], 1500)
		require.Len(t, seen, 1500)
	})

	t.Run("runs once at a time for a user", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		slow := &slowReader{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}),
			read: make(chan struct{})}
		access := e.signIn(t, e.Editor, 0)
		request := e.request(t, "GET", "/api/account/export", access, "")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.handler.ServeHTTP(slow, request)
		}()
		<-slow.began
		problemtest.RequireError(t, e.do(t, "GET", "/api/account/export", access, ""), 429, "too_many_exports")
		e.export(t, e.signIn(t, e.Viewer, 0))
		close(slow.read)
		<-ended
		e.export(t, access)
	})

	t.Run("that breaks off is seen to be incomplete", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		request := e.request(t, "GET", "/api/account/export", e.signIn(t, e.Editor, 0), "")
		require.PanicsWithValue(t, http.ErrAbortHandler, func() {
			e.handler.ServeHTTP(&brokenWriter{httptest.NewRecorder()}, request)
		})
		e.export(t, e.signIn(t, e.Editor, 0))
	})
}

// write runs statements about the project as a user.
func (e *edge) write(t *testing.T, user uuid.UUID, statements string) {
	t.Helper()
	var batch db.Batch
	statements = strings.ReplaceAll(statements, ":project", "'"+e.Project.String()+"'")
	for statement := range strings.SplitSeq(statements, ";") {
		batch.Queries = append(batch.Queries, db.Query{SQL: statement})
	}
	_, err := e.Store.Run(t.Context(), db.User(user), batch, func([]db.Rows) (bool, error) { return true, nil })
	require.NoError(t, err)
}

// exported says where the export has what belongs to the user of a column, or why it does not.
var exported = map[string]string{
	"auth.flow_state.user_id":             "a sign-in in progress, for minutes",
	"auth.identities.user_id":             "identities.jsonl",
	"auth.mfa_factors.user_id":            "second_factors.jsonl",
	"auth.mfa_failures.user_id":           "counts wrong codes, for minutes",
	"auth.mfa_recovery_codes.user_id":     "hashes of secrets",
	"auth.notices.user_id":                "mails that wait to be sent",
	"auth.oauth_authorizations.user_id":   "app_requests.jsonl",
	"auth.oauth_consents.user_id":         "apps.jsonl",
	"auth.one_time_tokens.user_id":        "hashes of secrets",
	"auth.personal_access_tokens.user_id": "personal_access_tokens.jsonl",
	"auth.provider_flows.user_id":         "a sign-in in progress, for minutes",
	"auth.refresh_tokens.user_id":         "hashes of secrets",
	"auth.sessions.user_id":               "sessions.jsonl",
	"auth.sign_in_networks.user_id":       "account.jsonl",
	"auth.undo_links.user_id":             "hashes of secrets",
	"auth.users.id":                       "account.jsonl",

	"private.audit_records.actor_id":        "audit.jsonl",
	"private.deleted_imports.deleted_by":    "deletions that can be undone, for a day",
	"private.digest_restore_pauses.user_id": "holds mails back after a restore",
	"private.digest_schedule.user_id":       "when digest_preferences are due",
	"private.events.actor_id":               "the stream of events, for hours",
	"private.idempotency_keys.user_id":      "answers to requests, for a day",
	"private.import_runs.requested_by":      "parses.jsonl",
	"private.invitation_counts.user_id":     "counts invitations of a day",
	"private.presence.user_id":              "who has a view open, for seconds",
	"private.turn_corrections.corrected_by": "what turns were, which belongs to the workspace",
	"private.write_budgets.user_id":         "counts rows, for minutes",
	"private.answer_claims.claimed_by":      "counts questions and proposals of themes, for an hour",

	"public.activity_events.actor_id":         "activity.jsonl",
	"public.answers.created_by":               "answers.jsonl",
	"public.digest_deliveries.user_id":        "digest_deliveries.jsonl",
	"public.digest_preferences.user_id":       "digest_preferences.jsonl",
	"public.evidence.created_by":              "evidence.jsonl",
	"public.evidence.edited_by":               "evidence.jsonl",
	"public.evidence.reviewed_by":             "evidence.jsonl",
	"private.theme_changes.actor":             "activity.jsonl",
	"public.comments.created_by":              "comments.jsonl",
	"public.evidence_themes.created_by":       "evidence.jsonl",
	"public.finding_shares.created_by":        "finding_shares.jsonl",
	"public.hypotheses.decided_by":            "decisions.jsonl",
	"public.hypothesis_decisions.decided_by":  "decisions.jsonl",
	"public.imports.created_by":               "imports.jsonl",
	"public.profiles.id":                      "account.jsonl",
	"public.theme_runs.created_by":            "theme_runs.jsonl",
	"public.themes.created_by":                "themes.jsonl",
	"public.webhook_endpoints.created_by":     "webhooks.jsonl",
	"public.workspace_invitations.created_by": "invitations.jsonl",
	"public.workspace_members.user_id":        "memberships.jsonl",
	"public.workspaces.created_by":            "memberships.jsonl",
}

// Tables in which people write, as their activity says, are exported as well.
var written = map[string]string{
	"project": "projects.jsonl", "persona": "personas.jsonl", "hypothesis": "hypotheses.jsonl",
	"question": "questions.jsonl", "answer": "answers.jsonl", "import": "imports.jsonl",
	"evidence": "evidence.jsonl",
	"report":   "reports.jsonl", "member": "memberships.jsonl", "theme": "themes.jsonl",
	"comment": "comments.jsonl",
}

// A new column that names a user, and a new kind of activity, must be exported, or say why not.
func TestExportIsComplete(t *testing.T) {
	t.Parallel()
	e := setup(t)
	files, _ := e.export(t, e.signIn(t, e.Editor, 0))
	columns := dbtest.Value[[]string](t, e.DB, `
		select array_agg(distinct concat(c.nspname, '.', t.relname, '.', a.attname))
		from pg_attribute a
		join pg_class t on t.oid = a.attrelid and t.relkind in ('r', 'p')
		join pg_namespace c on c.oid = t.relnamespace and c.nspname in ('auth', 'private', 'public')
		where a.atttypid = 'uuid'::regtype and not a.attisdropped and a.attnum > 0 and (
			a.attname ~ '(_by|^user_id|^actor_id)$'
			or (t.relname, a.attname) in (('users', 'id'), ('profiles', 'id'))
			or exists (
				select from pg_constraint f
				where f.conrelid = t.oid and f.contype = 'f' and a.attnum = any (f.conkey)
					and f.confrelid in ('auth.users'::regclass, 'public.profiles'::regclass)))`)
	require.ElementsMatch(t, slices.Collect(maps.Keys(exported)), columns)
	entities := dbtest.Value[string](t, e.DB, `
		select col_description('activity_events'::regclass, attnum) from pg_attribute
		where attrelid = 'activity_events'::regclass and attname = 'entity_type'`)
	kinds := regexp.MustCompile(`\w+`).FindAllString(strings.ReplaceAll(entities, " or ", " "), -1)
	require.ElementsMatch(t, slices.Collect(maps.Keys(written)), kinds)
	for _, in := range []map[string]string{exported, written} {
		for what, file := range in {
			if strings.HasSuffix(file, ".jsonl") {
				require.Contains(t, files, file, what)
			}
		}
	}
}

// A slowReader is a client that reads nothing until read is closed.
type slowReader struct {
	*httptest.ResponseRecorder
	began, read chan struct{}
	blocked     bool
}

func (s *slowReader) Write(p []byte) (int, error) {
	if !s.blocked {
		s.blocked = true
		close(s.began)
		<-s.read
	}
	return s.ResponseRecorder.Write(p)
}

// A brokenWriter is a client that has closed the connection.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (*brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the connection is closed") }
