//go:build clients

package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// pageFolder holds the browser tests, and the scene in which they look around.
const pageFolder = "api/web/clienttest"

// The page, driven in headless Chromium as researchers use it. Needs Node (20 or newer), npm and Chromium. PICTURES=folder keeps a picture of each view.
func TestClientPage(t *testing.T) {
	t.Parallel()
	doors := newGates(t)
	model := modeltest.New(t).Always(reader(t, doors))
	s := startService(t, "OPENAI_BASE_URL", model.URL, "OPENAI_API_KEY", "sk-test", "OPENAI_MODEL", "test-model", "PARSE_CONCURRENCY", "1",
		"BCRYPT_COST", "4", "TEMPORAL_UI_URL", "http://temporal.example", "RECONCILE_INTERVAL", "1s", "REST_MAX_ROWS", "500")
	s.scene(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(pageFolder)))
	runIn(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	// A browser's profile, too, is in a folder that goes with the test.
	env := []string{"BASE_URL=" + s.cfg.HTTP.PublicURL, "ANON_KEY=" + s.cfg.Keys.Anon, "GATES_URL=" + doors.URL, "CHROMIUM=" + chromium(t), "TMPDIR=" + t.TempDir()}
	if pictures := os.Getenv("PICTURES"); pictures != "" {
		folder, err := filepath.Abs(pictures)
		require.NoError(t, err)
		env = append(env, "PICTURES="+folder)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.test.js"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := runIn(t, dir, env, "node", append([]string{"--test", "--test-concurrency=1", "--test-reporter=tap"}, files...)...)
	passed := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindSubmatch(out)
	require.NotNil(t, passed, "%s", out)
	count, err := strconv.Atoi(string(passed[1]))
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, leastPageChecks)
	for _, figure := range regexp.MustCompile(`(?m)^\s*# (figure: .*)$`).FindAllSubmatch(out, -1) {
		t.Logf("%s", figure[1])
	}
	t.Logf("the page: %d checks", count)
}

// chromium finds the browser on this machine; none is downloaded.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Fatal("this test needs Chromium on the PATH: apt-get install chromium")
	return ""
}

// leastPageChecks is how many checks a run has to consist of.
const leastPageChecks = 50

// A sceneFinding is what the scene's model says about a passage, of the hypothesis that begins so. It quotes the passage, or misquotes it.
type sceneFinding struct {
	Hypothesis, Stance, Strength, Passage, Quote, Summary, Rationale string
}

// gates hold the model's answers to passages that say "wait for the gate …", until a test opens it: POST /name.
type gates struct {
	URL   string
	mutex sync.Mutex
	all   map[string]chan struct{}
}

var promptGate = regexp.MustCompile(`wait for the gate (\S+)`)

func newGates(t *testing.T) *gates {
	t.Helper()
	g := &gates{all: map[string]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(g.named(strings.TrimPrefix(r.URL.Path, "/")))
	}))
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

func (g *gates) named(name string) chan struct{} {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.all[name] == nil {
		g.all[name] = make(chan struct{})
	}
	return g.all[name]
}

var promptHypothesis = regexp.MustCompile(`(?m)^(h\d+): (.*)$`)

// reader plays a model. Of the scene's interviews it reports what findings.json says; with other transcripts it deals as their words ask for.
func reader(t *testing.T, doors *gates) modeltest.Behavior {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pageFolder, "scene", "findings.json"))
	require.NoError(t, err)
	var findings []sceneFinding
	require.NoError(t, json.Unmarshal(raw, &findings))
	ofScene := modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
		reply := modeltest.Reply{Findings: []modeltest.Finding{}, Questions: []modeltest.Question{}}
		for _, h := range promptHypothesis.FindAllStringSubmatch(c.User, -1) {
			for _, f := range findings {
				for _, line := range modeltest.Lines(c.User) {
					if strings.HasPrefix(h[2], f.Hypothesis) && strings.Contains(line.Text, f.Passage) {
						reply.Findings = append(reply.Findings, modeltest.Finding{Hypothesis: h[1], Utterances: []string{line.ID}, Quote: cmp.Or(f.Quote, f.Passage),
							Rationale: f.Rationale, Stance: f.Stance, Strength: f.Strength, Summary: f.Summary})
					}
				}
			}
		}
		return modeltest.Completion{Content: reply.JSON()}
	})
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if named := promptGate.FindStringSubmatch(x.User); named != nil {
			select {
			case <-doors.named(named[1]):
			case <-x.Gone:
				return
			}
		}
		for words, behave := range map[string]modeltest.Behavior{
			"Lena Fischer":            ofScene,
			"never answer this":       modeltest.Hang(),
			"the key must be refused": modeltest.BadKey(),
		} {
			if strings.Contains(x.User, words) {
				behave(w, x)
				return
			}
		}
		modeltest.Honest()(w, x)
	}
}

// The people and the project of the scene.
const (
	sceneEmail   = "lena@example.com"
	sceneProject = "00000000-0000-4000-8000-0000000000a1"
)

