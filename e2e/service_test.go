package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/api/reference/contract"
	"research/cli"
	"research/config"
	"research/db/dbtest"
	"research/dev/devtest"
	"research/temporalclient"
)

// timeout is how long a test waits for what should take a second or two.
const timeout = 5 * time.Minute

// The secrets of every service under test.
const (
	anonKey      = "anon-key"
	serviceKey   = "service-key"
	cronSecret   = "cron-secret-cron-secret"
	metricsToken = "metrics-token-metrics-token"

	relaySecret = "relay-secret-relay-secret" // where a test sets it
)

// A service is an installation under test. It has a database and a Temporal namespace of its own, and a
// workspace whose members are in Tenant. Its programs run inside the test process, started by the same
// command line as operators use.
type service struct {
	*dbtest.DB
	dbtest.Tenant
	settings  map[string]string // the environment of its programs
	temporal  client.Client
	namespace string
	logs      *logBuffer
	zone      string // the time zone of the members' digests; see noonZone
	// stopWorker stops the worker that startService or startWorker started last.
	stopWorker func()
}

// startService starts `research serve` and `research worker`. Settings are NAME=value, beyond those that
// every test needs.
func startService(t testing.TB, settings ...string) *service {
	t.Helper()
	s := startAPI(t, settings...)
	s.startWorker(t)
	return s
}

// startAPI starts `research serve`, and no worker.
func startAPI(t testing.TB, settings ...string) *service {
	t.Helper()
	db := dbtest.New(t)
	s := &service{
		DB: db, Tenant: db.Tenant(t), namespace: newNamespace(t), logs: &logBuffer{}, zone: noonZone(time.Now()),
	}
	s.Exec(t, `update digest_preferences set timezone = $1`, s.zone)
	s.settings = newSettings(t, db.URL, s.namespace)
	maps.Copy(s.settings, parseSettings(settings))
	var err error
	s.temporal, err = client.Dial(client.Options{
		HostPort: temporalAddress(t), Namespace: s.namespace, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(s.temporal.Close)
	t.Cleanup(func() { s.deleteSchedules(t) }) // once no server creates them again
	s.start(t, "serve")
	eventually(t, "the API is ready", func() bool {
		status, _ := s.get(t, "/readyz", "")
		return status == http.StatusOK
	})
	return s
}

// newSettings are those that every test needs.
func newSettings(t testing.TB, databaseURL, namespace string) map[string]string {
	t.Helper()
	return map[string]string{
		"DATABASE_URL":        databaseURL,
		"TEMPORAL_ADDRESS":    temporalAddress(t),
		"TEMPORAL_NAMESPACE":  namespace,
		"TEMPORAL_TIMEOUT":    "10s", // a busy machine is not an outage
		"HTTP_ADDR":           unusedAddress(t),
		"STATE_DIR":           t.TempDir(),
		"ANON_KEY":            anonKey,
		"SERVICE_ROLE_KEY":    serviceKey,
		"CRON_SECRET":         cronSecret,
		"METRICS_TOKEN":       metricsToken,
		"RECONCILE_INTERVAL":  "1h", // tests of the reconciler set their own
		"DRAIN_DELAY":         "0s",
		"WORKER_STOP_TIMEOUT": "5s",
		"BCRYPT_COST":         "4", // the lowest: a password takes no time
	}
}

// startWorker starts a worker, with these settings beyond the service's, and returns what stops it.
func (s *service) startWorker(t testing.TB, settings ...string) (stop func()) {
	t.Helper()
	s.stopWorker = s.with(settings...).start(t, "worker")
	return s.stopWorker
}

// with returns the same service with other settings for the programs and commands that it starts from now on.
func (s *service) with(settings ...string) *service {
	other := *s
	other.settings = maps.Clone(s.settings)
	maps.Copy(other.settings, parseSettings(settings))
	return &other
}

// start runs a program until the test ends or stop is called. The test fails unless the program's exit code
// is 0.
func (s *service) start(t testing.TB, program string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, []string{program}, s.system(nil, s.logs, s.logs)) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.Zero(t, <-done, "%s has failed: %s", program, s.logs)
	})
	t.Cleanup(stop)
	return stop
}

// command runs an operators' command. Its error is what the command prints on standard error, where its exit
// code is not 0.
func (s *service) command(t testing.TB, args ...string) (stdout string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := cli.Run(t.Context(), args, s.system(strings.NewReader(""), &out, &errOut)); code != 0 {
		err = errors.New(errOut.String())
	}
	return out.String(), err
}

// mustCommand is command for one that succeeds.
func (s *service) mustCommand(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	out, err := s.command(t, args...)
	require.NoError(t, err)
	return out
}

func (s *service) system(stdin io.Reader, stdout, stderr io.Writer) cli.System {
	return cli.System{
		Settings: func() (config.Config, error) { return s.config() },
		Stdin:    stdin, Stdout: stdout, Stderr: stderr,
	}
}

func (s *service) config() (config.Config, error) {
	return config.Load(func(name string) string { return s.settings[name] })
}

// deleteSchedules stops the schedules of a namespace whose test is over.
func (s *service) deleteSchedules(t testing.TB) {
	t.Helper()
	for _, schedule := range temporalclient.Schedules() {
		handle := s.temporal.ScheduleClient().GetHandle(context.Background(), schedule.ID)
		_ = handle.Delete(context.Background()) // where Temporal was away, there are none
	}
}

func parseSettings(settings []string) map[string]string {
	parsed := map[string]string{}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		parsed[name] = value
	}
	return parsed
}

