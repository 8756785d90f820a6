package db_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// mentions returns the number of rows that contain an id, for each table that has such rows.
func mentions(t *testing.T, d *dbtest.DB, id uuid.UUID) map[string]int {
	t.Helper()
	found := map[string]int{}
	d.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `select c.oid::regclass::text from pg_class c where c.relkind = 'r'
			and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace)`)
		require.NoError(t, err)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for _, name := range names {
			var n int
			require.NoError(t,
				c.QueryRow(t.Context(), "select count(*) from "+name+" x where x::text like $1",
					"%"+id.String()+"%").Scan(&n))
			if n > 0 {
				found[name] = n
			}
		}
	})
	return found
}

// fillRuns adds the rows of a parsed import to the tables that are not served.
func fillRuns(t *testing.T, d *dbtest.DB, f filled) {
	t.Helper()
	d.Exec(t, "insert into private.chunk_responses (key, import_id, response) values ('\\x00', $1, '{}')",
		f.Import)
	d.Exec(t,
		`insert into private.import_chunks (
			import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end
		)
		values ($1, gen_random_uuid(), 0, 0, 1, 0, 1)`, f.Import)
}

// removeMarked removes everything that is marked deleted, as the workflow does, in batches of that size.
func removeMarked(t *testing.T, d *dbtest.DB, most int32) {
	t.Helper()
	require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) error {
		for {
			next, err := q.TakeDeletion(t.Context())
			if errors.Is(err, db.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			batch := db.RemoveBatchRow{Step: 1}
			for batch.Step != 0 {
				batch, err = q.RemoveBatch(t.Context(), db.RemoveBatchParams{ID: next.ID, Most: most})
				if err != nil {
					return err
				}
				require.LessOrEqual(t, batch.Removed, int64(most))
			}
		}
	}))
}