// scene fills a workspace as a team has it after some weeks: interviews that were read, one that was not, evidence accepted and rejected, a verdict.
func (s *service) scene(t *testing.T) {
	t.Helper()
	lena, jun := s.User(t, sceneEmail), s.User(t, "jun@example.com")
	workspace := uuid.New()
	s.Exec(t, `update profiles set display_name = initcap(split_part(email, '@', 1)) || case email when 'lena@example.com' then ' Fischer' else ' Park' end where id in ($1, $2)`, lena, jun)
	s.Exec(t, `insert into workspaces (id, name, slug, created_by) values ($1, 'Ledgerly', 'ledgerly', $2)`, workspace, lena)
	s.Exec(t, `insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'editor')`, workspace, jun)
	s.Exec(t, `insert into projects (id, workspace_id, name, description) values ($1, $2, 'Receipts without the chase', 'Do finance teams of small companies need help with receipts?')`, sceneProject, workspace)
	s.Exec(t, `insert into projects (workspace_id, name, description, stage, status) values ($1, 'Company cards', 'Would they change the card for it?', 'solution', 'paused')`, workspace)
	persona := uuid.New()
	s.Exec(t, `insert into personas (id, project_id, name, segment, description, goals, pains) values
		($1, $2, 'Head of finance', 'Companies of 20 to 100 people', 'Closes the month with one accountant, and answers to the board.', '{"Close the month in two days","Figures for the bank by the tenth"}', '{"Missing receipts","A spreadsheet that breaks"}'),
		(gen_random_uuid(), $2, 'Employee with a card', 'Sales, engineering', '', '{"No forms"}', '{"Receipts on paper"}')`, persona, sceneProject)
	var hypotheses []uuid.UUID
	for i, h := range [][]string{
		{"Chasing missing receipts is the biggest time sink of the month-end close.", "problem", "high", "Finance leads name another step first."},
		{"Employees will connect their mailbox so that receipts are collected automatically.", "customer", "high", "More than a third refuse."},
		{"Companies of 20 to 100 people will pay per seat and month.", "pricing", "medium", "Buyers ask for a flat price."},
		{"A late close costs the company real money.", "value", "medium", ""},
		{"Finance leads look at a dashboard every week.", "value", "low", ""},
	} {
		hypotheses = append(hypotheses, dbtest.Value[uuid.UUID](t, s.DB, `insert into hypotheses (project_id, persona_id, statement, category, importance, falsified_if, status, created_at)
			values ($1, $2, $3, $4::hypothesis_category, $5::hypothesis_importance, $6, 'testing', now() - interval '40 days' + make_interval(mins => $7)) returning id`, sceneProject, persona, h[0], h[1], h[2], h[3], i))
	}
	s.Exec(t, `insert into questions (project_id, hypothesis_id, persona_id, text, priority, status) values
		($1, $2, $3, 'When did you last wait for a receipt, and what did you do meanwhile?', 'high', 'open'),
		($1, $4, $3, 'Show me the last report that you opened. What did you do with it?', 'medium', 'open'),
		($1, $2, null, 'Which step of the close would you pay somebody to take over?', 'medium', 'asked'),
		($1, null, null, 'Whom else should I talk to?', 'low', 'answered')`, sceneProject, hypotheses[0], persona, hypotheses[4])

	bearer := s.signIn(t, lena)
	for i, interview := range [][2]string{
		{"dev/demo/interview-maya.vtt", "Maya, head of finance"}, {"dev/demo/interview-jonas.txt", "Jonas, sales lead"}, {pageFolder + "/scene/priya.srt", "Priya, bookkeeper"},
		{pageFolder + "/scene/tom.txt", "Tom, managing director"}, {pageFolder + "/scene/ines.vtt", "Ines, engineer"},
	} {
		raw, err := os.ReadFile(interview[0])
		require.NoError(t, err)
		s.Tenant.Project = uuid.MustParse(sceneProject)
		status, uploaded := s.upload(t, bearer, filepath.Base(interview[0]), raw)
		require.Equal(t, http.StatusCreated, status, "%v", uploaded)
		id := uploaded["importId"].(string)
		s.AsOwner(t, func(c *pgx.Conn) { // nobody may date an import back: for the scene, the triggers that see to it are off
			_, err := c.Exec(t.Context(), `set session_replication_role = replica`)
			require.NoError(t, err)
			_, err = c.Exec(t.Context(), `update imports set title = $2, created_at = now() - make_interval(days => $3) where id = $1`, id, interview[1], 30-7*i)
			require.NoError(t, err)
		})
		status, started := s.post(t, "/api/import/"+id+"/parse", bearer, map[string]any{"hypothesisIds": hypotheses})
		require.Equal(t, http.StatusOK, status, "%v", started)
		s.waitForStatus(t, bearer, id, "parsed")
	}
	s.Exec(t, `update evidence set review = 'accepted' where project_id = $1 and quote ~ 'desk|eleven|refused|per seat for people|fee\.'`, sceneProject)
	s.Exec(t, `update evidence set review = 'rejected' where project_id = $1 and quote ~ 'three minutes'`, sceneProject)
	s.Exec(t, `update hypotheses set status = 'invalidated', decided_by = $2, decided_at = now() - interval '2 days', decision_reason = 'Three of three buyers want a flat price.' where id = $1`, hypotheses[2], lena)
}
