package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A judged import has been parsed and has a result for one hypothesis.
type judged struct {
	filled
	d      *dbtest.DB
	editor *caller
}

// newJudged has evidence of the given stances.
func newJudged(t *testing.T, stances ...string) judged {
	t.Helper()
	d := dbtest.New(t)
	j := judged{filled: fill(t, d), d: d}
	j.editor = asUser(t, d, j.Editor)
	d.Exec(t, "delete from evidence where import_id = $1", j.Import)
	d.Exec(t, "update import_hypotheses set coverage = 1, checked_at = now() where import_id = $1", j.Import)
	for _, stance := range stances {
		j.add(t, stance)
	}
	return j
}

// add adds evidence as an extractor does.
func (j judged) add(t *testing.T, stance string) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, j.d, `
		insert into evidence (project_id, import_id, quote, origin) values ($1, $2, 'never again', 'ai')
			returning id`,
		j.Project, j.Import)
	j.d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, $3)`,
		id, j.Hypothesis, stance)
	return id
}

// result is the result with the numbers of evidence that supports, contradicts and is neutral.
func (j judged) result(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, j.d, `
		select concat_ws(' ', result, supports_count, contradicts_count, neutral_count)
		from import_hypotheses where import_id = $1 and hypothesis_id = $2`, j.Import, j.Hypothesis)
}

func TestResultsFollowJudgements(t *testing.T) {
	t.Parallel()

	t.Run("each combination of stances has its result", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t)
		j.add(t, "neutral")
		require.Equal(t, "undecided 0 0 1", j.result(t))
		j.add(t, "contradicts")
		require.Equal(t, "contradicts 0 1 1", j.result(t))
		j.add(t, "supports")
		require.Equal(t, "mixed 1 1 1", j.result(t))
		j.editor.mustExec(t, "delete from evidence_hypotheses where stance <> 'supports'")
		require.Equal(t, "supports 1 0 0", j.result(t))
	})

	t.Run("rejected evidence does not count, until it is accepted", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports", "supports")
		j.editor.mustExec(t, "update evidence set review = 'rejected' where import_id = $1", j.Import)
		require.Equal(t, "nothing_found 0 0 0", j.result(t))
		j.editor.mustExec(t, "update evidence set review = 'accepted' where import_id = $1", j.Import)
		require.Equal(t, "supports 2 0 0", j.result(t))
	})

	t.Run("a changed stance counts at once", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports")
		j.editor.mustExec(t, "update evidence_hypotheses set stance = 'contradicts' where hypothesis_id = $1",
			j.Hypothesis)
		require.Equal(t, "contradicts 0 1 0", j.result(t))
	})

	t.Run("a link that moves counts for the other hypothesis", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports")
		other := j.d.Hypothesis(t, j.Tenant, "Nobody pays")
		j.d.Exec(t, `insert into import_hypotheses (import_id, hypothesis_id, project_id, statement)
			values ($1, $2, $3, 'Nobody pays')`, j.Import, other, j.Project)
		j.editor.mustExec(t, "update evidence_hypotheses set hypothesis_id = $1", other)
		require.Equal(t, "nothing_found 0 0 0", j.result(t))
		j.Hypothesis = other
		require.Equal(t, "supports 1 0 0", j.result(t))
	})

	t.Run("a run counts once, when it has written everything", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t)
		j.d.AsOwner(t, func(c *pgx.Conn) {
			tx, err := c.Begin(t.Context())
			require.NoError(t, err)
			for _, sql := range []string{
				"set local research.ending = 'on'",
				`insert into evidence (id, project_id, import_id, quote, origin)
				values ('00000000-0000-4000-8000-00000000e000', '` + j.Project.String() + `', '` + j.Import.String() + `',
					'never again', 'ai')`,
				`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
				values ('00000000-0000-4000-8000-00000000e000', '` + j.Hypothesis.String() + `', 'supports')`,
			} {
				_, err := tx.Exec(t.Context(), sql)
				require.NoError(t, err)
			}
			require.NoError(t, tx.Commit(t.Context()))
			require.Equal(t, "pending 0 0 0", j.result(t))
		})
		j.d.Exec(t, "select private.update_results(array[$1::uuid])", j.Import)
		require.Equal(t, "supports 1 0 0", j.result(t))
		j.editor.mustExec(t, "update evidence set review = 'rejected' where import_id = $1", j.Import)
		require.Equal(t, "nothing_found 0 0 0", j.result(t), "other transactions count at once")
	})

	t.Run("quotes that people add and delete count", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t)
		quoted := value[uuid.UUID](t, j.editor,
			"insert into evidence (project_id, import_id, quote) values ($1, $2, 'never again') returning id",
			j.Project, j.Import)
		require.Equal(t, "pending 0 0 0", j.result(t), "it is linked to no hypothesis")
		j.editor.mustExec(t,
			"insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'contradicts')",
			quoted, j.Hypothesis)
		require.Equal(t, "contradicts 0 1 0", j.result(t))
		j.editor.mustExec(t, "delete from evidence where id = $1", quoted)
		require.Equal(t, "nothing_found 0 0 0", j.result(t))
	})

	t.Run("without evidence the result is pending if nothing was read", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports")
		j.d.Exec(t, "update import_hypotheses set coverage = 0.5")
		j.editor.mustExec(t, "update evidence set review = 'rejected'")
		require.Equal(t, "pending 0 0 0", j.result(t))
	})

	t.Run("without evidence the result is nothing_found if the run ended well", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports")
		j.d.Exec(t, "update import_hypotheses set coverage = 0.9")
		j.d.Exec(t, `insert into private.import_runs (claim_id, import_id, hypotheses, status, finished_at)
			values (gen_random_uuid(), $1, array[$2::uuid], 'parsed', now())`, j.Import, j.Hypothesis)
		j.editor.mustExec(t, "update evidence set review = 'rejected'")
		require.Equal(t, "nothing_found 0 0 0", j.result(t))
	})

	t.Run("results of other imports do not change", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t, "supports")
		other := fill(t, j.d)
		before := dbtest.Value[string](t, j.d,
			"select x::text from import_hypotheses x where import_id = $1", other.Import)
		j.editor.mustExec(t, "update evidence set review = 'rejected'")
		require.Equal(t, before, dbtest.Value[string](t, j.d,
			"select x::text from import_hypotheses x where import_id = $1", other.Import))
	})

	t.Run("concurrent judgements are all counted", func(t *testing.T) {
		t.Parallel()
		j := newJudged(t)
		first, second := j.add(t, "supports"), j.add(t, "supports")
		rejected := make(chan error, 1)
		reject := "update evidence set review = 'rejected' where id = $1"
		require.NoError(t, j.editor.within(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), reject, first)
			other := asUser(t, j.d, j.Owner)
			go func() {
				rejected <- other.within(t.Context(), func(tx pgx.Tx) error {
					_, err := tx.Exec(t.Context(), reject, second)
					return err
				})
			}()
			j.d.AwaitLock(t)
			return err
		}))
		require.NoError(t, <-rejected)
		require.Equal(t, "nothing_found 0 0 0", j.result(t))
	})
}

// The history of a quote: who judged it and who changed its stances, and from what.
func TestJudgementsAreActivity(t *testing.T) {
	t.Parallel()
	j := newJudged(t)
	evidence := j.add(t, "neutral") // by the service, which is no judgement
	admin := asUser(t, j.d, j.Admin)
	history := func() []string {
		return dbtest.Value[[]string](t, j.d, `
			select array_agg(format('%s %s %s→%s', case actor_id when $2 then 'editor' when $3 then 'admin' end,
				verb, coalesce(detail ->> 'from', 'none'), coalesce(detail ->> 'to', 'none')) order by occurred_at)
			from activity_events
			where entity_id = $1 and entity_type = 'evidence' and verb <> 'created' and verb <> 'updated'
				and (verb <> 'stance_changed' or detail ->> 'hypothesis_id' = $4::text)`,
			evidence, j.Editor, j.Admin, j.Hypothesis)
	}
	stance := func(c *caller, to string) {
		t.Helper()
		require.NoError(t, c.exec(t,
			`update evidence_hypotheses set stance = $2 where evidence_id = $1`, evidence, to))
	}
	require.NoError(t, j.editor.exec(t, `update evidence set review = 'accepted' where id = $1`, evidence))
	stance(j.editor, "supports")
	stance(j.editor, "supports") // changes nothing
	stance(admin, "contradicts")
	require.NoError(t, admin.exec(t, `update evidence set review = 'rejected' where id = $1`, evidence))
	require.NoError(t, admin.exec(t, `delete from evidence_hypotheses where evidence_id = $1`, evidence))
	require.Equal(t, []string{
		"editor accepted suggested→accepted",
		"editor stance_changed neutral→supports",
		"admin stance_changed supports→contradicts",
		"admin rejected accepted→rejected",
		"admin stance_changed contradicts→none",
	}, history())

	require.Equal(t, 0, dbtest.Value[int](t, j.d, `
		select count(*) from activity_events where entity_id = $1 and detail::text like '%never again%'`, evidence),
		"no words of the transcript")
}

func TestPresence(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n, other := d.Tenant(t), d.Tenant(t)
	here := func(user, project uuid.UUID, place any) []string {
		t.Helper()
		return value[[]string](t, asUser(t, d, user), `
			select coalesce(array_agg(h.user_id || ' ' || h.place order by h.user_id), '{}')
			from who_is_here($1, $2) h`, project, place)
	}
	require.Empty(t, here(n.Viewer, n.Project, "evidence"))
	require.Equal(t, []string{n.Viewer.String() + " evidence"}, here(n.Editor, n.Project, "review"),
		"viewers, too")
	require.Equal(t, []string{n.Editor.String() + " review"}, here(n.Viewer, n.Project, "review"))
	require.Empty(t, here(other.Editor, n.Project, "review"), "of another workspace")
	require.Equal(t, []string{n.Viewer.String() + " review"}, here(n.Editor, n.Project, "evidence"),
		"a stranger is not there")

	require.Empty(t, here(n.Viewer, n.Project, nil), "who leaves asks nothing")
	require.Empty(t, here(n.Editor, n.Project, "evidence"))
	here(n.Viewer, n.Project, "review")
	d.Exec(t, `update private.presence set seen_at = now() - interval '46 seconds' where user_id = $1`, n.Viewer)
	require.Empty(t, here(n.Editor, n.Project, "evidence"))
	require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*) from private.presence`), "nothing old is kept")
}
