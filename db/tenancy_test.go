package db_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// hiddenFromViewers are the tables where a viewer sees own rows only, or none.
var hiddenFromViewers = []string{
	"digest_deliveries", "digest_preferences", "finding_shares", "webhook_deliveries", "webhook_endpoints",
	"workspace_invitations",
}

// readOnly are the tables that no client writes.
var readOnly = []string{
	"utterances", "utterance_questions", "import_hypotheses", "speaker_stances", "activity_events",
	"digest_deliveries", "webhook_deliveries", "hypothesis_decisions", "answer_sentences", "theme_runs",
}

// changedOnly are the tables in which editors change some columns, and add no rows. They delete none but
// answers.
var changedOnly = []string{"imports", "import_speakers", "answers", "answer_quotes"}

func TestTenancy(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	victim, rival := fill(t, d), fill(t, d)
	outsider := d.User(t, "outsider@example.com")

	for _, tb := range servedTables(t, d) {
		row := tb.row(t, d, victim)
		mine := fmt.Sprintf("(x::text like '%%%s%%' or x::text like '%%%s%%')", victim.Workspace, victim.Owner)

		t.Run("another user neither sees nor changes "+tb.name, func(t *testing.T) {
			t.Parallel()
			for name, user := range map[string]uuid.UUID{
				"a user without a workspace": outsider, "another workspace's owner": rival.Owner,
			} {
				c := asUser(t, d, user)
				count := fmt.Sprintf("select count(*) from public.%s x where %s", tb.name, mine)
				require.Zero(t, value[int](t, c, count), name)
				attack(t, c, tb, row, mine, outsider)
			}
		})

		t.Run("a viewer does not change "+tb.name, func(t *testing.T) {
			t.Parallel()
			c := asUser(t, d, victim.Viewer)
			others := mine + fmt.Sprintf(" and x::text not like '%%%s%%'", victim.Viewer)
			if !slices.Contains(hiddenFromViewers, tb.name) {
				count := fmt.Sprintf("select count(*) from public.%s x where %s", tb.name, others)
				require.NotZero(t, value[int](t, c, count))
			}
			attack(t, c, tb, row, others, outsider)
		})

		t.Run("a caller without a token does not reach "+tb.name, func(t *testing.T) {
			t.Parallel()
			c := as(t, d, db.Subject{Role: db.RoleAnon})
			_, err := c.try(t, "select from public."+tb.name)
			require.Equal(t, "42501", state(err))
			attack(t, c, tb, row, "true", outsider)
		})

		t.Run("no mix of keys reaches another workspace through "+tb.name, func(t *testing.T) {
			t.Parallel()
			mixKeys(t, d, tb, rival, tb.row(t, d, rival), row)
		})
	}
}

// attack tries to update each column of the rows that match where, to delete them, and to insert a row like
// one of them.
func attack(t *testing.T, c *caller, tb table, row map[string]any, where string, user uuid.UUID) {
	t.Helper()
	for _, column := range tb.columns {
		sql := fmt.Sprintf("update public.%s x set %[2]s = %[2]s where %[3]s", tb.name, column, where)
		rows, err := c.try(t, sql)
		requireNothing(t, rows, err, sql)
	}
	sql := fmt.Sprintf("delete from public.%s x where %s", tb.name, where)
	rows, err := c.try(t, sql)
	requireNothing(t, rows, err, sql)
	for _, conflict := range []string{"", "on conflict do nothing", tb.merge()} {
		rows, err := c.try(t, tb.put(conflict), row)
		requireNothing(t, rows, err, tb.put(conflict))
	}
	if tb.name == "workspaces" {
		return // every user may create one
	}
	other := map[string]any{}
	switch tb.name {
	case "workspace_members":
		other["user_id"] = user
	case "digest_preferences":
		other["user_id"] = uuid.New()
	case "evidence_hypotheses", "finding_quotes", "evidence_themes":
		other["evidence_id"] = uuid.New()
	}
	rows, err = c.try(t, tb.put(""), with(row, other))
	requireNothing(t, rows, err, "add a row to "+tb.name)
}

