package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/config"
	"research/db/dbtest"
	"research/telemetry"
)

// patience is how long a test waits for what should take a second.
const patience = 60 * time.Second

// A service is what operators run, in this process: `serve` and `worker` with their real wiring, a database and a Temporal namespace of their own.
type service struct {
	*dbtest.DB
	dbtest.Tenant
	cfg       config.Config
	getenv    func(string) string
	log       *slog.Logger
	logs      *logs
	temporal  client.Client
	stopWork  func()
	namespace string
}

// startService starts the programs; settings are NAME, value pairs beyond those that every test needs.
func startService(t testing.TB, settings ...string) *service {
	t.Helper()
	s := startAPI(t, settings...)
	s.startWork(t)
	return s
}

func (s *service) startWork(t testing.TB) {
	t.Helper()
	s.stopWork = background(t, func(ctx context.Context) error { return work(ctx, s.cfg, s.log) })
}

// startAPI is startService without a worker.
func startAPI(t testing.TB, settings ...string) *service {
	t.Helper()
	s := &service{DB: dbtest.New(t), namespace: "test-" + uuid.NewString()[:8], logs: &logs{}}
	s.Tenant = s.DB.Tenant(t)
	address := temporalAddress(t)
	makeNamespace(t, address, s.namespace)
	env := map[string]string{
		"DATABASE_URL": s.URL, "TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": s.namespace, "HTTP_ADDR": freeAddress(t), "STATE_DIR": t.TempDir(),
		"RECONCILE_INTERVAL": "1h", // tests that need it say so
		"ANON_KEY":           "anon-key", "SERVICE_ROLE_KEY": "service-key", "CRON_SECRET": "cron-secret-cron-secret",
		"DRAIN_DELAY": "0s", "WORKER_STOP_TIMEOUT": "5s",
	}
	for i := 0; i < len(settings); i += 2 {
		env[settings[i]] = settings[i+1]
	}
	s.getenv = func(name string) string { return env[name] }
	s.log = telemetry.NewLog(s.logs, slog.LevelInfo)
	var err error
	s.cfg, err = config.Load(s.getenv)
	require.NoError(t, err)
	s.temporal, err = client.Dial(client.Options{HostPort: address, Namespace: s.namespace, Logger: s.log})
	require.NoError(t, err)
	t.Cleanup(s.temporal.Close)
	t.Cleanup(func() { s.deleteSchedules(t) }) // when nobody brings them back any more
	background(t, func(ctx context.Context) error { return serve(ctx, s.cfg, s.log) })
	s.eventually(t, func() bool {
		status, _ := s.do(t, http.MethodGet, "/readyz", "", "", nil)
		return status == http.StatusOK
	})
	return s
}

// deleteSchedules keeps a namespace whose test is over from ticking on.
func (s *service) deleteSchedules(t testing.TB) {
	t.Helper()
	for _, schedule := range schedules(s.cfg) {
		_ = s.temporal.ScheduleClient().GetHandle(context.Background(), schedule.ID).Delete(context.Background()) // not there where Temporal was away
	}
}

// background runs a program until the test ends, or stop is called, and fails the test if it fails.
func background(t testing.TB, program func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- program(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		require.NoError(t, <-done)
	}
	t.Cleanup(stop)
	return stop
}

func temporalAddress(t testing.TB) string {
	t.Helper()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	if address == "" {
		t.Fatal("this test needs Temporal, and TEST_TEMPORAL_ADDRESS is not set: run it by `make test`, or by `go run . dev -- go test ./...`")
	}
	return address
}

func makeNamespace(t testing.TB, address, name string) {
	t.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	require.NoError(t, err)
	defer c.Close()
	require.Eventually(t, func() bool { // asked again while Temporal is busy with other tests; an answer that was lost made it all the same
		err = c.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)})
		var made *serviceerror.NamespaceAlreadyExists
		return err == nil || errors.As(err, &made)
	}, patience, 100*time.Millisecond)
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// eventually polls until the condition holds.
func (s *service) eventually(t testing.TB, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, 20*time.Millisecond)
}

// do sends a request as a client and returns status and body.
func (s *service) do(t testing.TB, method, path, bearer, contentType string, body []byte) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.cfg.HTTP.PublicURL+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", s.cfg.Keys.Anon)
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil // not listening yet
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	var answer map[string]any
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	}
	return resp.StatusCode, answer
}

func (s *service) post(t testing.TB, path, bearer string, body any) (int, map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return s.do(t, http.MethodPost, path, bearer, "application/json", raw)
}

