package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collectorKey is the value of the header x-collector-key that a traceCollector requires.
const collectorKey = "sekret"

// A traceCollector receives traces as an OpenTelemetry collector does.
type traceCollector struct {
	*httptest.Server

	mu        sync.Mutex
	spanNames map[string][]string // by trace id
	raw       bytes.Buffer
}

func newTraceCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := &traceCollector{spanNames: map[string][]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *traceCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("x-collector-key") != collectorKey ||
		proto.Unmarshal(raw, &sent) != nil {
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
				c.spanNames[id] = append(c.spanNames[id], span.GetName())
			}
		}
	}
}

// spans returns the names of a trace's spans that have arrived so far.
func (c *traceCollector) spans(traceID string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spanNames[traceID])
}

// received returns the bytes of all that has arrived so far.
func (c *traceCollector) received() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// scrape reads /metrics. It returns the values by series, which is a name with labels, and the set of names.
func scrape(t *testing.T, url string) (values map[string]float64, names map[string]bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+metricsToken)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	values, names = map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		space := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || space < 0 {
			continue
		}
		series := line[:space]
		values[series], err = strconv.ParseFloat(strings.TrimSpace(line[space+1:]), 64)
		require.NoError(t, err)
		name, _, _ := strings.Cut(series, "{")
		names[name] = true
	}
	return values, names
}