func TestDeletion(t *testing.T) {
	t.Parallel()

	t.Run("of a workspace deletes all of it, and nothing else", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := fill(t, d), fill(t, d)
		fillRuns(t, d, f)
		before := mentions(t, d, other.Workspace)
		for _, who := range []uuid.UUID{f.Admin, f.Editor, f.Viewer, other.Owner} {
			rows, err := asUser(t, d, who).try(t, "delete from workspaces where id = $1", f.Workspace)
			requireNothing(t, rows, err, "only owners may delete a workspace")
		}
		asUser(t, d, f.Owner).mustExec(t, "delete from workspaces where id = $1", f.Workspace)
		removeMarked(t, d, 1)
		for _, id := range []uuid.UUID{f.Workspace, f.Project, f.Import, f.Hypothesis, f.Evidence} {
			require.Empty(t, mentions(t, d, id))
		}
		require.Equal(t, before, mentions(t, d, other.Workspace))
	})

	t.Run("of a project keeps its workspace and one event", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		fillRuns(t, d, f)
		asUser(t, d, f.Editor).mustExec(t, "delete from projects where id = $1", f.Project)
		require.Equal(t, map[string]int{"activity_events": 1, "private.audit_records": 1, "private.events": 1},
			mentions(t, d, f.Project))
		for _, id := range []uuid.UUID{f.Import, f.Hypothesis, f.Evidence, f.Persona, f.Question} {
			require.Empty(t, mentions(t, d, id))
		}
	})

	t.Run("of a persona keeps what referred to it", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		asUser(t, d, f.Editor).mustExec(t, "delete from personas where id = $1", f.Persona)
		require.Equal(t, 3, dbtest.Value[int](t, d, `
			select (select count(*) from hypotheses where persona_id is null)
				+ (select count(*) from questions where persona_id is null)
				+ (select count(*) from imports where persona_id is null)`))
	})

	t.Run("of evidence keeps the question that it answered", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		asUser(t, d, f.Editor).mustExec(t, "delete from evidence where id = $1", f.Evidence)
		d.Exec(t, "delete from private.events") // which expire
		require.Equal(t, map[string]int{"activity_events": 2, "private.audit_records": 1},
			mentions(t, d, f.Evidence))
		require.True(t,
			dbtest.Value[bool](t, d, "select answer_evidence_id is null from questions where id = $1", f.Question))
	})

	t.Run("of an import deletes its evidence and the rows that are not served", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		fillRuns(t, d, f)
		as(t, d, db.Subject{Role: db.RoleService}).mustExec(t, "delete from imports where id = $1", f.Import)
		d.Exec(t, "delete from private.events") // which expire
		left := mentions(t, d, f.Import)
		require.Len(t, left, 1, "%v", left)
		require.Contains(t, left, "activity_events")
	})

	t.Run("of an import by an editor counts its rows, and leaves one event and one record", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		fillRuns(t, d, f)
		remove := "select concat_ws(' ', evidence, utterances) from private.delete_import($1)"
		for _, who := range []uuid.UUID{f.Viewer, d.User(t, "outsider@example.com")} {
			_, err := asUser(t, d, who).try(t, remove, f.Import)
			require.Equal(t, "42501", state(err))
		}
		d.Exec(t, "delete from activity_events")
		require.Equal(t, "1 2", value[string](t, asUser(t, d, f.Editor), remove, f.Import))
		left := mentions(t, d, f.Import)
		delete(left, "private.events") // what was announced stays until its time is up
		require.Equal(t, map[string]int{"activity_events": 1, "private.audit_records": 1}, left)
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from evidence where id = $1", f.Evidence))
		require.Equal(t, []string{"deleted import"}, dbtest.Value[[]string](t, d,
			"select array_agg(verb || ' ' || entity_type) from activity_events where entity_type <> 'question'"))
	})

	t.Run("of all accounts deletes everything", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		d.Exec(t, "delete from auth.users")
		removeMarked(t, d, 100)
		require.Empty(t, mentions(t, d, f.Workspace))
	})

	t.Run("of an account keeps what it created, without its name", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		c := asUser(t, d, f.Editor)
		c.mustExec(t, "update hypotheses set status = 'validated' where id = $1", f.Hypothesis)
		c.mustExec(t, "update evidence set review = 'accepted' where id = $1", f.Evidence)
		mine := value[uuid.UUID](t, c,
			"insert into evidence (project_id, quote) values ($1, 'said so') returning id", f.Project)
		d.Exec(t, "insert into auth.sessions (user_id) values ($1)", f.Editor)
		d.Exec(t, "delete from activity_events")
		d.Exec(t, "delete from private.events")
		as(t, d, db.Subject{Role: db.RoleService}).mustExec(t, "delete from auth.users where id = $1", f.Editor)
		require.Equal(t, map[string]int{"activity_events": 1, "private.events": 1}, mentions(t, d, f.Editor),
			"only the event that the member left")
		require.Equal(t, 1, dbtest.Value[int](t, d, "select count(*) from activity_events"),
			"the deletion of an account does not change what it created")
		require.Equal(t, 1,
			dbtest.Value[int](t, d, "select count(*) from evidence where id = $1 and created_by is null", mine))
		require.Equal(t, "validated",
			dbtest.Value[string](t, d, "select status::text from hypotheses where id = $1", f.Hypothesis))
	})

	t.Run("of the account of the last owner makes another member owner", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		d.Exec(t, "delete from auth.users where id = $1", f.Owner)
		require.Equal(t, "owner",
			dbtest.Value[string](t, d, "select role::text from workspace_members where user_id = $1",
				f.Admin), "the member with the highest role")
		d.Exec(t, "delete from auth.users where id in ($1, $2)", f.Admin, f.Editor)
		require.Equal(t, "owner",
			dbtest.Value[string](t, d, "select role::text from workspace_members where user_id = $1", f.Viewer))
		d.Exec(t, "delete from auth.users where id = $1", f.Viewer)
		removeMarked(t, d, 100)
		require.Empty(t, mentions(t, d, f.Workspace), "a workspace without members is deleted")
	})
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)

	t.Run("a user that SQL inserted with three columns has a profile and a preference", func(t *testing.T) {
		t.Parallel()
		id := uuid.New()
		d.Exec(t,
			"insert into auth.users (id, email, encrypted_password) values ($1, 'ada@example.com', '$2a$10$x')", id)
		c := asUser(t, d, id)
		require.Equal(t, "ada|ada@example.com",
			value[string](t, c, "select display_name || '|' || email from profiles where id = $1", id))
		require.Equal(t, "weekly|UTC|8|1",
			value[string](t, c, "select concat_ws('|', frequency, timezone, hour, weekday) from digest_preferences"))
		d.Exec(t, "update auth.users set email = 'ada@new.example.com' where id = $1", id)
		require.Equal(t, "ada@new.example.com", value[string](t, c, "select email from profiles"))
		require.Equal(t, "23505",
			state(as(t, d, db.Subject{Role: db.RoleService}).exec(t,
				"insert into auth.users (email) values ('ADA@new.example.com')")),
			"an address belongs to one account, however it is capitalized")
	})

	t.Run("rows of Supabase's dumps can be inserted", func(t *testing.T) {
		t.Parallel()
		// In the format of pg_dump --data-only --column-inserts: all columns except generated ones.
		d.Exec(t,
			`INSERT INTO auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
			invited_at, confirmation_token, confirmation_sent_at,
			recovery_token, recovery_sent_at, email_change_token_new, email_change, email_change_sent_at,
			last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin,
			created_at, updated_at, phone, phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at,
			email_change_token_current, email_change_confirm_status,
			banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous)
			VALUES ('00000000-0000-0000-0000-000000000000', '8d5f0a34-5b0a-4d5c-9b51-0d3c0f5a7f10', 'authenticated',
			'authenticated', 'grace@example.com',
			'$2a$10$PTUyUSQtJQlUrmNzFpx2TeaGBOaPhPnsDyM4PRUwU1dJhKpWZ2EXK', '2024-05-01 10:00:00.123456+00', NULL, '',
			NULL, '', NULL, '', '', NULL, '2024-06-01 08:30:00+00',
			'{"provider": "email", "providers": ["email"]}', '{"full_name": "Grace Hopper", "email_verified": true}',
			NULL, '2024-05-01 10:00:00+00', '2024-06-01 08:30:00+00',
			NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false)`)
		d.Exec(t,
			`INSERT INTO auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at,
			updated_at, id)
			VALUES ('8d5f0a34-5b0a-4d5c-9b51-0d3c0f5a7f10', '8d5f0a34-5b0a-4d5c-9b51-0d3c0f5a7f10',
			'{"sub": "8d5f0a34-5b0a-4d5c-9b51-0d3c0f5a7f10", "email": "Grace@example.com", "email_verified": false}',
			'email', '2024-05-01 10:00:00+00', '2024-05-01 10:00:00+00',
			'2024-05-01 10:00:00+00', 'a2f7dd7e-0a8a-4f0f-9a53-6b3a2f0b8f3e')`)
		require.Equal(t, "Grace Hopper",
			dbtest.Value[string](t, d, "select display_name from profiles where email = 'grace@example.com'"))
		require.Equal(t, "grace@example.com",
			dbtest.Value[string](t, d,
				"select email from auth.identities where user_id = '8d5f0a34-5b0a-4d5c-9b51-0d3c0f5a7f10'"))
	})

	t.Run("unusual metadata gives a usual profile", func(t *testing.T) {
		t.Parallel()
		for _, meta := range []string{
			`null`, `[]`, `"x"`, `{"full_name": null}`, `{"full_name": {"a": 1}}`, `{"display_name": ""}`,
		} {
			id := uuid.New()
			d.Exec(t, "insert into auth.users (id, email, raw_user_meta_data) values ($1, $2, $3)", id,
				id.String()+"@example.com", meta)
			require.Equal(t, 1, dbtest.Value[int](t, d, "select count(*) from profiles where id = $1", id))
		}
		id := uuid.New()
		d.Exec(t,
			`insert into auth.users (id, raw_user_meta_data)
			values ($1, jsonb_build_object('name', repeat('é', 5000)))`, id)
		require.Equal(t, 200,
			dbtest.Value[int](t, d, "select length(display_name) from profiles where id = $1", id))
	})
}
