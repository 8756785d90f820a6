package imports_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// serveRich serves an interview with rows in every table that belongs to it.
func serveRich(t *testing.T) judged {
	t.Helper()
	j := serveJudged(t)
	status, _ := j.correct(t, fields{"ordinal": 1, "text": "Why is that?"})
	require.Equal(t, http.StatusOK, status)
	j.Exec(t, "update evidence set review = 'accepted', speaker_confirmed = true, reviewed_by = $1", j.Editor)
	j.Exec(t, "insert into questions (project_id, text, answer_evidence_id) values ($1, 'Why?', $2)", j.Project,
		j.quotes["We pay late"])
	j.Exec(t, "insert into finding_quotes (evidence_id, hypothesis_id, position) values ($1, $2, 1.5)",
		j.quotes["We pay late"], j.yes)
	j.Exec(t, `
		with theme as (insert into themes (project_id, name) values ($1, 'Money') returning id),
			link as (insert into evidence_themes (evidence_id, theme_id) select $2, id from theme)
		insert into comments (evidence_id, body, mentions, created_by)
		values ($2, 'Look here', array[$3::uuid], $3)`, j.Project, j.quotes["We pay late"], j.Editor)
	j.Exec(t, "update imports set claim_id = gen_random_uuid()") // a correction has ended the run
	j.Exec(t, `
		with run as (
			insert into private.import_runs (claim_id, import_id, status, finished_at, waited, requested_by)
			select claim_id, id, 'parsed', now(), '1 day 2 hours', $1 from imports returning *
		), changes as (
			insert into private.import_run_changes (claim_id, evidence_id, hypothesis_id, kind)
			select claim_id, gen_random_uuid(), $2, 'added' from run
		), chunks as (
			insert into private.import_chunks (
				import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, response_keys
			)
			select import_id, claim_id, 0, 0, 1, 0, 10, array['\x00ff'::bytea] from run
		)
		insert into private.chunk_responses (key, import_id, response, input_tokens)
		select '\x00ff', import_id, '{"a": null}', 7 from run`, j.Editor, j.yes)
	j.Exec(t, "update participants set attributes = '{\"team\": \"a\"}'")
	j.Exec(t, "select private.update_results(array[$1::uuid])", j.id)
	return j
}

// keep deletes the interview, so that it can be restored.
func (j judged) keep(t *testing.T) {
	t.Helper()
	status, answer := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"?keep=true", nil)
	require.Equal(t, http.StatusOK, status, "%v", answer)
}

func (j judged) restore(t *testing.T, user uuid.UUID, want int) {
	t.Helper()
	status, answer := j.transcriptRequest(t, http.MethodPost, user, j.id+"/restore", nil)
	require.Equal(t, want, status, "%v", answer)
}

// dump returns the rows of all tables but those that tell what happened.
func (j judged) dump(t *testing.T) map[string]string {
	t.Helper()
	tables := dbtest.Value[[]string](t, j.DB, `
		select array_agg(c.oid::regclass::text order by 1)
		from pg_class c
		where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'
			and c.oid <> all (array[
				'activity_events', 'private.events', 'private.event_head', 'private.audit_records',
				'private.write_budgets', 'private.row_counts']::regclass[])`)
	rows := map[string]string{}
	for _, table := range tables {
		made := "'created_at'"
		if table != "speaker_stances" { // it is made again
			made = "''"
		}
		rows[table] = dbtest.Value[string](t, j.DB, fmt.Sprintf(`
			select coalesce(string_agg(x, e'\n' order by x), '')
			from (select (to_jsonb(r) - 'updated_at' - %s)::text as x from %s r) s`, made, table))
	}
	return rows
}

func TestADeletedImportIsRestored(t *testing.T) {
	t.Parallel()
	j := serveRich(t)
	stranger := j.DB.Tenant(t).Editor
	before := j.dump(t)
	belong := dbtest.Value[[]string](t, j.DB,
		"select array_agg(relation::regclass::text) from private.tables_of_import()")
	for _, table := range belong {
		require.NotEmpty(t, before[table], table)
	}
	j.keep(t)
	for _, table := range belong {
		require.Empty(t, j.dump(t)[table], table)
	}
	require.Equal(t, before["private.daily_usage"], j.dump(t)["private.daily_usage"])
	status, _ := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"?keep=true", nil)
	require.Equal(t, http.StatusNotFound, status, "it is deleted once")
	j.restore(t, j.Viewer, http.StatusForbidden)
	j.restore(t, stranger, http.StatusNotFound)
	events := dbtest.Value[int](t, j.DB, "select count(*) from activity_events")

	j.restore(t, j.Editor, http.StatusOK)
	after := j.dump(t)
	for table, rows := range before {
		require.Equal(t, rows, after[table], table)
	}
	j.requireProven(t)
	require.Equal(t, "restored import t", dbtest.Value[string](t, j.DB, `
		select string_agg(concat_ws(' ', verb, entity_type, actor_id = $2::uuid), ', ')
		from (select * from activity_events order by occurred_at, verb offset $1) e`, events, j.Editor))
	require.Equal(t, "deleted, restored", dbtest.Value[string](t, j.DB, `
		select string_agg(action, ', ' order by occurred_at) from private.audit_records
		where target_id = $1`, j.id))
	j.restore(t, j.Editor, http.StatusNotFound)
}

