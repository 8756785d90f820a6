package db_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestStamps(t *testing.T) {
	t.Parallel()

	t.Run("created_at and updated_at are set by the database", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		owner := asUser(t, d, f.Owner)
		tried := 0
		for _, tb := range servedTables(t, d) {
			row, owner := tb.row(t, d, f), owner
			if tb.name == "comments" { // whose author alone changes them
				owner = asUser(t, d, f.Editor)
			}
			for _, column := range []string{"created_at", "updated_at"} {
				sql := fmt.Sprintf("update public.%s x set %s = 'epoch' where %s = $1 returning created_at, updated_at",
					tb.name, column, tb.key[0])
				var created, updated time.Time
				err := owner.within(t.Context(), func(tx pgx.Tx) error {
					if err := tx.QueryRow(t.Context(), sql, row[tb.key[0]]).Scan(&created, &updated); err != nil {
						return err
					}
					return errRolledBack
				})
				if state(err) == "42501" {
					continue
				}
				require.ErrorIs(t, err, errRolledBack, sql)
				require.WithinDuration(t, time.Now(), created, time.Hour, sql)
				require.WithinDuration(t, time.Now(), updated, time.Hour, sql)
				tried++
			}
			insert, err := owner.try(t, tb.put(""),
				with(row, map[string]any{"created_at": "1970-01-01T00:00:00Z", "updated_at": "2970-01-01T00:00:00Z"}))
			if err == nil {
				require.EqualValues(t, 1, insert)
				said, returned := putReturning(t, owner, tb,
					with(row, map[string]any{"created_at": "1970-01-01T00:00:00Z", "updated_at": "2970-01-01T00:00:00Z"}))
				require.Equal(t, "accepted", said)
				for _, column := range []string{"created_at", "updated_at"} {
					at, err := time.Parse(time.RFC3339Nano, returned[column].(string))
					require.NoError(t, err)
					require.WithinDuration(t, time.Now(), at, time.Hour, tb.name)
				}
				tried++
			}
		}
		require.Greater(t, tried, 10)
	})

	t.Run("what a person enters is marked as human", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		c := asUser(t, d, f.Editor)
		const forge = `
			insert into evidence (
				project_id, quote, origin, match, confidence, model, prompt_version,
				review, reviewed_by, reviewed_at, edited_at, created_by
			)
			values ($1, 'said on the phone', 'ai', 'repaired', 0.3, 'gpt', 'v1', $2, $3, 'epoch', 'epoch', $3)
			returning id`
		id := value[uuid.UUID](t, c, forge, f.Project, "suggested", f.Owner)
		require.Equal(t, "human|manual|1||||"+f.Editor.String(), dbtest.Value[string](t, d,
			`select concat(origin, '|', match, '|', confidence, '|', model, '|', reviewed_by, '|', edited_at, '|',
				created_by) from evidence where id = $1`, id))
		id = value[uuid.UUID](t, c, forge, f.Project, "accepted", f.Owner)
		require.True(t,
			dbtest.Value[bool](t, d,
				`select reviewed_by = $2 and reviewed_at > now() - interval '1 hour' from evidence where id = $1`, id,
				f.Editor))

		// A person may say that a quote was corrected to the words of the transcript, and nothing else of it.
		for said, stored := range map[string]string{
			"verbatim": "verbatim", "repaired": "repaired", "manual": "verbatim",
		} {
			at := strings.Index(body, quote)
			require.Equal(t, stored, value[string](t, c, `
				insert into evidence (project_id, import_id, quote, byte_start, byte_end, match)
				values ($1, $2, $3, $4, $5, $6::evidence_match) returning match::text`,
				f.Project, f.Import, quote, at, at+len(quote), said))
		}

		id = value[uuid.UUID](t, c,
			"insert into questions (project_id, text, origin) values ($1, 'Why?', 'ai') returning id", f.Project)
		c.mustExec(t, "update questions set origin = 'ai' where id = $1", id)
		require.Equal(t, "human",
			dbtest.Value[string](t, d, "select origin::text from questions where id = $1", id))
	})

	t.Run("a review names its reviewer, and an edit is marked", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		c := asUser(t, d, f.Editor)
		edited := func() bool {
			return dbtest.Value[bool](t, d, "select edited_at is not null from evidence where id = $1", f.Evidence)
		}
		c.mustExec(t,
			`update evidence set review = 'accepted', reviewed_by = $2, reviewed_at = 'epoch', edited_at = 'epoch',
				created_by = $2, confidence = 0 where id = $1`, f.Evidence, f.Viewer)
		require.True(t,
			dbtest.Value[bool](t, d,
				`select reviewed_by = $2 and reviewed_at > 'epoch' and created_by = $3 and confidence = 1
					and origin = 'ai' from evidence where id = $1`,
				f.Evidence, f.Editor, f.Owner))
		require.False(t, edited(), "a review is not an edit")
		asUser(t, d, f.Admin).mustExec(t, "update evidence set reviewed_by = $2, review = 'accepted' where id = $1",
			f.Evidence, f.Admin)
		require.Equal(t, f.Editor,
			dbtest.Value[uuid.UUID](t, d, "select reviewed_by from evidence where id = $1", f.Evidence))

		again := func() { d.Exec(t, "update evidence set edited_at = null where id = $1", f.Evidence) }
		other := d.Hypothesis(t, f.Tenant, "People pay yearly")
		require.False(t, edited(), "a change by the service is not an edit")
		for _, sql := range []string{
			"update evidence set summary = 'mine' where id = $1",
			"update evidence_hypotheses set stance = 'contradicts' where evidence_id = $1",
			"insert into evidence_hypotheses (evidence_id, hypothesis_id) values ($1, '" + other.String() + "')",
			"delete from evidence_hypotheses where evidence_id = $1 and hypothesis_id = '" + other.String() + "'",
		} {
			again()
			c.mustExec(t, sql, f.Evidence)
			require.True(t, edited(), sql)
		}
		again()
		require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) error {
			return q.UpsertEvidenceHypotheses(t.Context(), db.UpsertEvidenceHypothesesParams{
				EvidenceIds: []uuid.UUID{f.Evidence}, HypothesisIds: []uuid.UUID{other},
				Stances: []string{"supports"}, Strengths: []string{"weak"},
			})
		}))
		c.mustExec(t, "delete from hypotheses where id = $1", other)
		require.False(t, edited(),
			"links of the service and deleted hypotheses are not edits of the evidence")
	})

	t.Run("a decision names the person who made it", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		c := asUser(t, d, f.Editor)
		c.mustExec(t,
			"update hypotheses set status = 'validated', decided_by = $2, decided_at = 'epoch' where id = $1",
			f.Hypothesis, f.Owner)
		require.True(t,
			dbtest.Value[bool](t, d, "select decided_by = $2 and decided_at > 'epoch' from hypotheses where id = $1",
				f.Hypothesis, f.Editor))
		asUser(t, d, f.Admin).mustExec(t,
			"update hypotheses set decision_reason = 'x', decided_by = $2 where id = $1", f.Hypothesis, f.Admin)
		require.Equal(t, f.Editor,
			dbtest.Value[uuid.UUID](t, d, "select decided_by from hypotheses where id = $1", f.Hypothesis))
	})

	t.Run("rows keep their project and their keys", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		second := dbtest.Value[uuid.UUID](t, d,
			"insert into projects (workspace_id, name) values ($1, 'Second') returning id", f.Workspace)
		mine := value[uuid.UUID](t, asUser(t, d, f.Owner),
			"insert into workspaces (name) values ('Mine') returning id")
		c := asUser(t, d, f.Owner)
		for _, x := range []struct {
			sql        string
			to         uuid.UUID
			constraint string
		}{
			{"update projects set workspace_id = $1 where workspace_id = '" + f.Workspace.String() + "'", mine,
				"projects_workspace_kept"},
			{"update hypotheses set project_id = $1", second, "hypotheses_project_kept"},
			{"update evidence set workspace_id = $1", mine, "evidence_project_kept"},
			{"update evidence set import_id = $1", uuid.New(), "evidence_import_kept"},
			{"update evidence_hypotheses set project_id = $1", second, "evidence_hypotheses_hypothesis_id_fkey"},
			{"update questions set id = $1", uuid.New(), "questions_key_kept"},
			{"update workspaces set id = $1 where id <> '" + mine.String() + "'", uuid.New(), "workspaces_key_kept"},
			{"update profiles set id = $1", f.Editor, "profiles_key_kept"},
			{"update workspace_members set user_id = $1 where role = 'viewer'", f.Owner, "workspace_members_key_kept"},
			{"update digest_preferences set user_id = $1", f.Editor, ""},
		} {
			_, err := c.try(t, x.sql, x.to)
			require.Error(t, err, x.sql)
			require.Equal(t, x.constraint, db.Constraint(err), x.sql)
		}
	})

	t.Run("a user's own row can be upserted", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		c := asUser(t, d, f.Viewer)
		c.mustExec(t,
			`insert into profiles (id, display_name) values ($1, 'Vera') on conflict (id) do update
				set id = excluded.id, display_name = excluded.display_name`, f.Viewer)
		require.Equal(t, "Vera",
			value[string](t, asUser(t, d, f.Owner), "select display_name from profiles where id = $1", f.Viewer))
		require.Equal(t, "42501",
			state(c.exec(t, "update profiles set email = 'x@example.com' where id = $1", f.Viewer)))
		c.mustExec(t, `insert into digest_preferences (user_id, timezone) values ($1, 'europe/berlin')
			on conflict (user_id) do update set user_id = excluded.user_id, timezone = excluded.timezone`, f.Viewer)
		require.Equal(t, "Europe/Berlin", value[string](t, c, "select timezone from digest_preferences"))
		for _, zone := range []string{"CEST", "Mars/Olympus", "<+03>-3", "posix/Europe/Berlin", "localtime", ""} {
			require.Equal(t, "digest_preferences_timezone_check",
				db.Constraint(c.exec(t, "update digest_preferences set timezone = $1", zone)), zone)
		}
	})
}

