package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"research/activities/extract/modeltest"
)

// What operators see of a parse that a client requested within a trace, of one that failed, and of a digest:
// metrics, traces, logs, and the link to Temporal's UI.
func TestObservability(t *testing.T) {
	t.Parallel()
	const (
		traceID   = "4bf92f3577b34da6a3ce929d0e0e4736"
		requestID = "request-of-a-client"
		said      = "missing receipts" // in the transcript
	)
	model, traces := modeltest.New(t), newTraceCollector(t)
	s := startAPI(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=m", "RECONCILE_INTERVAL=1s",
		"TEMPORAL_UI_URL=http://temporal-ui.example", "OTEL_EXPORTER_OTLP_ENDPOINT="+traces.URL,
		"OTEL_EXPORTER_OTLP_HEADERS=x-collector-key="+collectorKey)
	apiMetrics := s.url() + "/metrics"
	workerAddress := unusedAddress(t)
	workerMetrics := "http://" + workerAddress + "/metrics"
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)

	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	body, err := json.Marshal(map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.url()+"/api/import/"+id+"/parse", bytes.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"apikey": anonKey, "Authorization": "Bearer " + editor, "Content-Type": "application/json",
		"X-Request-Id": requestID, "traceparent": "00-" + traceID + "-00f067aa0ba902b7-01",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, requestID, resp.Header.Get("X-Request-Id"))
	queued, namesWhileQueued := scrape(t, apiMetrics)
	require.EqualValues(t, 1, queued[`research_imports{state="queued"}`])
	require.Positive(t, queued[`research_import_oldest_seconds{state="queued"}`])

	// The run of another import is terminated before a worker takes it, so the reconciler ends the import.
	terminated, workflowID, _ := s.addAndParse(t, editor, h)
	require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), workflowID, "", "a test"))
	s.makeClaimOverdue(t, terminated)

	stopWorker := s.startWorker(t, "METRICS_ADDR="+workerAddress)
	s.waitForStatus(t, editor, terminated, "terminated")
	imported := s.waitForStatus(t, editor, id, "parsed")
	require.NotContains(t, imported, "workflowUrl", "an editor runs nothing")
	require.Contains(t, s.waitForStatus(t, s.signIn(t, s.Owner), id, "parsed")["workflowUrl"],
		"http://temporal-ui.example/namespaces/"+s.namespace+"/workflows/import-"+id)

	model.Always(modeltest.BadKey())
	failed, _, _ := s.addAndParse(t, editor, s.Hypothesis(t, s.Tenant, "Dentists struggle with calendars"))
	s.waitForStatus(t, editor, failed, "failed")
	s.setDigestFrequency(t, "daily", s.Viewer)
	s.moveEventsToYesterday(t)
	require.Equal(t, 1, s.sendDigests(t, "daily"))

	t.Run("metrics", func(t *testing.T) {
		worker, _ := scrape(t, workerMetrics)
		api, _ := scrape(t, apiMetrics)
		// The reconciler of either process ended the import.
		for _, series := range []string{
			`research_imports_ended_total{status="terminated"}`,
			`research_import_state_duration_seconds_count{state="queued"}`,
			`research_reconciler_repairs_total`,
		} {
			require.Contains(t, worker, series)
			worker[series] += api[series]
		}
		for series, least := range map[string]float64{
			`research_imports_ended_total{status="parsed"}`:                 1,
			`research_imports_ended_total{status="failed"}`:                 1,
			`research_imports_ended_total{status="terminated"}`:             1,
			`research_chunks_total{outcome="read"}`:                         1,
			`research_model_calls_total{outcome="answered"}`:                1,
			`research_model_calls_total{outcome="model_key_rejected"}`:      1,
			`research_model_tokens_total{direction="input"}`:                1,
			`research_model_tokens_total{direction="output"}`:               1,
			`research_evidence_found_total`:                                 1,
			`research_import_state_duration_seconds_count{state="queued"}`:  3,
			`research_import_state_duration_seconds_count{state="parsing"}`: 2,
			`research_quotes_rejected_total`:                                0,
			`research_activity_retries_total{activity="ReadChunk"}`:         0,
			`research_reconciler_repairs_total`:                             1,
			`research_imports_late`:                                         0,
			`research_workers_missing`:                                      0,
			`research_digests_total{outcome="sent"}`:                        1,
		} {
			require.Contains(t, worker, series)
			require.GreaterOrEqual(t, worker[series], least, series)
		}
		eventually(t, "both imports are counted", func() bool { // the database is counted every ten seconds
			api, _ = scrape(t, apiMetrics)
			return api[`research_imports{state="parsed"}`] == 1 && api[`research_imports{state="failed"}`] == 1
		})
		parses := `research_http_requests_total{method="POST",route="/api/import/{importId}/parse",status="200"}`
		require.EqualValues(t, 3, api[parses], "%v", api)
	})

	t.Run("the dashboard and the alert rules name metrics that exist", func(t *testing.T) {
		_, known := scrape(t, workerMetrics)
		_, api := scrape(t, apiMetrics)
		maps.Copy(known, namesWhileQueued)
		maps.Copy(known, api)
		known["up"] = true                                            // Prometheus' own
		known["temporal_workflow_task_execution_failed_total"] = true // the SDK's, once one has failed
		used := map[string]bool{}
		for _, expression := range monitoringExpressions(t) {
			for _, name := range metricsOf(expression) {
				require.Truef(t, known[name], "there is no metric %s: %s", name, expression)
				used[name] = true
			}
		}
		require.Greater(t, len(used), 15)
		operations, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
		require.NoError(t, err)
		for name := range known {
			if name, ours := strings.CutPrefix(name, "research_"); ours {
				name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
				require.Contains(t, string(operations), "`research_"+name+"`")
			}
		}
	})

	t.Run("traces lead from the request through workflow and activity to SQL", func(t *testing.T) {
		for _, span := range []string{
			"POST /api/import/{importId}/parse", "StartWorkflow:ParseTranscript", "RunWorkflow:ParseTranscript",
			"RunActivity:ReadChunk", "ask openai", "sql StoreResponse", "sql BeginParse",
		} {
			eventually(t, "the trace has "+span, func() bool { return slices.Contains(traces.spans(traceID), span) })
		}
	})

	t.Run("logs are lines of JSON with the ids that belong to them", func(t *testing.T) {
		require.True(t, s.logs.has(t, map[string]string{
			"msg": "request", "request_id": requestID, "trace_id": traceID, "route": "/api/import/{importId}/parse",
		}), s.logs)
		require.True(t, s.logs.has(t, map[string]string{
			"msg": "import ended", "import_id": id, "status": "parsed", "request_id": requestID,
			"workflow_id": "import-" + id, "trace_id": traceID,
		}), s.logs)
	})

	stopWorker() // which sends the last spans
	t.Run("none of it has what people said", func(t *testing.T) {
		require.NotContains(t, s.logs.String(), said)
		require.NotContains(t, traces.received(), said)
	})
}