// What a table that refers to imports has must be kept, or follow from what is kept.
func TestAllThatBelongsToAnImportIsKept(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	require.Equal(t, []string{
		"answer_quotes",            // an answer loses the words of a deleted import
		"answer_sentences",         // go with their quotes
		"answers",                  // follow their sentences
		"private.answer_parts",     // of runs that end
		"private.idempotency_keys", // a request that is sent again meets a deleted import
		"private.theme_run_parts",  // of runs that end
		"private.transcript_words", // follow the turns
		"questions",                // refer to what answers them
		"speaker_stances",          // follow the evidence
	}, dbtest.Value[[]string](t, d, `
		with recursive below (id) as (
			select 'imports'::regclass::oid
			union
			select k.conrelid from below b join pg_constraint k on k.confrelid = b.id and k.contype = 'f'
		)
		select array_agg(id::regclass::text order by id::regclass::text collate "C")
		from below
		where id not in (select relation::regclass from private.tables_of_import())`))
}

func TestRestoringMeetsWhatHappenedSince(t *testing.T) {
	t.Parallel()

	t.Run("a day", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		j.keep(t)
		j.Exec(t, "update private.deleted_imports set deleted_at = now() - interval '24 hours 1 second'")
		require.Zero(t, dbtest.Value[int](t, j.DB, "select private.stored_bytes($1)", j.Workspace))
		j.restore(t, j.Editor, http.StatusNotFound)
	})

	t.Run("the project is deleted", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		j.keep(t)
		j.Exec(t, "delete from projects where id = $1", j.Project)
		require.Zero(t, dbtest.Value[int](t, j.DB, "select count(*) from private.deleted_imports"))
		j.restore(t, j.Editor, http.StatusNotFound)
	})

	t.Run("a hypothesis, the persona and people are deleted", func(t *testing.T) {
		t.Parallel()
		j := serveRich(t)
		j.Exec(t, `with p as (insert into personas (project_id, name) values ($1, 'Owner') returning id)
			update imports set persona_id = p.id from p`, j.Project)
		j.keep(t)
		j.Exec(t, "delete from hypotheses where id = $1", j.yes)
		j.Exec(t, "delete from personas")
		j.Exec(t, "delete from participants where name = 'Dana'")
		j.restore(t, j.Editor, http.StatusOK)
		require.Equal(t, 0, dbtest.Value[int](t, j.DB, "select count(*) from evidence_hypotheses"))
		require.Equal(t, 5, dbtest.Value[int](t, j.DB, "select count(*) from evidence"))
		require.Equal(t, 1, dbtest.Value[int](t, j.DB, "select count(*) from imports where persona_id is null"))
		require.Equal(t, "Dana", dbtest.Value[string](t, j.DB, `
			select string_agg(speaker, ', ') from import_speakers
			where role = 'participant' and participant_id is null`))
	})

	t.Run("several are restored", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		status, second := j.choose(t, "/", misread+"\n", nil)
		require.Equal(t, http.StatusCreated, status, "%v", second)
		j.Exec(t, `update import_speakers s set participant_id = o.participant_id
			from import_speakers o where o.import_id = $1 and o.speaker = s.speaker`, j.id)
		people := dbtest.Value[int](t, j.DB, "select count(distinct participant_id) from import_speakers")
		both := []judged{j, j}
		both[1].id = second["importId"].(string)
		for _, one := range both {
			one.keep(t)
		}
		for _, one := range both {
			one.restore(t, j.Editor, http.StatusOK)
		}
		require.Equal(t, people, dbtest.Value[int](t, j.DB,
			"select count(distinct participant_id) from import_speakers"), "a person is not parted in two")
	})

	t.Run("somebody judges quotes while it is deleted", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		conn, err := pgx.Connect(t.Context(), j.DB.URL)
		require.NoError(t, err)
		defer func() { _ = conn.Close(context.Background()) }()
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "update evidence set review = 'rejected', summary = 'No'")
		require.NoError(t, err)
		done := make(chan struct{})
		go func() {
			defer close(done)
			j.keep(t)
		}()
		j.AwaitLock(t) // the deletion waits for who judges
		require.NoError(t, tx.Commit(t.Context()))
		<-done
		j.restore(t, j.Editor, http.StatusOK)
		require.Equal(t, 5, dbtest.Value[int](t, j.DB,
			"select count(*) from evidence where review = 'rejected' and summary = 'No'"))
	})

	t.Run("the storage is full", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		stored := dbtest.Value[int](t, j.DB, "select private.stored_bytes($1)", j.Workspace)
		j.keep(t)
		require.Equal(t, stored, dbtest.Value[int](t, j.DB, "select private.stored_bytes($1)", j.Workspace))
		j.Exec(t, "insert into private.settings values ('workspace_storage', $1)", fmt.Sprint(stored))
		status, answer := j.choose(t, "/", misread, nil)
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Equal(t, "storage_quota_exceeded", answer["error"])
		j.restore(t, j.Editor, http.StatusOK)
		require.Equal(t, stored, dbtest.Value[int](t, j.DB, "select private.stored_bytes($1)", j.Workspace))
	})

	t.Run("somebody deletes it for good", func(t *testing.T) {
		t.Parallel()
		j := serveJudged(t)
		status, _ := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"/restore", nil)
		require.Equal(t, http.StatusNotFound, status, "it is not deleted, or restored")
		j.keep(t)
		remove := func(user uuid.UUID, want int) map[string]any {
			t.Helper()
			status, answer := j.transcriptRequest(t, http.MethodDelete, user, j.id+"/restore", nil)
			require.Equal(t, want, status, "%v", answer)
			return answer
		}
		remove(j.Viewer, http.StatusForbidden)
		remove(j.DB.Tenant(t).Editor, http.StatusNotFound)
		require.Equal(t, 5.0, remove(j.Editor, http.StatusOK)["deleted"].(map[string]any)["evidence"])
		require.Zero(t, dbtest.Value[int](t, j.DB, "select private.stored_bytes($1)", j.Workspace))
		remove(j.Editor, http.StatusNotFound)
		j.restore(t, j.Editor, http.StatusNotFound)
	})

	t.Run("another interview has people of these names", func(t *testing.T) {
		t.Parallel()
		j := serveRich(t)
		j.keep(t)
		status, _ := j.choose(t, "/", misread, nil)
		require.Equal(t, http.StatusCreated, status)
		j.restore(t, j.Editor, http.StatusOK)
		require.Zero(t, dbtest.Value[int](t, j.DB, `
			select count(*) from import_speakers a
			join import_speakers b on b.participant_id = a.participant_id and b.import_id > a.import_id`))
		require.Equal(t, 2, dbtest.Value[int](t, j.DB,
			"select count(*) from participants where name = 'Dana' and attributes ->> 'team' = 'a'"))
	})

	t.Run("the account of whoever judged is deleted", func(t *testing.T) {
		t.Parallel()
		j := serveRich(t)
		j.keep(t)
		j.Exec(t, "delete from auth.users where id = $1", j.Editor)
		j.restore(t, j.Admin, http.StatusOK)
		require.Equal(t, 5, dbtest.Value[int](t, j.DB,
			"select count(*) from evidence where review = 'accepted' and reviewed_by is null"))
	})

	t.Run("it was being read", func(t *testing.T) {
		t.Parallel()
		j := serveRich(t)
		j.Exec(t, "update private.import_runs set finished_at = null, status = 'parsing'")
		j.Exec(t, "update imports set status = 'parsing', waiting_reason = 'worker'")
		j.Exec(t, "update evidence set in_progress = true")
		j.keep(t)
		j.restore(t, j.Editor, http.StatusOK)
		require.Equal(t, "canceled canceled", dbtest.Value[string](t, j.DB, `
			select concat_ws(' ', i.status, r.status) from imports i join private.import_runs r on r.import_id = i.id
			where i.claim_id is null and i.waiting_reason is null and r.finished_at = i.finished_at`))
		require.Zero(t, dbtest.Value[int](t, j.DB, "select count(*) from evidence where in_progress"))
	})
}

func TestEditorsSeeWhatCanBeRestored(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	j.keep(t)
	other := j.DB.Tenant(t)
	for user, want := range map[uuid.UUID]int{j.Editor: 1, j.Owner: 1, j.Viewer: 0, other.Editor: 0} {
		_, err := j.Store.Run(t.Context(), db.User(user), db.Batch{Queries: []db.Query{{SQL: fmt.Sprintf(
			"select * from deleted_interviews('%s') where restorable_until = deleted_at + interval '1 day'", j.Project,
		)}}}, func(rows []db.Rows) (bool, error) {
			require.Len(t, rows[0].Values, want)
			return true, nil
		})
		require.NoError(t, err)
	}
	status, answer := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"?keep=maybe", nil)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer["details"], "keep", "%v", answer)
}
