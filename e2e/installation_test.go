package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev"
	"research/dev/devtest"
)

// An installation is the service as separate processes, which a test may kill and stop: PostgreSQL,
// Temporal, `research serve` and `research worker`.
type installation struct {
	binary   string // of the programs that are started from now on
	dir      string // with the data, and the logs NAME.log
	url      string // of the API
	temporal string // its address
	db       *dbtest.DB
	parts    map[string]*dev.Part // postgres, temporal, serve, worker, and what addProgram added
	model    *slowModel
	settings []string // NAME=value, of serve and worker
}

// startInstallation starts all four parts. Settings are NAME=value, beyond those that every test needs.
func startInstallation(t testing.TB, settings ...string) *installation {
	t.Helper()
	return startInstallationOf(t, devtest.Binary(t), settings...)
}

// startInstallationOf is startInstallation with another binary.
func startInstallationOf(t testing.TB, binary string, settings ...string) *installation {
	t.Helper()
	in := &installation{
		binary: binary, dir: devtest.OpenFolder(t), parts: map[string]*dev.Part{}, model: newSlowModel(t),
	}
	postgres, databaseURL, err := dev.NewPostgres(t.Context(), in.dir)
	require.NoError(t, err)
	temporal, address, err := dev.NewTemporal(t.Context(), in.dir)
	require.NoError(t, err)
	listen := unusedAddress(t)
	in.temporal, in.url, in.db = address, "http://"+listen, &dbtest.DB{URL: databaseURL}
	in.settings = append([]string{
		"DATABASE_URL=" + databaseURL, "TEMPORAL_ADDRESS=" + address, "HTTP_ADDR=" + listen, "STATE_DIR=" + in.dir,
		"ANON_KEY=" + anonKey, "SERVICE_ROLE_KEY=" + serviceKey, "CRON_SECRET=" + cronSecret,
		"RECONCILE_INTERVAL=2s", "TEMPORAL_TIMEOUT=10s",
		"OPENAI_BASE_URL=" + in.model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test",
	}, settings...)

	in.parts["postgres"], in.parts["temporal"] = postgres, temporal
	in.start(t, "postgres", "temporal")
	out, err := in.command(t, "migrate").CombinedOutput()
	require.NoError(t, err, "%s", out)
	in.addProgram(t, "serve", "serve")
	in.addProgram(t, "worker", "worker")
	in.start(t, "serve", "worker")
	in.waitUntilReady(t)
	return in
}

// addProgram adds a part that runs a command of the binary, with these settings beyond the installation's.
func (in *installation) addProgram(t testing.TB, part, command string, settings ...string) {
	t.Helper()
	in.parts[part] = dev.NewProgram(part, in.dir, func() *exec.Cmd {
		return in.command(t, command, settings...)
	})
}

func (in *installation) command(t testing.TB, command string, settings ...string) *exec.Cmd {
	t.Helper()
	cmd := devtest.Command(t, command)
	cmd.Path = in.binary
	cmd.Env = append(append(cmd.Env, in.settings...), settings...)
	return cmd
}

// start starts parts at the same time, and ends them with the test.
func (in *installation) start(t testing.TB, names ...string) {
	t.Helper()
	var starting sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		starting.Go(func() { errs[i] = in.parts[name].Start(t.Context()) })
		t.Cleanup(in.parts[name].End)
	}
	starting.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func (in *installation) waitUntilReady(t testing.TB) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("serve: %s\nworker: %s", in.parts["serve"].Output(), in.parts["worker"].Output())
		}
	}()
	eventually(t, "the API and all that it uses are ready", func() bool { return in.readiness(t) == "ok" })
}

// getStatus is the status of an answer; 0 where nobody listens.
func getStatus(t testing.TB, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// readiness is the status that the API reports; empty where nobody listens.
func (in *installation) readiness(t testing.TB) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.url+"/readyz", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	var ready struct{ Status string }
	_ = json.NewDecoder(resp.Body).Decode(&ready) // a server that is killed sends half of it
	return ready.Status
}

