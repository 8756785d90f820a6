package activities_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/db/dbtest"
)

// Each table has a row that is younger than its retention, and one that is older.
func TestDeleteOldRows(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	d := dbtest.New(t)
	n := d.Tenant(t)
	d.Exec(t, "delete from activity_events")
	d.Exec(t, `
		insert into activity_events (workspace_id, verb, entity_type, entity_id, occurred_at)
		select $1, 'created', 'evidence', gen_random_uuid(), now() - make_interval(days => 100 + age)
		from unnest(array[-1, 1]) age, generate_series(1, 150)`, n.Workspace)
	d.Exec(t, "delete from digest_deliveries")
	d.Exec(t, `
		insert into digest_deliveries (
			user_id, frequency, period, window_start, window_end, expires_at, status, sent_at, reason
		)
		select $1, 'daily', status || age, at, at, at, status::delivery_status, at, 'x'
		from unnest(array['planned', 'sending', 'sent', 'skipped', 'uncertain', 'failed']) status,
			unnest(array[-1, 1]) age,
			lateral (select now() - make_interval(days => 90 + age) as at) x`, n.Owner)
	d.Exec(t, `
		insert into auth.one_time_tokens (user_id, token_type, expires_at)
		select $1, 'recovery', now() - make_interval(days => 7 + age) from unnest(array[-1, 1]) age`, n.Owner)
	d.Exec(t, `
		with s as (
			insert into auth.sessions (user_id, not_after)
			select $1, now() - make_interval(days => 7 + age) from unnest(array[-1, 1, null]) age
			returning id
		)
		insert into auth.refresh_tokens (token_hash, user_id, session_id)
		select sha256(convert_to(s.id::text || k, 'UTF8')), $1, s.id from s, generate_series(1, 200) k`, n.Owner)

	// A token of a session that goes on is old when it was replaced long ago.
	d.Exec(t, `
		with s as (insert into auth.sessions (user_id) values ($1) returning id)
		insert into auth.refresh_tokens (token_hash, user_id, session_id, created_at, revoked, revoked_at)
		select sha256(convert_to('replaced' || n, 'UTF8')), $1, s.id, now() - interval '40 days', days is not null,
			now() - make_interval(days => days)
		from s, unnest(array[31, 29, null]) with ordinality x (days, n)`, n.Owner)

	d.Exec(t, `
		insert into private.idempotency_keys (user_id, key, fingerprint, status, body, expires_at)
		select $1, sha256(age::text::bytea), '', 422, '', now() + make_interval(mins => age)
		from unnest(array[-1, 1]) age`, n.Owner)

	d.Exec(t, `
		with e as (
			insert into webhook_endpoints (workspace_id, url, events) values ($1, 'https://example.com/', '{*}')
			returning id, workspace_id
		)
		insert into webhook_deliveries (
			workspace_id, endpoint_id, event_id, type, status, payload, queue, seq, created_at
		)
		select e.workspace_id, e.id, gen_random_uuid(), 'import.parsed', status, '{}', e.id, 1,
			now() - make_interval(days => 30 + age)
		from e, unnest(array['pending', 'delivered', 'failed']) status, unnest(array[-1, 1]) age`, n.Workspace)

	d.Exec(t, `
		insert into auth.undo_links (user_id, kind, recipient, password_digest, factors, identities,
			signs_in_by_email, expires_at)
		select $1, 'password_changed', 'ada@example.com', '', '[]', '[]', true, now() + make_interval(days => days)
		from unnest(array[-1, 1]) days`, n.Owner)
	d.Exec(t, `
		insert into auth.notices (user_id, kind, recipient, created_at)
		select $1, 'password_changed', 'ada@example.com', now() - make_interval(days => 7 + age)
		from unnest(array[-1, 1]) age`, n.Owner)

	d.Exec(t, `
		insert into private.deleted_imports (
			import_id, workspace_id, project_id, title, stored_bytes, rows, deleted_at
		)
		select gen_random_uuid(), $1, $2, 'x', 1, '{}', now() - make_interval(hours => 24 + age)
		from unnest(array[-1, 1]) age`, n.Workspace, n.Project)

	d.Exec(t, `
		insert into private.theme_changes (workspace_id, project_id, kind, before, after, at)
		select $1, $2, 'add', '{}', '{}', now() - make_interval(hours => 7 * 24 + age)
		from unnest(array[-1, 1]) age`, n.Workspace, n.Project)

	// Apps that registered themselves go when nobody uses them: neither a consent nor a session is left.
	d.Exec(t, `
		with c as (
			insert into auth.oauth_clients (registration_type, metadata_url, client_type, token_endpoint_auth_method,
				client_name, redirect_uris, grant_types, last_used_at)
			select kind, case kind when 'metadata_document' then 'https://example.com/' || use || age end, 'public',
				'none', use, '{}', '{}', now() - make_interval(days => 30 + age)
			from unnest(array['manual', 'dynamic', 'metadata_document']) kind,
				unnest(array['unused', 'allowed', 'connected']) use, unnest(array[-1, 1]) age
			returning id, client_name
		), consents as (
			insert into auth.oauth_consents (user_id, client_id, scopes, redirect_host)
			select $1, id, '{email}', 'app.example' from c where client_name = 'allowed'
		)
		insert into auth.sessions (user_id, oauth_client_id, scopes)
		select $1, id, '{email}' from c where client_name = 'connected'`, n.Owner)
	d.Exec(t, `
		insert into auth.oauth_authorizations (client_id, redirect_uri, scopes, code_challenge, expires_at)
		select id, '', '{}', '', now() - make_interval(hours => 24 + age)
		from auth.oauth_clients, unnest(array[-1, 1]) age where registration_type = 'manual'`)

	d.Exec(t, `
		insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, created_at, expires_at)
		select $1, 'x', sha256(age::text::bytea), '{}', now() - interval '90 days',
			now() - make_interval(hours => 24 + age)
		from unnest(array[-1, 1]) age`, n.Owner)

	acts, err := activities.NewRetention(d.Store, activities.RetentionConfig{
		Activity: 100 * day, Audit: 400 * day, Deliveries: 90 * day, Tokens: 7 * day,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(acts)
	value, err := env.ExecuteActivity(acts.DeleteOldRows, activities.DeleteOldRowsInput{})
	require.NoError(t, err)
	var result activities.DeleteOldRowsResult
	require.NoError(t, value.Get(&result))
	require.Equal(t, activities.DeleteOldRowsResult{
		ActivityEvents: 150, DigestDeliveries: 3, OneTimeTokens: 1 + 1, RefreshTokens: 200 + 1, Sessions: 1,
		IdempotencyKeys: 1, WebhookDeliveries: 2, Notices: 1, DeletedImports: 1,
		Authorizations: 6, OAuthClients: 2, PersonalTokens: 1, ThemeChanges: 1,
	}, result)
	require.Equal(t, 16, dbtest.Value[int](t, d, "select count(*) from auth.oauth_clients"))
	require.Equal(t, 150, dbtest.Value[int](t, d, "select count(*) from activity_events"))
	require.Equal(t, "planned, sending, uncertain", dbtest.Value[string](t, d, `
		select string_agg(status::text, ', ' order by status) from digest_deliveries
		where window_end < now() - interval '90 days'`), "they keep a digest from being sent twice")
	require.Equal(t, 3, dbtest.Value[int](t, d,
		"select count(*) from auth.sessions where oauth_client_id is null"))
	require.Equal(t, 2, dbtest.Value[int](t, d,
		"select count(*) from auth.refresh_tokens where created_at < now() - interval '1 day'"))
}