// signIn returns the access token of a user of the tenant.
func (s *service) signIn(t testing.TB, user uuid.UUID) string {
	t.Helper()
	email := dbtest.Value[string](t, s.DB, `select email from auth.users where id = $1`, user)
	status, answer := s.post(t, "/auth/v1/token?grant_type=password", "", map[string]string{"email": email, "password": "correct horse"})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	return answer["access_token"].(string)
}

func (s *service) upload(t testing.TB, bearer, filename string, data []byte) (int, map[string]any) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("project_id", s.Project.String()))
	part, err := w.CreateFormFile("file", filename)
	require.NoError(t, err)
	_, err = part.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return s.do(t, http.MethodPost, "/api/import", bearer, w.FormDataContentType(), form.Bytes())
}

// parse asks for a parse as a client should: again, where Temporal cannot be reached for a moment.
func (s *service) parse(t testing.TB, bearer, id string, hypotheses ...uuid.UUID) (started map[string]any) {
	t.Helper()
	s.eventually(t, func() bool {
		var status int
		status, started = s.post(t, "/api/import/"+id+"/parse", bearer, map[string]any{"hypothesisIds": hypotheses})
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status, "%v", started)
		return status == http.StatusOK
	})
	return started
}

// waitForStatus polls the mirror until the import has the status.
func (s *service) waitForStatus(t testing.TB, bearer, id, status string) map[string]any {
	t.Helper()
	var answer map[string]any
	s.eventually(t, func() bool {
		_, answer = s.do(t, http.MethodGet, "/api/import/"+id, bearer, "", nil)
		return answer["status"] == status
	})
	return answer
}

func (s *service) requireProven(t *testing.T, evidence int) {
	t.Helper()
	require.Equal(t, evidence, dbtest.Value[int](t, s.DB, `select count(*) from evidence`))
	require.Equal(t, evidence, dbtest.Value[int](t, s.DB, `select count(*) from evidence e join private.transcripts t using (import_id)
		where convert_to(e.quote, 'UTF8') = substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)`))
}

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

func TestEndToEnd(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h1 := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	h2 := s.Hypothesis(t, s.Tenant, "Companies pay for a tool per seat")
	h3 := s.Hypothesis(t, s.Tenant, "Dentists struggle with calendars")
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)

	status, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	require.Equal(t, http.StatusCreated, status, "%v", uploaded)
	require.Equal(t, "vtt", uploaded["format"])
	require.EqualValues(t, 4, uploaded["utterances"])
	require.Equal(t, []any{"Dana Ng", "Omar Haddad"}, uploaded["speakers"])
	id := uploaded["importId"].(string)
	_, mirror := s.do(t, http.MethodGet, "/api/import/"+id, viewer, "", nil)
	require.Equal(t, "uploaded", mirror["status"])

	status, started := s.post(t, "/api/import/"+id+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h1, h2, h3, h1}})
	require.Equal(t, http.StatusOK, status, "%v", started)
	require.Equal(t, "queued", started["status"])
	require.NotEmpty(t, started["runId"])

	mirror = s.waitForStatus(t, viewer, id, "parsed")
	require.EqualValues(t, 1, mirror["coverage"])
	require.Equal(t, "keyword", mirror["extractor"])
	require.Equal(t, started["runId"], mirror["runId"])
	s.requireProven(t, int(mirror["evidenceCount"].(float64)))
	require.Positive(t, mirror["evidenceCount"])
	require.Equal(t, "nothing_found", dbtest.Value[string](t, s.DB, `select result::text from import_hypotheses where hypothesis_id = $1`, h3))
	require.Equal(t, 3, dbtest.Value[int](t, s.DB, `select count(*) from import_hypotheses where result <> 'pending'`))

	status, refused := s.post(t, "/api/import/"+id+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h1}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "import_already_parsed", refused["error"])

	t.Run("the run's history holds no transcript, no hypothesis, no address", func(t *testing.T) {
		history := s.history(t, started["workflowId"].(string), started["runId"].(string))
		require.Contains(t, history, id)
		for _, secret := range []string{"receipts", "flat price", "Omar", "Closing the books", "example.com", s.cfg.Keys.Anon, "password"} {
			require.NotContains(t, strings.ToLower(history), strings.ToLower(secret))
		}
	})

	if *record {
		s.record(t, started["workflowId"].(string), started["runId"].(string), "ParseTranscript/parsed.json")
	}

	t.Run("operators find the run by the import's id", func(t *testing.T) {
		s.eventually(t, func() bool {
			found, err := s.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
				Namespace: s.namespace, Query: fmt.Sprintf("ImportId = %q and WorkspaceId = %q", id, s.Workspace)})
			return err == nil && len(found.GetExecutions()) == 1
		})
	})
}

