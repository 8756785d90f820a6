package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"research/activities/extract/modeltest"
)

// A collector takes traces as an OpenTelemetry collector does, and keeps the names of spans by trace.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string][]string
	raw   bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: map[string][]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	raw, err := io.ReadAll(body)
	var sent v1.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("x-collector-key") != "sekret" || proto.Unmarshal(raw, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(raw)
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				id := hex.EncodeToString(span.GetTraceId())
				c.spans[id] = append(c.spans[id], span.GetName())
			}
		}
	}
}

// of returns the names of a trace's spans that have come so far.
func (c *collector) of(trace string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans[trace])
}

// samples are the numbers of a scrape, by name and labels, and all names.
func samples(t *testing.T, address string) (numbers map[string]float64, names map[string]bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	numbers, names = map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}
		series := line[:at]
		numbers[series], err = strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		require.NoError(t, err)
		name, _, _ := strings.Cut(series, "{")
		names[name] = true
	}
	return numbers, names
}

// What operators see of a parse that a client asked for within a trace, of one that failed, and of a digest: metrics, traces, logs, and the way to Temporal's UI.
func TestWhatOperatorsSee(t *testing.T) {
	t.Parallel()
	const trace, request, said = "4bf92f3577b34da6a3ce929d0e0e4736", "request-of-a-client", "missing receipts"
	model, traces := modeltest.New(t), newCollector(t)
	s := startAPI(t, "OPENAI_BASE_URL", model.URL, "OPENAI_MODEL", "m", "RECONCILE_INTERVAL", "1s", "TEMPORAL_UI_URL", "http://temporal-ui.example",
		"OTEL_EXPORTER_OTLP_ENDPOINT", traces.URL, "OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=sekret")
	atWork := s.cfg
	atWork.Seeing.MetricsAddr = freeAddress(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)

	_, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	id := uploaded["importId"].(string)
	body, err := json.Marshal(map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.cfg.HTTP.PublicURL+"/api/import/"+id+"/parse", bytes.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{"apikey": s.cfg.Keys.Anon, "Authorization": "Bearer " + editor, "Content-Type": "application/json",
		"X-Request-Id": request, "traceparent": "00-" + trace + "-00f067aa0ba902b7-01"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, request, resp.Header.Get("X-Request-Id"))
	queued, waiting := samples(t, s.cfg.HTTP.PublicURL+"/metrics")
	require.EqualValues(t, 1, queued[`research_imports{state="queued"}`])
	require.Positive(t, queued[`research_import_oldest_seconds{state="queued"}`])

	// The run of another import is terminated before a worker takes it: the reconciler ends the import.
	terminated, run := s.startParse(t, editor, h)
	require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), run["workflowId"].(string), "", "a test"))
	s.Exec(t, `update imports set queued_at = now() - interval '1 minute' where id = $1`, terminated)

	stop := background(t, func(ctx context.Context) error { return work(ctx, atWork, s.log) })
	s.waitForStatus(t, editor, terminated, "terminated")
	mirror := s.waitForStatus(t, editor, id, "parsed")
	require.Contains(t, mirror["workflowUrl"], "http://temporal-ui.example/namespaces/"+s.namespace+"/workflows/import-"+id)

	model.Always(modeltest.BadKey())
	failed, _ := s.startParse(t, editor, s.Hypothesis(t, s.Tenant, "Dentists struggle with calendars"))
	s.waitForStatus(t, editor, failed, "failed")
	s.wants(t, "daily", s.Viewer)
	s.yesterday(t)
	require.Equal(t, 1, s.sendDigests(t, "daily"))

	t.Run("metrics", func(t *testing.T) {
		var worker map[string]float64
		s.eventually(t, func() bool { // the reconciler ticks
			worker, _ = samples(t, "http://"+atWork.Seeing.MetricsAddr+"/metrics")
			return worker["research_reconciler_runs_total"] > 0
		})
		for series, least := range map[string]float64{
			`research_imports_ended_total{status="parsed"}`: 1, `research_imports_ended_total{status="failed"}`: 1,
			`research_imports_ended_total{status="terminated"}`: 1, `research_chunks_total{outcome="read"}`: 1,
			`research_model_calls_total{outcome="answered"}`: 1, `research_model_calls_total{outcome="model_key_rejected"}`: 1,
			`research_model_tokens_total{direction="input"}`: 1, `research_model_tokens_total{direction="output"}`: 1, `research_evidence_found_total`: 1,
			`research_import_state_duration_seconds_count{state="queued"}`: 3, `research_import_state_duration_seconds_count{state="parsing"}`: 2,
			`research_quotes_rejected_total`: 0, `research_activity_retries_total{activity="ExtractChunk"}`: 0, `research_reconciler_repairs_total`: 1,
			`research_digests_total{outcome="sent"}`: 1,
		} {
			require.Contains(t, worker, series)
			require.GreaterOrEqual(t, worker[series], least, series)
		}
		var api map[string]float64
		s.eventually(t, func() bool { // what the database has is counted every ten seconds
			api, _ = samples(t, s.cfg.HTTP.PublicURL+"/metrics")
			return api[`research_imports{state="parsed"}`] == 1 && api[`research_imports{state="failed"}`] == 1
		})
		require.EqualValues(t, 3, api[`research_http_requests_total{method="POST",route="/api/import/{importId}/parse",status="200"}`], "%v", api)
	})

	t.Run("the dashboard and the alert rules name metrics that exist", func(t *testing.T) {
		_, known := samples(t, "http://"+atWork.Seeing.MetricsAddr+"/metrics")
		_, api := samples(t, s.cfg.HTTP.PublicURL+"/metrics")
		maps.Copy(known, waiting)
		maps.Copy(known, api)
		known["up"] = true // Prometheus' own
		used := map[string]bool{}
		for _, expression := range expressions(t) {
			for _, name := range metricsOf(expression) {
				require.Truef(t, known[name], "there is no metric %s: %s", name, expression)
				used[name] = true
			}
		}
		require.Greater(t, len(used), 15)
		operations, err := os.ReadFile(filepath.Join("docs", "operations.md"))
		require.NoError(t, err)
		for name := range known {
			if name, ours := strings.CutPrefix(name, "research_"); ours {
				name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
				require.Contains(t, string(operations), "`research_"+name+"`")
			}
		}
	})

	t.Run("traces lead from the request through workflow and activity to SQL", func(t *testing.T) {
		for _, want := range []string{"POST /api/import/{importId}/parse", "StartWorkflow:ParseTranscript", "RunWorkflow:ParseTranscript", "RunActivity:ExtractChunk", "ask openai", "sql FinishChunk"} {
			s.eventually(t, func() bool { return slices.Contains(traces.of(trace), want) })
		}
	})

	t.Run("logs are lines of JSON with the ids that belong to them", func(t *testing.T) {
		has := func(pairs ...string) bool {
			for line := range strings.Lines(s.logs.String()) {
				var fact map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &fact), line)
				matches := true
				for i := 0; i < len(pairs); i += 2 {
					matches = matches && fact[pairs[i]] == pairs[i+1]
				}
				if matches {
					return true
				}
			}
			return false
		}
		require.True(t, has("msg", "request", "request_id", request, "trace_id", trace, "route", "/api/import/{importId}/parse"), s.logs)
		require.True(t, has("msg", "import ended", "import_id", id, "status", "parsed", "request_id", request, "workflow_id", "import-"+id, "trace_id", trace), s.logs)
	})

	stop() // which sends the last spans
	t.Run("nothing of it holds what people said", func(t *testing.T) {
		require.NotContains(t, s.logs.String(), said)
		traces.mu.Lock()
		defer traces.mu.Unlock()
		require.NotContains(t, traces.raw.String(), said)
	})
}