// query reads a text as the database's owner. It waits for a database that is about to come back.
func (in *installation) query(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	eventually(t, sql, func() bool {
		var err error
		text, err = dbtest.Try[string](t.Context(), in.db, sql, args...)
		return err == nil
	})
	return text
}

// waitUntilParsed waits until an import is parsed; any other end fails the test.
func (in *installation) waitUntilParsed(t testing.TB, importID string, timeout time.Duration) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for ; ; <-ticker.C {
		status := in.query(t, `select concat_ws(' ', status, error_code) from imports where id = $1`, importID)
		if status == "parsed" {
			return
		}
		require.Contains(t, []string{"uploaded", "queued", "parsing"}, status, "import %s", importID)
		require.True(t, time.Now().Before(deadline), "import %s hangs: %s", importID, status)
	}
}

// post returns the status and the JSON of an answer; the status is 0 where there was none.
func (in *installation) post(
	t testing.TB, path, token, contentType string, body []byte,
) (status int, answer map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, in.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Content-Type", contentType)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// A project is where interviews are uploaded to, with hypotheses to parse them for.
type project struct {
	*installation
	tenant     dbtest.Tenant
	token      string // an editor's
	hypotheses []uuid.UUID
	imports    []string // the ids of those that were added
}

func (in *installation) newProject(t testing.TB) *project {
	t.Helper()
	p := &project{installation: in, tenant: in.db.Tenant(t)}
	p.hypotheses = []uuid.UUID{
		in.db.Hypothesis(t, p.tenant, "Closing the books takes days because receipts are missing"),
		in.db.Hypothesis(t, p.tenant, "Companies pay for a tool per seat"),
	}
	email := dbtest.Value[string](t, in.db, `select email from auth.users where id = $1`, p.tenant.Editor)
	credentials := fmt.Appendf(nil, `{"email": %q, "password": "correct horse"}`, email)
	status, answer := in.post(t, "/auth/v1/token?grant_type=password", "", "application/json", credentials)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	p.token = answer["access_token"].(string)
	return p
}

// add uploads the interview of this number, and returns the import's id. It tries again if PostgreSQL cannot
// be reached for a moment, as clients should.
func (p *project) add(t testing.TB, number int) (importID string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("project_id", p.tenant.Project.String()))
	part, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(t, err)
	_, err = part.Write(numberedInterview(p.tenant.Project, number))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	eventually(t, "the upload is stored", func() bool {
		status, answer := p.post(t, "/api/import", p.token, w.FormDataContentType(), form.Bytes())
		require.Contains(t, []int{http.StatusCreated, http.StatusServiceUnavailable}, status, "%v", answer)
		importID, _ = answer["importId"].(string)
		return status == http.StatusCreated
	})
	p.imports = append(p.imports, importID)
	return importID
}

// parse requests a parse until it is in progress, like a client that gets no answer or is asked to retry.
func (p *project) parse(t testing.TB, importID string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"hypothesisIds": p.hypotheses})
	require.NoError(t, err)
	eventually(t, "import "+importID+" is under way", func() bool {
		status, answer := p.post(t, "/api/import/"+importID+"/parse", p.token, "application/json", body)
		return status == http.StatusOK || status == http.StatusUnprocessableEntity &&
			strings.HasPrefix(answer["error"].(string), "import_already_")
	})
}

// interviewVariants is how many interviews differ in their evidence.
const interviewVariants = 4

// numberedInterview has three chunks. Interviews whose numbers are congruent have the same evidence; what is
// not evidence differs, so that no two interviews lead to the same model call.
func numberedInterview(project uuid.UUID, number int) []byte {
	variant := number % interviewVariants
	var b strings.Builder
	for i := range 420 {
		fmt.Fprintf(&b, "%s: In week %d of %s-%06d we exported the card statement and pasted it in, and somebody "+
			"sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, project, number)
		switch i % 100 {
		case 50 + variant:
			fmt.Fprintf(&b, "Omar: Closing the books takes us %d days because receipts are missing.\n\n", i)
		case 80 - variant:
			fmt.Fprintf(&b, "Omar: We would never pay for a tool per seat, not even %d of them.\n\n", i)
		}
	}
	return []byte(b.String())
}