// mixKeys inserts and updates rows where some of the keys are another workspace's, in each combination. None
// is accepted, and each error is the same as for ids that do not exist, so that no error reveals whether an
// id exists, or what a transcript says.
func mixKeys(t *testing.T, d *dbtest.DB, tb table, rival filled, own, foreign map[string]any) {
	t.Helper()
	c := asUser(t, d, rival.Owner)
	var keys []string
	for _, k := range tb.uuids {
		if foreign[k] != nil {
			keys = append(keys, k)
		}
	}
	for mask := 1; mask < 1<<len(keys); mask++ {
		theirs, unused := map[string]any{}, map[string]any{}
		stamped := bitsOf(keys, "created_by", "decided_by", "reviewed_by")
		if mask&stamped != 0 && mask&(mask-1) != 0 {
			continue // the database sets these: one at a time suffices
		}
		for i, k := range keys {
			if mask&(1<<i) != 0 {
				theirs[k], unused[k] = foreign[k], uuid.New()
			}
		}
		for _, like := range []map[string]any{own, foreign} { // the texts of either row
			mixed := with(like, nil)
			for _, k := range tb.uuids {
				mixed[k] = own[k]
			}
			said, returned := putReturning(t, c, tb, with(mixed, theirs))
			unknown, _ := putReturning(t, c, tb, with(mixed, unused))
			require.Equal(t, unknown, said, "insert into %s with %v", tb.name, theirs)
			requireNoIDs(t, returned, foreign, keys)
			// The database fills in a missing key.
			if tb.name != "workspaces" {
				delete(mixed, "workspace_id")
				for _, k := range []string{"workspace_id", "project_id"} {
					theirs[k], unused[k] = nil, nil
					said, returned = putReturning(t, c, tb, with(mixed, theirs))
					unknown, _ = putReturning(t, c, tb, with(mixed, unused))
					require.Equal(t, unknown, said, "insert into %s with %v", tb.name, theirs)
					requireNoIDs(t, returned, foreign, keys)
				}
				for i, k := range keys {
					if mask&(1<<i) != 0 {
						theirs[k], unused[k] = foreign[k], uuid.New()
					}
				}
			}
		}
	}
	for _, k := range tb.uuids {
		if foreign[k] == nil {
			continue
		}
		mine := "x::text like '%" + rival.Workspace.String() + "%'"
		sql := fmt.Sprintf("update public.%s x set %s = $1 where %s returning to_jsonb(x)", tb.name, k, mine)
		said, returned := returning(t, c, sql, foreign[k])
		unknown, _ := returning(t, c, sql, uuid.New())
		require.Equal(t, unknown, said, sql)
		requireNoIDs(t, returned, foreign, keys)
	}
}

func putReturning(
	t *testing.T, c *caller, tb table, row map[string]any,
) (said string, returned map[string]any) {
	t.Helper()
	return returning(t, c, tb.put("returning to_jsonb("+tb.name+")"), row)
}

func returning(t *testing.T, c *caller, sql string, args ...any) (said string, returned map[string]any) {
	t.Helper()
	err := c.within(t.Context(), func(tx pgx.Tx) error {
		err := tx.QueryRow(t.Context(), sql, args...).Scan(&returned)
		if err != nil {
			return err
		}
		return errRolledBack
	})
	switch {
	case errors.Is(err, errRolledBack):
		return "accepted", returned
	case state(err) == "":
		require.ErrorIs(t, err, pgx.ErrNoRows)
		return "no rows", nil
	}
	require.NotContains(t, []string{"42601", "42703", "42P01", "42804"}, state(err), err.Error())
	return errorText(err), nil
}

func bitsOf(keys []string, names ...string) (bits int) {
	for i, k := range keys {
		if slices.Contains(names, k) {
			bits |= 1 << i
		}
	}
	return bits
}

func requireNoIDs(t *testing.T, returned, foreign map[string]any, keys []string) {
	t.Helper()
	for _, k := range keys {
		if returned != nil {
			require.NotEqual(t, foreign[k], returned[k], k)
		}
	}
}

// The attacks above would prove nothing if they failed for every user.
func TestEditorsMayWrite(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	c := asUser(t, d, f.Editor)
	for _, tb := range servedTables(t, d) {
		row := tb.row(t, d, f)
		switch tb.name {
		case "workspaces", "workspace_members", "workspace_invitations", "profiles", "digest_preferences",
			"webhook_endpoints", "finding_shares":
			continue // editors may not change these
		}
		writable := !slices.Contains(readOnly, tb.name)
		isChangedOnly := slices.Contains(changedOnly, tb.name)
		for _, column := range tb.columns {
			sql := fmt.Sprintf("update public.%s set %[2]s = %[2]s where %[3]s = $1", tb.name, column, tb.key[0])
			rows, err := c.try(t, sql, row[tb.key[0]])
			if writable && (!isChangedOnly || slices.Contains(tb.update, column)) {
				require.NoError(t, err, column)
				require.NotZero(t, rows, "%s.%s", tb.name, column)
			} else {
				require.Equal(t, "42501", state(err), "%s.%s", tb.name, column)
			}
		}
		if !writable || isChangedOnly {
			continue
		}
		rows, err := c.try(t, fmt.Sprintf("delete from public.%s where %s = $1", tb.name, tb.key[0]),
			row[tb.key[0]])
		require.NoError(t, err, tb.name)
		require.EqualValues(t, 1, rows, tb.name)
		rows, err = c.try(t, tb.put(tb.merge()), row)
		require.NoError(t, err, tb.name)
		require.EqualValues(t, 1, rows, tb.name)
		once := []string{"evidence_hypotheses", "finding_quotes", "reports", "themes", "evidence_themes"}
		if !slices.Contains(once, tb.name) {
			rows, err = c.try(t, tb.put(""), with(row, nil))
			require.NoError(t, err, tb.name)
			require.EqualValues(t, 1, rows, tb.name)
		}
	}
}

