package bench

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// What a page may wait for the words of a project, which it asks for on its own.
const (
	mostFewWords  = 500 * time.Millisecond // of 1,000 turns
	mostManyWords = 10 * time.Second       // of 250,000, of which 2,000,000 words are read
)

// BenchmarkUnforeseenWords measures GET /api/project/{projectId}/words in a project of two interviews and in
// one of 500.
func BenchmarkUnforeseenWords(b *testing.B) {
	d := dbtest.New(b)
	n := fillSpeech(b, d)
	small := mergeProjects(b, d, n)
	_, settings := newNamespace(b)
	service := startServeWith(b, d.URL, settings)
	bearer := service.signIn(b, d, n.Viewer)
	for b.Loop() {
		for _, c := range []struct {
			name    string
			project uuid.UUID
			most    time.Duration
		}{{"few", small, mostFewWords}, {"many", n.Project, mostManyWords}} {
			best := time.Hour
			for range 3 { // other work on the machine only ever adds to it
				began := time.Now()
				turns, truncated := service.readWords(b, bearer, c.project)
				best = min(best, time.Since(began))
				b.Logf("%s: %d turns, truncated %t, %s", c.name, turns, truncated, time.Since(began))
			}
			b.ReportMetric(float64(best.Milliseconds()), "ms-"+c.name)
			require.LessOrEqual(b, best, c.most, c.name)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(mostManyWords.Milliseconds()), "limit-ms-many")
	}
}

// mergeProjects moves the interview of one of the other projects to another, and returns that project.
func mergeProjects(b *testing.B, d *dbtest.DB, n dbtest.Tenant) uuid.UUID {
	b.Helper()
	projects := dbtest.Value[[]uuid.UUID](b, d,
		"select (array_agg(id order by id))[1:2] from projects where workspace_id = $1 and id <> $2", n.Workspace,
		n.Project)
	c, err := pgx.Connect(b.Context(), d.URL)
	require.NoError(b, err)
	defer func() { _ = c.Close(b.Context()) }()
	for _, sql := range []string{
		"set session_replication_role = replica",
		"update imports set project_id = $2 where project_id = $1",
		"update import_speakers set project_id = $2 where project_id = $1",
		"update utterances set project_id = $2 where project_id = $1",
	} {
		var args []any
		if sql[:3] != "set" {
			args = []any{projects[0], projects[1]}
		}
		_, err := c.Exec(b.Context(), sql, args...)
		require.NoError(b, err)
	}
	return projects[1]
}

func (s *serve) readWords(b *testing.B, bearer string, project uuid.UUID) (turns int, truncated bool) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet,
		"http://"+s.address+"/api/project/"+project.String()+"/words", nil)
	require.NoError(b, err)
	r.Header = http.Header{"Authorization": {"Bearer " + bearer}, "apikey": {anonKey}}
	response, err := http.DefaultClient.Do(r)
	require.NoError(b, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(b, http.StatusOK, response.StatusCode)
	var answer struct {
		ReadTurns int
		Truncated bool
	}
	require.NoError(b, json.NewDecoder(response.Body).Decode(&answer))
	require.NotZero(b, answer.ReadTurns)
	return answer.ReadTurns, answer.Truncated
}
