package imports_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestADeletedImportIsRestored(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	status, _ := j.correct(t, fields{"ordinal": 1, "text": "Why is that?"})
	require.Equal(t, http.StatusOK, status)
	j.Exec(t, "update evidence set review = 'accepted', speaker_confirmed = true, reviewed_by = $1", j.Editor)
	j.Exec(t, `insert into questions (project_id, text, answer_evidence_id) values ($1, 'Why?', $2)`, j.Project,
		j.quotes["We pay late"])
	j.Exec(t, "select private.update_results(array[$1::uuid])", j.id)
	tables := dbtest.Value[[]string](t, j.DB,
		"select array_agg(relation) || '{public.speaker_stances,public.questions}' from private.tables_of_import()")
	rows := func(table string) string {
		return dbtest.Value[string](t, j.DB, fmt.Sprintf(`select coalesce(string_agg(x, e'\n' order by x), '')
			from (select (to_jsonb(r) - 'updated_at' - 'created_at')::text as x from %s r) s`, table))
	}
	before := map[string]string{}
	for _, table := range tables {
		before[table] = rows(table)
	}
	status, answer := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"?keep=true", nil)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	for _, table := range tables {
		if table != "public.questions" {
			require.Empty(t, rows(table), table)
		}
	}
	status, _ = j.transcriptRequest(t, http.MethodPost, j.Viewer, j.id+"/restore", nil)
	require.Equal(t, http.StatusForbidden, status)
	status, _ = j.transcriptRequest(t, http.MethodPost, j.DB.Tenant(t).Editor, j.id+"/restore", nil)
	require.Equal(t, http.StatusNotFound, status)

	status, answer = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/restore", nil)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	for _, table := range tables {
		require.Equal(t, before[table], rows(table), table)
	}
	j.requireProven(t)
	status, _ = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/restore", nil)
	require.Equal(t, http.StatusNotFound, status)

	t.Run("but not after a day, and not what is gone", func(t *testing.T) {
		status, _ := j.transcriptRequest(t, http.MethodDelete, j.Editor, j.id+"?keep=true", nil)
		require.Equal(t, http.StatusOK, status)
		j.Exec(t, "update private.deleted_imports set deleted_at = now() - interval '25 hours'")
		status, _ = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/restore", nil)
		require.Equal(t, http.StatusNotFound, status)
		j.Exec(t, "update private.deleted_imports set deleted_at = now()")
		j.Exec(t, "delete from hypotheses where id = $1", j.yes)
		status, answer := j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/restore", nil)
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, 0, dbtest.Value[int](t, j.DB, "select count(*) from evidence_hypotheses"))
		require.Equal(t, 5, dbtest.Value[int](t, j.DB, "select count(*) from evidence"))
	})
}
