package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// statementsAsked counts the calls about an interview by the statements in their prompts.
func statementsAsked(calls []modeltest.Call, statements ...string) map[string]int {
	counts := map[string]int{}
	for _, call := range calls {
		var asked []string
		for _, statement := range statements {
			if strings.Contains(call.User, statement) {
				asked = append(asked, statement)
			}
		}
		counts[strings.Join(asked, " + ")]++
	}
	return counts
}

func TestANewHypothesisIsReadIntoAnOldInterview(t *testing.T) {
	t.Parallel()
	const (
		books = "Closing the books takes days because receipts are missing"
		seats = "Companies pay for a tool per seat"
	)
	model := modeltest.New(t)
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	editor := s.signIn(t, s.Editor)
	h1 := s.Hypothesis(t, s.Tenant, books)
	id := s.add(t, editor, "talk.txt", longInterview("case-a"))
	s.startParse(t, editor, id, h1)
	s.waitForStatus(t, editor, id, "parsed")
	require.Equal(t, map[string]int{books: 3}, statementsAsked(model.Calls(), books, seats))
	before := dbtest.Value[string](t, s.DB, `select string_agg(id::text, ' ' order by id) from evidence`)

	status, answer := s.requestParse(t, editor, id, h1)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "import_already_parsed", answer["error"])

	h2 := s.Hypothesis(t, s.Tenant, seats)
	s.startParse(t, editor, id, h1, h2)
	imported := s.waitForStatus(t, editor, id, "parsed")
	require.EqualValues(t, 1, imported["coverage"])
	require.Equal(t, map[string]int{seats: 3}, statementsAsked(model.Calls()[3:], books, seats))
	require.Equal(t, before, dbtest.Value[string](t, s.DB, `select string_agg(e.id::text, ' ' order by e.id)
		from evidence e join evidence_hypotheses h on h.evidence_id = e.id and h.hypothesis_id = $1`, h1))
	require.Equal(t, 2, dbtest.Value[int](t, s.DB,
		`select count(*) from import_hypotheses
		where result <> 'pending' and coverage = 1 and checked_at is not null`))
	for _, h := range [][]uuid.UUID{{h1}, {h2}, {h1, h2}} {
		status, answer := s.requestParse(t, editor, id, h...)
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Equal(t, "import_already_parsed", answer["error"])
	}
	require.Len(t, model.Calls(), 6)
}

// A refresh with another model shows the difference, and removes nothing that a person accepted.
func TestARefreshShowsWhatIsDifferent(t *testing.T) {
	t.Parallel()
	model := modeltest.New(t)
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=first")
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing")
	id := s.add(t, editor, "talk.txt", longInterview("case-a"))
	s.startParse(t, editor, id, h)
	s.waitForStatus(t, editor, id, "parsed")
	evidence := dbtest.Value[int](t, s.DB, `select count(*) from evidence`)
	require.Equal(t, 3, evidence)
	accepted := dbtest.Value[uuid.UUID](t, s.DB, `update evidence set review = 'accepted'
		where id = (select id from evidence order by byte_start limit 1) returning id`)

	s.stopWorker()
	s.startWorker(t, "OPENAI_MODEL=second")
	model.Always(modeltest.Nothing())
	status, answer := s.post(t, "/api/import/"+id+"/parse", editor,
		map[string]any{"hypothesisIds": []uuid.UUID{h}, "refresh": true})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	imported := s.waitForStatus(t, editor, id, "parsed")
	require.Equal(t, "second", imported["model"])
	require.Len(t, model.Calls(), 6)

	status, answer = s.get(t, "/api/import/"+id+"/runs", viewer)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, id, answer["importId"])
	runs := answer["runs"].([]any)
	require.Len(t, runs, 2)
	latest, first := runs[0].(map[string]any), runs[1].(map[string]any)
	require.Equal(t, true, latest["refresh"])
	require.Equal(t, "second", latest["model"])
	require.Equal(t, "parsed", latest["status"])
	require.EqualValues(t, 3, latest["calls"])
	require.Equal(t, s.Editor.String(), latest["requestedBy"])
	require.Empty(t, latest["added"])
	require.Len(t, latest["gone"], evidence)
	kept := 0
	for _, gone := range latest["gone"].([]any) {
		change := gone.(map[string]any)
		require.Contains(t, change["quote"], "receipts are missing")
		require.Equal(t, "supports", change["before"].(map[string]any)["stance"])
		require.NotContains(t, change, "after")
		if change["kept"] == true {
			require.Equal(t, accepted.String(), change["evidenceId"])
			kept++
		}
	}
	require.Equal(t, 1, kept)
	require.Len(t, first["added"], evidence)
	require.Equal(t, []uuid.UUID{accepted},
		dbtest.Value[[]uuid.UUID](t, s.DB, `select array_agg(id) from evidence`))

	stranger := s.signIn(t, s.DB.Tenant(t).Owner)
	status, answer = s.get(t, "/api/import/"+id+"/runs", stranger)
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "import_not_found", answer["error"])
}
