//go:build clients

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The person and the project that the browser tests look for.
const (
	sceneEmail   = "lena@example.com"
	sceneProject = "00000000-0000-4000-8000-0000000000a1"
)

// addScene fills a workspace as a team has it after some weeks: interviews that were read, one that was not,
// evidence that was accepted and rejected, and a decided hypothesis.
func (s *service) addScene(t *testing.T) {
	t.Helper()
	lena, jun := s.User(t, sceneEmail), s.User(t, "jun@example.com")
	persona := s.addSceneProject(t, lena, jun)
	hypotheses := s.addSceneHypotheses(t, persona)
	s.addSceneInterviews(t, lena, hypotheses)

	s.Exec(t, `update evidence set review = 'accepted'
		where project_id = $1 and quote ~ 'desk|eleven|refused|per seat for people|fee\.'`, sceneProject)
	s.Exec(t, `update evidence set review = 'rejected'
		where project_id = $1 and quote ~ 'three minutes'`, sceneProject)
	s.Exec(t, `
		insert into finding_quotes (hypothesis_id, evidence_id, position)
		select l.hypothesis_id, l.evidence_id, row_number() over (order by e.quote)
		from evidence_hypotheses l join evidence e on e.id = l.evidence_id
		where e.project_id = $1 and e.review <> 'rejected'`, sceneProject)
	s.Exec(t, `update hypotheses set status = 'invalidated', decided_by = $2,
		decided_at = now() - interval '2 days',
		decision_reason = 'Three of three buyers want a flat price.' where id = $1`, hypotheses[2], lena)
}

func (s *service) addSceneProject(t *testing.T, lena, jun uuid.UUID) (persona uuid.UUID) {
	t.Helper()
	workspace, persona := uuid.New(), uuid.New()
	s.Exec(t, `update profiles set display_name = initcap(split_part(email, '@', 1)) ||
		case email when 'lena@example.com' then ' Fischer' else ' Park' end where id in ($1, $2)`, lena, jun)
	s.Exec(t, `insert into workspaces (id, name, slug, created_by) values ($1, 'Ledgerly', 'ledgerly', $2)`,
		workspace, lena)
	s.Exec(t, `insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'editor')`,
		workspace, jun)
	s.Exec(t, `insert into projects (id, workspace_id, name, description) values ($1, $2,
		'Receipts without the chase',
		'Do finance teams of small companies need help with receipts?')`, sceneProject, workspace)
	s.Exec(t, `insert into projects (workspace_id, name, description, stage, status)
		values ($1, 'Company cards', 'Would they change the card for it?', 'solution', 'paused')`, workspace)
	s.Exec(t, `insert into personas (id, project_id, name, segment, description, goals, pains) values
		($1, $2, 'Head of finance', 'Companies of 20 to 100 people',
			'Closes the month with one accountant, and answers to the board.',
			'{"Close the month in two days","Figures for the bank by the tenth"}',
			'{"Missing receipts","A spreadsheet that breaks"}'),
		(gen_random_uuid(), $2, 'Employee with a card', 'Sales, engineering', '',
			'{"No forms"}', '{"Receipts on paper"}')`, persona, sceneProject)
	return persona
}

func (s *service) addSceneHypotheses(t *testing.T, persona uuid.UUID) (hypotheses []uuid.UUID) {
	t.Helper()
	for i, h := range []struct{ statement, category, importance, falsifiedIf string }{
		{"Chasing missing receipts is the biggest time sink of the month-end close.", "problem", "high",
			"Finance leads name another step first."},
		{"Employees will connect their mailbox so that receipts are collected automatically.", "customer", "high",
			"More than a third refuse."},
		{"Companies of 20 to 100 people will pay per seat and month.", "pricing", "medium",
			"Buyers ask for a flat price."},
		{"A late close costs the company real money.", "value", "medium", ""},
		{"Finance leads look at a dashboard every week.", "value", "low", ""},
	} {
		hypotheses = append(hypotheses, dbtest.Value[uuid.UUID](t, s.DB, `
			insert into hypotheses
				(project_id, persona_id, statement, category, importance, falsified_if, status, created_at)
			values ($1, $2, $3, $4::hypothesis_category, $5::hypothesis_importance, $6, 'testing',
				now() - interval '40 days' + make_interval(mins => $7)) returning id`,
			sceneProject, persona, h.statement, h.category, h.importance, h.falsifiedIf, i))
	}
	s.Exec(t, `insert into questions (project_id, hypothesis_id, persona_id, text, priority, status) values
		($1, $2, $3, 'When did you last wait for a receipt, and what did you do meanwhile?', 'high', 'open'),
		($1, $4, $3, 'Show me the last report that you opened. What did you do with it?', 'medium', 'open'),
		($1, $2, null, 'Which step of the close would you pay somebody to take over?', 'medium', 'asked'),
		($1, null, null, 'Whom else should I talk to?', 'low', 'answered')`,
		sceneProject, hypotheses[0], persona, hypotheses[4])
	return hypotheses
}

func (s *service) addSceneInterviews(t *testing.T, lena uuid.UUID, hypotheses []uuid.UUID) {
	t.Helper()
	token := s.signIn(t, lena)
	inProject := s.with()
	inProject.Tenant.Project = uuid.MustParse(sceneProject)
	for i, interview := range []struct{ file, title string }{
		{"../dev/demo/interview-maya.vtt", "Maya, head of finance"},
		{"../dev/demo/interview-jonas.txt", "Jonas, sales lead"},
		{pageFolder + "/scene/priya.srt", "Priya, bookkeeper"},
		{pageFolder + "/scene/tom.txt", "Tom, managing director"},
		{pageFolder + "/scene/ines.vtt", "Ines, engineer"},
	} {
		content, err := os.ReadFile(interview.file)
		require.NoError(t, err)
		id := inProject.add(t, token, filepath.Base(interview.file), content)
		var before []map[string]any
		status, failure := s.callFunction(t, token, "set_interviewers",
			map[string]any{"import": id, "speakers": []string{"Lena Fischer"}}, &before)
		require.Equal(t, http.StatusOK, status, failure)
		s.AsOwner(t, func(c *pgx.Conn) { // nobody may date an import back, so the triggers that prevent it are off
			_, err := c.Exec(t.Context(), `set session_replication_role = replica`)
			require.NoError(t, err)
			_, err = c.Exec(t.Context(), `update imports set title = $2, created_at = now() - make_interval(days => $3)
				where id = $1`, id, interview.title, 30-7*i)
			require.NoError(t, err)
		})
		status, started := s.requestParse(t, token, id, hypotheses...)
		require.Equal(t, http.StatusOK, status, "%v", started)
		s.waitForStatus(t, token, id, "parsed")
	}
}