func TestAdminsSayWhetherAModelIsAskedAboutSpeakers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	const off = "update workspaces set check_speakers = false"
	const stored = "select check_speakers from workspaces"
	require.NoError(t, asUser(t, d, n.Editor).exec(t, off)) // changes no row
	require.True(t, dbtest.Value[bool](t, d, stored))
	require.NoError(t, asUser(t, d, n.Admin).exec(t, off))
	require.False(t, value[bool](t, asUser(t, d, n.Viewer), stored))
}

func TestMembership(t *testing.T) {
	t.Parallel()

	t.Run("no user can promote or admit themselves", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := d.Tenant(t), d.Tenant(t)
		outsider := d.User(t, "outsider@example.com")
		const (
			update = "update workspace_members set role = $3 where workspace_id = $1 and user_id = $2"
			insert = "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, $3)"
			upsert = insert + ` on conflict (workspace_id, user_id) do update
				set workspace_id = excluded.workspace_id, user_id = excluded.user_id, role = excluded.role`
			remove = "delete from workspace_members where workspace_id = $1 and user_id = $2 and $3::text is not null"
			move   = "update workspace_members set workspace_id = $1, user_id = $2, role = $3 where user_id = $2"
			taken  = "update workspace_members set user_id = $2 where workspace_id = $1 and role = $3"
		)
		for _, c := range []struct {
			who  uuid.UUID
			sql  string
			user uuid.UUID
			role string
		}{
			{f.Viewer, update, f.Viewer, "editor"}, {f.Viewer, upsert, f.Viewer, "owner"},
			{f.Viewer, insert, outsider, "viewer"},
			{f.Viewer, remove, f.Editor, ""}, {f.Viewer, taken, f.Viewer, "owner"},
			{f.Editor, update, f.Editor, "admin"}, {f.Editor, upsert, f.Editor, "owner"},
			{f.Editor, insert, outsider, "viewer"},
			{f.Editor, update, f.Viewer, "editor"}, {f.Editor, remove, f.Viewer, ""},
			{f.Admin, update, f.Admin, "owner"}, {f.Admin, upsert, f.Admin, "owner"},
			{f.Admin, update, f.Owner, "viewer"},
			{f.Admin, upsert, f.Owner, "viewer"}, {f.Admin, remove, f.Owner, ""}, {f.Admin, insert, outsider, "admin"},
			{f.Admin, insert, outsider, "owner"}, {f.Admin, update, f.Editor, "admin"},
			{f.Admin, upsert, f.Editor, "owner"},
			{f.Admin, taken, f.Admin, "owner"}, {f.Admin, taken, outsider, "viewer"},
			{f.Admin, insert, outsider, "viewer"}, {f.Owner, insert, outsider, "viewer"},
			{f.Owner, upsert, outsider, "viewer"}, {f.Owner, upsert, f.Viewer, "editor"},
			{outsider, insert, outsider, "owner"}, {outsider, insert, outsider, "viewer"},
			{outsider, upsert, outsider, "owner"},
			{other.Owner, insert, other.Owner, "owner"}, {other.Owner, upsert, other.Owner, "viewer"},
			{other.Owner, move, other.Owner, "owner"},
			{other.Owner, remove, f.Viewer, ""}, {other.Owner, update, f.Viewer, "owner"},
		} {
			rows, err := asUser(t, d, c.who).try(t, c.sql, f.Workspace, c.user, c.role)
			requireNothing(t, rows, err, c.sql)
		}
	})

	t.Run("owners and admins manage the members below them, and every member may leave", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		admin, owner := asUser(t, d, f.Admin), asUser(t, d, f.Owner)
		fresh := d.User(t, "fresh@example.com")
		d.Exec(t, "insert into workspace_members (workspace_id, user_id) values ($1, $2)", f.Workspace, fresh)
		const update = "update workspace_members set role = $2 where user_id = $1"
		admin.mustExec(t, update, fresh, "editor")
		owner.mustExec(t, update, fresh, "admin")
		owner.mustExec(t, "update workspace_members set role = 'owner' where user_id = $1", fresh)
		asUser(t, d, f.Viewer).mustExec(t, "delete from workspace_members where user_id = $1", f.Viewer)
		owner.mustExec(t, "delete from workspace_members where user_id = $1", f.Owner) // there is another owner now
		require.Equal(t, 3,
			dbtest.Value[int](t, d, "select count(*) from workspace_members where workspace_id = $1", f.Workspace))
	})

	t.Run("the last owner stays", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		owner := asUser(t, d, f.Owner)
		for _, sql := range []string{
			"update workspace_members set role = 'admin' where user_id = $1",
			"delete from workspace_members where user_id = $1",
		} {
			_, err := owner.try(t, sql, f.Owner)
			require.Equal(t, "workspace_members_owner_check", db.Constraint(err))
		}
	})

	t.Run("two owners cannot leave concurrently", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		d.Exec(t, "update workspace_members set role = 'owner' where user_id = $1", f.Admin)
		first, second := asUser(t, d, f.Owner), asUser(t, d, f.Admin)
		outcome := make(chan error, 1)
		err := first.within(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "delete from workspace_members where user_id = $1", f.Owner)
			if err != nil {
				return err
			}
			go func() { outcome <- second.exec(t, "delete from workspace_members where user_id = $1", f.Admin) }()
			d.AwaitLock(t)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, "workspace_members_owner_check", db.Constraint(<-outcome))
	})

	t.Run("a user who inserts a workspace becomes its owner, in one request", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		me, other := d.User(t, "me@example.com"), d.User(t, "other@example.com")
		c := asUser(t, d, me)
		w := struct {
			id, by uuid.UUID
			slug   string
		}{}
		require.NoError(t, c.within(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(),
				`insert into workspaces (name, created_by, created_at) values ('My Company, Ltd.', $1, 'epoch')
					returning id, slug, created_by`,
				other).Scan(&w.id, &w.slug, &w.by)
		}))
		require.Equal(t, me, w.by, "a client cannot choose the creator")
		require.Regexp(t, `^my-company-ltd-[0-9a-f]{6}$`, w.slug)
		require.Equal(t, "owner",
			value[string](t, c, "select role::text from workspace_members where workspace_id = $1 and user_id = $2",
				w.id, me))
		require.Equal(t, 0, value[int](t, asUser(t, d, other), "select count(*) from workspaces"))
		require.Less(t,
			value[float64](t, c, "select extract(epoch from now() - created_at)::float8 from workspaces"), 60.0)
		// The creator does not see it any more after leaving.
		d.Exec(t, "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'owner')", w.id,
			other)
		c.mustExec(t, "delete from workspace_members where user_id = $1", me)
		require.Equal(t, 0, value[int](t, c, "select count(*) from workspaces"))
		// A subject without an account cannot create one.
		require.Equal(t, "23503",
			state(asUser(t, d, uuid.New()).exec(t, "insert into workspaces (name) values ('x')")))
		require.Equal(t, "42501",
			state(as(t, d, db.Subject{Role: db.RoleAuthenticated}).exec(t,
				"insert into workspaces (name) values ('x')")))
	})
}