// url is the address of the API.
func (s *service) url() string {
	if url := s.settings["PUBLIC_URL"]; url != "" {
		return url
	}
	return "http://" + s.settings["HTTP_ADDR"]
}

// request sends a request as a client does, and returns the status and the JSON of the answer; the status is
// 0 where nobody listens. An empty token means no Authorization header.
func (s *service) request(
	t testing.TB, method, path, token, contentType string, body []byte,
) (status int, answer map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url()+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	contract.Check(t, contract.Exchange{
		Method: method, Path: path, Status: resp.StatusCode, Header: resp.Header, Body: raw,
	})
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	}
	return resp.StatusCode, answer
}

func (s *service) get(t testing.TB, path, token string) (status int, answer map[string]any) {
	t.Helper()
	return s.request(t, http.MethodGet, path, token, "", nil)
}

// post sends body as JSON.
func (s *service) post(t testing.TB, path, token string, body any) (status int, answer map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return s.request(t, http.MethodPost, path, token, "application/json", raw)
}

// signIn returns the access token of a user.
func (s *service) signIn(t testing.TB, user uuid.UUID) string {
	t.Helper()
	status, answer := s.post(t, "/auth/v1/token?grant_type=password", "",
		map[string]string{"email": s.email(t, user), "password": "correct horse"})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	return answer["access_token"].(string)
}

// email is a user's address.
func (s *service) email(t testing.TB, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, s.DB, `select email from auth.users where id = $1`, user)
}

// upload uploads a transcript to the project.
func (s *service) upload(
	t testing.TB, token, filename string, content []byte,
) (status int, answer map[string]any) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("project_id", s.Project.String()))
	part, err := w.CreateFormFile("file", filename)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return s.request(t, http.MethodPost, "/api/import", token, w.FormDataContentType(), form.Bytes())
}

// add uploads a transcript that is accepted, and returns the import's id.
func (s *service) add(t testing.TB, token, filename string, content []byte) (importID string) {
	t.Helper()
	status, uploaded := s.upload(t, token, filename, content)
	require.Equal(t, http.StatusCreated, status, "%v", uploaded)
	return uploaded["importId"].(string)
}

// requestParse asks for a parse once.
func (s *service) requestParse(
	t testing.TB, token, importID string, hypotheses ...uuid.UUID,
) (status int, answer map[string]any) {
	t.Helper()
	body := map[string]any{"hypothesisIds": hypotheses}
	return s.post(t, "/api/import/"+importID+"/parse", token, body)
}

// startParse starts a parse, and tries again where Temporal cannot be reached for a moment, as clients
// should.
func (s *service) startParse(
	t testing.TB, token, importID string, hypotheses ...uuid.UUID,
) (started map[string]any) {
	t.Helper()
	eventually(t, "the parse starts", func() bool {
		var status int
		status, started = s.requestParse(t, token, importID, hypotheses...)
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status, "%v", started)
		return status == http.StatusOK
	})
	return started
}

// waitForStatus waits until the import has the status, and returns the import.
func (s *service) waitForStatus(t testing.TB, token, importID, status string) (imported map[string]any) {
	t.Helper()
	eventually(t, "the import is "+status, func() bool {
		_, imported = s.get(t, "/api/import/"+importID, token)
		return imported["status"] == status
	})
	return imported
}

// requireProven requires a number of pieces of evidence, each with a quote that is a slice of its transcript.
func (s *service) requireProven(t testing.TB, evidence int) {
	t.Helper()
	require.Equal(t, evidence, dbtest.Value[int](t, s.DB, `select count(*) from evidence`))
	require.Equal(t, evidence, dbtest.Value[int](t, s.DB, `
		select count(*) from evidence e join private.transcripts t using (import_id)
		where convert_to(e.quote, 'UTF8') = substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)`))
}

// eventually polls until the condition holds, and fails the test where it does not within the timeout.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, timeout, 50*time.Millisecond, what)
}

func temporalAddress(t testing.TB) string {
	t.Helper()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	if address == "" {
		t.Fatal("this test needs Temporal, and TEST_TEMPORAL_ADDRESS is not set: " +
			"run it with `make test`, or with `go run . dev -- go test ./...`")
	}
	return address
}

// newNamespace registers a namespace.
func newNamespace(t testing.TB) (name string) {
	t.Helper()
	name = "test-" + uuid.NewString()[:8]
	c, err := client.NewNamespaceClient(client.Options{
		HostPort: temporalAddress(t), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	defer c.Close()
	eventually(t, "the namespace is registered", func() bool { // Temporal may be busy with other tests
		err = c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
			Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		var exists *serviceerror.NamespaceAlreadyExists // an answer was lost
		return err == nil || errors.As(err, &exists)
	})
	return name
}

// unusedAddress is a host and port that nobody listens on.
func unusedAddress(t testing.TB) string {
	t.Helper()
	return "127.0.0.1:" + devtest.FreePort(t)
}

// A logBuffer keeps what the programs log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// zoom is a short transcript as Zoom exports it.
const zoom = `WEBVTT

1
00:00:04.120 --> 00:00:07.480
Dana Ng: How do you close the books today?

2
00:00:08.000 --> 00:00:15.250
Omar Haddad: Closing the books takes us five days, and I spend most of it on missing receipts.

3
00:00:15.900 --> 00:00:18.000
Dana Ng: Would you pay for a tool?

4
00:00:18.100 --> 00:00:25.000
Omar Haddad: No. We would never pay per seat, it has to be one flat price.
`