// record accepts the history of the end-to-end run for the replay test.
var record = flag.Bool("record", false, "write the runs' histories to workflows/testdata/history")

func (s *service) record(t *testing.T, workflowID, runID, file string) {
	t.Helper()
	var history historypb.History
	events := s.temporal.GetWorkflowHistory(t.Context(), workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		history.Events = append(history.Events, event)
	}
	raw, err := protojson.MarshalOptions{Indent: " "}.Marshal(&history)
	require.NoError(t, err)
	path := filepath.Join("workflows", "testdata", "history", file)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o644))
}

// history is everything that Temporal keeps of a run, as JSON with payloads decoded.
func (s *service) history(t *testing.T, workflowID, runID string) string {
	t.Helper()
	var b strings.Builder
	events := s.temporal.GetWorkflowHistory(t.Context(), workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		raw, err := protojson.Marshal(event)
		require.NoError(t, err)
		b.Write(raw)
		b.WriteString(decodePayloads(raw))
	}
	return b.String()
}

// decodePayloads finds the base64 texts of payloads and decodes them.
func decodePayloads(raw []byte) string {
	var event any
	if json.Unmarshal(raw, &event) != nil {
		return ""
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if text, ok := inner.(string); ok && key == "data" {
					var decoded []byte
					if json.Unmarshal([]byte(`"`+text+`"`), &decoded) == nil {
						b.Write(decoded)
					}
				}
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(event)
	return b.String()
}

func TestTwoParsesAtOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	_, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	path := "/api/import/" + uploaded["importId"].(string) + "/parse"
	statuses := make(chan int, 8)
	for range cap(statuses) {
		go func() {
			status, _ := s.post(t, path, editor, map[string]any{"hypothesisIds": []uuid.UUID{h}})
			statuses <- status
		}()
	}
	counts := map[int]int{}
	for range cap(statuses) {
		counts[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusUnprocessableEntity: cap(statuses) - 1}, counts)
	s.waitForStatus(t, editor, uploaded["importId"].(string), "parsed")
}

func TestTemporalAway(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	_, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	id := uploaded["importId"].(string)

	// A second API that looks for Temporal where there is none.
	away := *s
	away.cfg.Temporal.Address, away.cfg.HTTP.Addr = freeAddress(t), freeAddress(t)
	away.cfg.HTTP.PublicURL = "http://" + away.cfg.HTTP.Addr
	background(t, func(ctx context.Context) error { return serve(ctx, away.cfg, away.log) })
	away.eventually(t, func() bool {
		status, ready := away.do(t, http.MethodGet, "/readyz", "", "", nil)
		return status == http.StatusServiceUnavailable && ready["temporal"] == "unavailable" && ready["postgres"] == "ok"
	})
	before := dbtest.Value[string](t, s.DB, `select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1`, id)
	// Its issuer is another, so that its own token is needed.
	status, answer := away.post(t, "/api/import/"+id+"/parse", away.signIn(t, s.Editor), map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
	require.Equal(t, before, dbtest.Value[string](t, s.DB, `select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1`, id))

	s.stopWork()
	status, _ = s.post(t, "/api/import/"+id+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.Equal(t, http.StatusOK, status)
	before = dbtest.Value[string](t, s.DB, `select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1`, id)
	status, answer = away.post(t, "/api/import/"+id+"/cancel", away.signIn(t, s.Editor), nil)
	require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
	require.Contains(t, answer["message"], "Nothing was changed")
	require.Equal(t, before, dbtest.Value[string](t, s.DB, `select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1`, id))
	s.startWork(t)
	s.waitForStatus(t, editor, id, "parsed")
}

func TestLargeTranscript(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	var text strings.Builder
	words := strings.Fields("we export the card statement every morning and paste it in then somebody sorts one column and not the others so it breaks about once a week")
	for i := range 3000 { // 60,000 words
		fmt.Fprintf(&text, "%s: In week %d ", []string{"Dana", "Omar"}[i%2], i)
		for j := range 17 {
			text.WriteString(words[(i*7+j*3)%len(words)] + " ")
		}
		if i%50 == 0 {
			text.WriteString("and closing the books took days since receipts were missing")
		}
		text.WriteString(".\n\n")
	}
	_, uploaded := s.upload(t, editor, "long.txt", []byte(text.String()))
	require.EqualValues(t, 3000, uploaded["utterances"])
	id := uploaded["importId"].(string)
	status, _ := s.post(t, "/api/import/"+id+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.Equal(t, http.StatusOK, status)
	mirror := s.waitForStatus(t, editor, id, "parsed")
	s.requireProven(t, int(mirror["evidenceCount"].(float64)))
}