// Policies know the caller by the same claim as auth.uid(), and fail for none.
func TestCallersWithoutAnID(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	id := n.Viewer.String()
	for claims, isViewer := range map[string]bool{
		`{"sub": "` + id + `"}`:                                        true,
		`{"sub": "` + strings.ToUpper(id) + `"}`:                       true,
		`{"sub": "{` + id + `}"}`:                                      false,
		`{"sub": " ` + id + `"}`:                                       false,
		`{"sub": "` + strings.ReplaceAll(id, "-", "") + `"}`:           false,
		`{"sub": "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"}`:              false,
		`{"sub": "00000000-0000-0000-0000-000000000000"}`:              false,
		`{"sub": "00000000-0000-0000-0000-000000000000` + "\\n" + `"}`: false,
		`{"sub": ""}`:   false,
		`{"sub": null}`: false,
		`{"sub": 1}`:    false,
		`{}`:            false,
	} {
		c := as(t, d, db.Subject{Role: db.RoleAuthenticated, Claims: json.RawMessage(claims)})
		isCaller := value[bool](t, c, "select coalesce(auth.uid() = '"+id+"', false)")
		require.Equal(t, isViewer, isCaller, claims)
		mine := value[int](t, c, "select count(*) from private.my_workspaces()")
		require.Equal(t, isViewer, mine == 1, claims)
	}
}
