//go:build clients

package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/dev/devtest"
)

// pageFolder holds the browser tests, and the scene in which they look around.
const pageFolder = "../api/web/clienttest"

// The page, driven in headless Chromium as researchers use it. Needs Node (20 or newer), npm and Chromium.
// With PICTURES=folder it keeps a picture of each view.
func TestClientPage(t *testing.T) {
	t.Parallel()
	gates := newPageGates(t)
	model := modeltest.New(t).Always(pageModel(t, gates))
	provider := "http://127.0.0.1:" + devtest.FreePort(t)
	s := startAPI(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=sk-test", "OPENAI_MODEL=test-model",
		"PARSE_CONCURRENCY=1", "TEMPORAL_UI_URL=http://temporal.example", "RECONCILE_INTERVAL=1s",
		"REST_MAX_ROWS=500", "LIMIT_ADDRESS_SIGNUPS=0", "EXTERNAL_ALLOWED_HOSTS=127.0.0.1",
		"EXTERNAL_GOOGLE_CLIENT_ID=google-id", "EXTERNAL_GOOGLE_CLIENT_SECRET=google-secret",
		"EXTERNAL_AZURE_CLIENT_ID=azure-id", "EXTERNAL_AZURE_CLIENT_SECRET=azure-secret",
		`EXTERNAL_PROVIDERS=[{"name":"acme","label":"Acme","issuer":"`+provider+`","client_id":"research",`+
			`"client_secret":"acme-secret","trusts_email":true}]`)
	s.addKeywordScene(t)
	s.startWorker(t)
	s.addScene(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(pageFolder)))
	installPackages(t, dir)
	env := []string{
		"BASE_URL=" + s.url(), "ANON_KEY=" + anonKey, "SERVICE_ROLE_KEY=" + serviceKey, "GATES_URL=" + gates.URL,
		"CHROMIUM=" + findChromium(t), "MAIL_DIR=" + s.mailDir(), "PROVIDER_URL=" + provider,
		"TMPDIR=" + t.TempDir(), // the browser's profile is removed with the test
	}
	if pictures := os.Getenv("PICTURES"); pictures != "" {
		folder, err := filepath.Abs(pictures)
		require.NoError(t, err)
		env = append(env, "PICTURES="+folder)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.test.js"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			out := runProgram(t, dir, env, "node", "--test", "--test-reporter=tap", file)
			requireChecks(t, out, checksOf(t, file))
			for _, figure := range regexp.MustCompile(`(?m)^\s*# (figure: .*)$`).FindAllSubmatch(out, -1) {
				t.Logf("%s", figure[1])
			}
		})
	}
}

// checksOf returns the number of checks that a file declares outside loops.
func checksOf(t *testing.T, file string) int {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	return len(regexp.MustCompile(`(?m)^\s*test\(`).FindAll(source, -1))
}

// The page's code has the format of Prettier, as Go code has that of gofmt, and types that TypeScript checks.
func TestClientPageCode(t *testing.T) {
	t.Parallel()
	runProgram(t, "..", nil, "make", "check-page")
}

// findChromium finds the browser on this machine; none is downloaded. The same engine without windows of its
// own takes two thirds of the CPU time.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Fatal("this test needs Chromium on the PATH: apt-get install chromium-headless-shell")
	return ""
}

// A sceneFinding is what the model answers about a passage, for the hypothesis that begins so. An empty Quote
// quotes the passage itself.
type sceneFinding struct {
	Hypothesis, Stance, Strength, Passage, Quote, Summary, Rationale string
}

// pageGates hold the model's answers about passages that say "wait for the gate NAME" until a browser test
// opens the gate with POST /NAME.
type pageGates struct {
	URL string

	mu     sync.Mutex
	opened map[string]chan struct{}
}

func newPageGates(t *testing.T) *pageGates {
	t.Helper()
	g := &pageGates{opened: map[string]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(g.gate(strings.TrimPrefix(r.URL.Path, "/")))
	}))
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

func (g *pageGates) gate(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened[name] == nil {
		g.opened[name] = make(chan struct{})
	}
	return g.opened[name]
}

var (
	gateInPrompt       = regexp.MustCompile(`wait for the gate (\S+)`)
	hypothesesInPrompt = regexp.MustCompile(`(?m)^(h\d+): (.*)$`)
)

// pageModel is the model behind the page. It answers about the scene's interviews what findings.json says,
// and about other transcripts as their words ask for.
func pageModel(t *testing.T, gates *pageGates) modeltest.Behavior {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pageFolder, "scene", "findings.json"))
	require.NoError(t, err)
	var findings []sceneFinding
	require.NoError(t, json.Unmarshal(raw, &findings))
	sceneAnswer := modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
		return modeltest.Completion{Content: answerFrom(findings, c).JSON()}
	})
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		if named := gateInPrompt.FindStringSubmatch(x.User); named != nil {
			select {
			case <-gates.gate(named[1]):
			case <-x.Gone:
				return
			}
		}
		for words, answer := range map[string]modeltest.Behavior{
			"Lena Fischer":            sceneAnswer,
			"never answer this":       modeltest.Hang(),
			"the key must be refused": modeltest.BadKey(),
			"server must be away":     modeltest.Status(http.StatusServiceUnavailable, "{}"),
			"Perhaps":                 modeltest.Change(weaken),
		} {
			if strings.Contains(x.User, words) {
				answer(w, x)
				return
			}
		}
		modeltest.Honest()(w, x)
	}
}

func weaken(r *modeltest.Reply) {
	for i := range r.Findings {
		r.Findings[i].Strength = "weak"
	}
}

// answerFrom returns the findings whose hypothesis and passage are in the prompt.
func answerFrom(findings []sceneFinding, c modeltest.Call) modeltest.Reply {
	reply := modeltest.Reply{Findings: []modeltest.Finding{}, Questions: []modeltest.Question{}}
	for _, h := range hypothesesInPrompt.FindAllStringSubmatch(c.User, -1) {
		for _, f := range findings {
			if !strings.HasPrefix(h[2], f.Hypothesis) {
				continue
			}
			for _, line := range modeltest.Lines(c.User) {
				if strings.Contains(line.Text, f.Passage) {
					reply.Findings = append(reply.Findings, modeltest.Finding{
						Hypothesis: h[1], Utterances: []string{line.ID}, Quote: cmp.Or(f.Quote, f.Passage),
						Rationale: f.Rationale, Stance: f.Stance, Strength: f.Strength, Summary: f.Summary,
					})
				}
			}
		}
	}
	return reply
}