// expressions are those of the dashboard and of the alert rules.
func expressions(t *testing.T) []string {
	t.Helper()
	var all []string
	raw, err := os.ReadFile(filepath.Join("docs", "monitoring", "dashboard.json"))
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &dashboard))
	for _, panel := range dashboard.Panels {
		require.Truef(t, panel.Type == "row" || len(panel.Targets) > 0, "the panel %s shows nothing", panel.Title)
		for _, target := range panel.Targets {
			all = append(all, target.Expr)
		}
	}
	raw, err = os.ReadFile(filepath.Join("docs", "monitoring", "alerts.yml"))
	require.NoError(t, err)
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&rules))
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			require.NotEmpty(t, rule.Labels["severity"], rule.Alert)
			require.NotEmpty(t, rule.Annotations["action"], "%s does not say what to do", rule.Alert)
			all = append(all, rule.Expr)
		}
	}
	return all
}

var (
	selector   = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)`)
	metricName = regexp.MustCompile(`[a-z]+(_[a-z0-9]+)+|\bup\b`)
	function   = regexp.MustCompile(`[a-z_]+\(`)
)

// metricsOf are the names in an expression of PromQL.
func metricsOf(expression string) []string {
	bare := function.ReplaceAllString(selector.ReplaceAllString(expression, " "), " ")
	return metricName.FindAllString(bare, -1)
}