// has reports whether a line of the log has these fields.
func (l *logBuffer) has(t *testing.T, fields map[string]string) bool {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var logged map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &logged), line)
		matches := true
		for name, value := range fields {
			matches = matches && logged[name] == value
		}
		if matches {
			return true
		}
	}
	return false
}

// monitoringExpressions are the PromQL expressions of the dashboard and of the alert rules.
func monitoringExpressions(t *testing.T) []string {
	t.Helper()
	var expressions []string
	raw, err := os.ReadFile(filepath.Join("..", "docs", "monitoring", "dashboard.json"))
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
			expressions = append(expressions, target.Expr)
		}
	}
	raw, err = os.ReadFile(filepath.Join("..", "docs", "monitoring", "alerts.yml"))
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
			expressions = append(expressions, rule.Expr)
		}
	}
	return expressions
}

var (
	selector   = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)`)
	metricName = regexp.MustCompile(`[a-z]+(_[a-z0-9]+)+|\bup\b`)
	function   = regexp.MustCompile(`[a-z_]+\(`)
)

// metricsOf returns the names of the metrics in a PromQL expression.
func metricsOf(expression string) []string {
	bare := function.ReplaceAllString(selector.ReplaceAllString(expression, " "), " ")
	return metricName.FindAllString(bare, -1)
}
