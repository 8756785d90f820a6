//go:build clients

package e2e

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The person and the project of the browser tests of keyword matching.
const (
	keywordEmail   = "kim@example.com"
	keywordProject = "00000000-0000-4000-8000-0000000000b1"
)

// addKeywordScene fills a project whose interviews are read by keyword, before there is a model: no worker
// has one yet. One interview is in another language than the hypotheses.
func (s *service) addKeywordScene(t *testing.T) {
	t.Helper()
	kim, workspace := s.User(t, keywordEmail), uuid.New()
	s.Exec(t, `insert into workspaces (id, name, slug, created_by) values ($1, 'Keywords', 'keywords', $2)`,
		workspace, kim)
	s.Exec(t, `insert into projects (id, workspace_id, name) values ($1, $2, 'Read by keyword')`,
		keywordProject, workspace)
	var hypotheses []uuid.UUID
	for _, statement := range []string{
		"The card statement is pasted every morning.",
		"Dentists struggle with their calendars.",
	} {
		hypotheses = append(hypotheses, dbtest.Value[uuid.UUID](t, s.DB,
			`insert into hypotheses (project_id, statement) values ($1, $2) returning id`, keywordProject, statement))
	}
	stop := s.with("OPENAI_BASE_URL=", "OPENAI_API_KEY=", "OPENAI_MODEL=").startWorker(t)
	defer stop()
	token := s.signIn(t, kim)
	inProject := s.with()
	inProject.Tenant.Project = uuid.MustParse(keywordProject)
	for _, interview := range []struct{ file, content string }{
		{"anna.vtt", "WEBVTT\nLanguage: de\n\n00:01.000 --> 00:09.000\n" +
			"<v Anna>Wir haben gestern lange \u00fcber den Urlaub und die Sch\u00f6nheit der Berge gesprochen.\n"},
		{"dana.txt", "Dana: The card statement is pasted every morning into the sheet.\n" +
			"Sam: Receipts arrive by mail and nobody collects them.\n"},
		{"omar.txt", "Omar: Our whole team went on a holiday by train.\n" +
			"Sam: Nobody stayed in the office.\n"},
	} {
		id := inProject.add(t, token, interview.file, []byte(interview.content))
		status, started := s.requestParse(t, token, id, hypotheses...)
		require.Equal(t, http.StatusOK, status, "%v", started)
		s.waitForStatus(t, token, id, "parsed")
	}
}
