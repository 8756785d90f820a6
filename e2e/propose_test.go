package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// propose has themes proposed, and waits until the run has a status.
func (s *service) propose(t testing.TB, token, status string) {
	t.Helper()
	var id string
	eventually(t, "the run is started", func() bool {
		code, answer := s.post(t, "/api/project/"+s.Project.String()+"/themes/propose", token, map[string]any{})
		require.Contains(t, []int{http.StatusAccepted, http.StatusServiceUnavailable}, code, "%v", answer)
		id, _ = answer["themeRunId"].(string)
		return code == http.StatusAccepted
	})
	eventually(t, "the run is "+status, func() bool {
		var rows []map[string]any
		s.readRows(t, token, "theme_runs?id=eq."+id, &rows)
		require.Len(t, rows, 1)
		if rows[0]["status"] != status && rows[0]["finished_at"] != nil {
			t.Fatalf("the run is %v: %v", rows[0]["status"], rows[0]["error_code"])
		}
		return rows[0]["status"] == status
	})
}

// A real worker, Temporal and a model server propose themes, twice, and for the second time without a call.
func TestThemesAreProposedFromInterviews(t *testing.T) {
	t.Parallel()
	model := modeltest.New(t).Always(modeltest.ChangeFindings(func(_ modeltest.Call, r *modeltest.OpenReply) {
		for i := range r.Findings {
			r.Findings[i].Label = []string{"Lost time", "Lost papers"}[i%2]
		}
	}))
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test-model", "OPENAI_API_KEY=k")
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	s.addInterviews(t, editor, 3)
	s.propose(t, editor, "done")

	var themes []struct {
		Name   string
		Status string
		Origin string
		Quotes []struct {
			Review   string
			Evidence struct {
				Quote   string
				Speaker string
				Summary string
				Review  string
			}
		} `json:"evidence_themes"`
	}
	read := func() string {
		themes = nil
		s.readRows(t, viewer,
			"themes?select=name,status,origin,evidence_themes(review,evidence(quote,speaker,summary,review))&order=id",
			&themes)
		return fmt.Sprint(themes)
	}
	first := read()
	require.NotEmpty(t, themes)
	for _, theme := range themes {
		require.Equal(t, "proposed", theme.Status)
		require.Equal(t, "ai", theme.Origin)
		require.GreaterOrEqual(t, len(theme.Quotes), 2)
		for _, quote := range theme.Quotes {
			require.Equal(t, "suggested", quote.Evidence.Review)
			require.NotEmpty(t, quote.Evidence.Summary)
		}
	}
	calls := model.Count()
	s.propose(t, editor, "done")
	require.Equal(t, calls, model.Count(), "nothing is paid for twice")
	require.Equal(t, len(first), len(read()), "the same themes")
	require.Zero(t, dbtest.Value[int](t, s.DB, `
		select count(*) from evidence e
		join import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
		where e.prompt_version like 'themes%' and s.role = 'interviewer'`))
}