func TestActivity(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	c := asUser(t, d, f.Editor)
	type event struct {
		Verb, Entity string
		Actor        *uuid.UUID
		Project      *uuid.UUID
	}
	last := func(t *testing.T, id uuid.UUID) (events []event) {
		t.Helper()
		d.AsOwner(t, func(c *pgx.Conn) {
			rows, err := c.Query(t.Context(),
				"delete from activity_events where entity_id = $1 returning verb, entity_type, actor_id, project_id", id)
			require.NoError(t, err)
			events, err = pgx.CollectRows(rows, pgx.RowToStructByPos[event])
			require.NoError(t, err)
		})
		return events
	}
	editor, admin, project := &f.Editor, &f.Admin, &f.Project

	project2 := value[uuid.UUID](t, c,
		"insert into projects (workspace_id, name) values ($1, 'P2') returning id", f.Workspace)
	require.Equal(t, []event{{"created", "project", editor, &project2}}, last(t, project2))
	c.mustExec(t, "update projects set name = 'P3' where id = $1", project2)
	require.Equal(t, []event{{"updated", "project", editor, &project2}}, last(t, project2))
	c.mustExec(t, "update projects set status = 'paused' where id = $1", project2)
	require.Equal(t, []event{{"status_changed", "project", editor, &project2}}, last(t, project2))
	c.mustExec(t, "update projects set status = status where id = $1", project2)
	require.Empty(t, last(t, project2), "nothing changed")
	c.mustExec(t, "delete from projects where id = $1", project2)
	require.Equal(t, []event{{"deleted", "project", editor, nil}}, last(t, project2))

	for entity, sql := range map[string]string{
		"persona":    "insert into personas (project_id, name) values ($1, 'Ada') returning id",
		"hypothesis": "insert into hypotheses (project_id, statement) values ($1, 'H') returning id",
		"question":   "insert into questions (project_id, text) values ($1, 'Q') returning id",
	} {
		id := value[uuid.UUID](t, c, sql, f.Project)
		require.Equal(t, []event{{"created", entity, editor, project}}, last(t, id))
		tableName := map[string]string{
			"persona": "personas", "hypothesis": "hypotheses", "question": "questions",
		}[entity]
		if entity != "persona" {
			status := map[string]string{"hypothesis": "testing", "question": "asked"}[entity]
			asUser(t, d, f.Admin).mustExec(t, "update "+tableName+" set status = '"+status+"' where id = $1", id)
			require.Equal(t, []event{{"status_changed", entity, admin, project}}, last(t, id))
		}
		c.mustExec(t, "delete from "+tableName+" where id = $1", id)
		require.Equal(t, []event{{"deleted", entity, editor, project}}, last(t, id))
	}

	var imported uuid.UUID
	require.NoError(t, d.AsUser(t.Context(), db.User(f.Editor), func(q *db.Queries) (err error) {
		imported, err = q.StoreImport(t.Context(), storeParams(f.Project, nil, body))
		return err
	}))
	require.Equal(t, []event{{"created", "import", editor, project}}, last(t, imported))
	claim := uuid.New()
	require.NoError(t, d.AsUser(t.Context(), db.User(f.Admin), func(q *db.Queries) error {
		_, err := q.ClaimImport(t.Context(),
			db.ClaimImportParams{ImportID: imported, ClaimID: claim, HypothesisIds: []uuid.UUID{}})
		return err
	}))
	require.Equal(t, []event{{"queued", "import", admin, project}}, last(t, imported))
	require.NoError(t, d.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.BeginParse(t.Context(), db.BeginParseParams{
			ImportID: imported, ClaimID: claim, Recovery: []byte(`{}`),
		})
		return err
	}))
	require.Equal(t, []event{{"parsing", "import", nil, project}}, last(t, imported), "the service has no actor")

	evidence := value[uuid.UUID](t, c,
		"insert into evidence (project_id, import_id, quote) values ($1, $2, 'never again') returning id",
		f.Project, imported)
	require.Equal(t, []event{{"created", "evidence", editor, project}}, last(t, evidence))
	c.mustExec(t, "update evidence set review = 'accepted' where id = $1", evidence)
	require.Equal(t, []event{{"accepted", "evidence", editor, project}}, last(t, evidence))
	hypothesis := value[uuid.UUID](t, c,
		"insert into hypotheses (project_id, statement) values ($1, 'H') returning id", f.Project)
	for _, sql := range []string{
		"insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')",
		"update evidence_hypotheses set stance = 'contradicts' where evidence_id = $1 and hypothesis_id = $2",
		"delete from evidence_hypotheses where evidence_id = $1 and hypothesis_id = $2",
	} {
		c.mustExec(t, sql, evidence, hypothesis)
	}
	require.Equal(t, []string{"-supports", "supports-contradicts", "contradicts-"}, value[[]string](t, c, `
		select array_agg(concat(detail ->> 'from', '-', detail ->> 'to') order by occurred_at, created_at)
		from activity_events
		where entity_id = $1 and verb = 'stance_changed' and detail ->> 'hypothesis_id' = $2`,
		evidence, hypothesis.String()))
	require.Len(t, last(t, evidence), 3)
	c.mustExec(t, "update evidence set summary = 'never again, she said' where id = $1", evidence)
	require.Equal(t, []event{{"updated", "evidence", editor, project}}, last(t, evidence))
	d.Exec(t, "update evidence set edited_at = now(), created_by = null where id = $1", evidence)
	require.Empty(t, last(t, evidence), "a timestamp is not a change")

	asUser(t, d, f.Owner).mustExec(t, "update workspace_members set role = 'viewer' where user_id = $1",
		f.Editor)
	require.Equal(t, []event{{"role_changed", "member", &f.Owner, nil}}, last(t, f.Editor)[1:])

	// No event has a word of a transcript or of evidence.
	c = asUser(t, d, f.Admin)
	fillEvents := fill(t, d)
	d.Exec(t, "update evidence set summary = 'Monat' where id = $1", fillEvents.Evidence)
	d.Exec(t, "delete from evidence where id = $1", fillEvents.Evidence)
	details := dbtest.Value[json.RawMessage](t, d, "select jsonb_agg(distinct detail) from activity_events")
	for _, word := range []string{"Monat", "never", "dafür", "Speaker"} {
		require.NotContains(t, string(details), word)
	}
	require.Contains(t, string(details), "import_id")
	require.Zero(t,
		value[int](t, c, "select count(*) from activity_events where workspace_id = $1", fillEvents.Workspace))
}
