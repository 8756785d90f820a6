package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// A user may upload 1,000 imports within an hour.
var queueImports = flag.Int("queue-imports", 290, "how many imports BenchmarkQueue asks for at once, in "+
	"each round")

const (
	// The limits. On two cores without other work the first two are 0.92 to 1.16 and 0.42 to 0.46; the aims are
	// 1.0 and 0.6.
	leastOfEmpty = 0.9  // of the empty workflows a second that the same server runs, with six activities each
	leastOfSame  = 0.35 // of those with as many activities as an import has, scheduled as an import's are
	mostCPU      = 1.3  // of the processor time of such an empty workflow with six activities
	mostQueueMB  = 256  // resident, of the worker and of the API
	mostAnswer   = time.Second
	requesters   = 16 // requests in progress
	chunksOfOne  = 4
	rounds       = 3
	// warmUp is the number of imports, and of empty workflows of each kind, before those that are measured.
	warmUp        = 120
	queuePatience = 30 * time.Minute
)

// BenchmarkQueue requests the parses of many imports from one worker, through the API, and reads one of them
// repeatedly meanwhile. The model answers without delay. The bounds are what the same Temporal does with as
// many workflows whose activities do nothing: of six activities each, and of as many as an import has. Half
// of them run before and half of them after, since a machine's speed varies. For the same reason, what is
// compared with a limit is the median of some rounds.
//
// The processor time of an import is that of Temporal, PostgreSQL and the worker. That of an empty workflow
// is Temporal's and this process's, which is its worker and its client.
func BenchmarkQueue(b *testing.B) {
	for range b.N {
		s := startQueue(b)
		for i := range warmUp + rounds**queueImports {
			s.add(b, i)
		}
		empty := newEmpty(b, s.temporal)
		s.warmUp(b, empty)
		var measured []queueRound
		for range rounds {
			measured = append(measured, s.measure(b, empty))
		}
		chunks := dbtest.Value[int](b, s.db, `select sum(progress_total)::int from imports`)
		require.Equal(b, len(s.imports)*chunksOfOne, chunks)
		report := func(name string, of func(queueRound) float64) float64 {
			var values []float64
			for _, m := range measured {
				values = append(values, of(m))
			}
			b.ReportMetric(median(values), name)
			return median(values)
		}
		milli := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		report("imports/s", func(m queueRound) float64 { return m.rate })
		report("empty/s", func(m queueRound) float64 { return m.emptyRate })
		ofEmpty := report("of-empty", func(m queueRound) float64 { return m.rate / m.emptyRate })
		ofSame := report("of-same", func(m queueRound) float64 { return m.rate / m.sameRate })
		cpuOfEmpty := report("cpu-of-empty", queueRound.cpuOfEmpty)
		report("ms-temporal/import", func(m queueRound) float64 { return milli(m.cost.temporal) })
		report("ms-postgres/import", func(m queueRound) float64 { return milli(m.cost.postgres) })
		report("ms-worker/import", func(m queueRound) float64 { return milli(m.cost.worker) })
		report("ms-api/import", func(m queueRound) float64 { return milli(m.cost.api) })
		report("s-asking", func(m queueRound) float64 { return m.asked.Seconds() })
		report("ms-answer-p50", func(m queueRound) float64 { return milli(m.answers[len(m.answers)/2]) })
		late := report("ms-answer-p99", func(m queueRound) float64 {
			return milli(m.answers[len(m.answers)*99/100])
		})
		api, work := peakMB(b, s.api), peakMB(b, s.worker)
		b.ReportMetric(api, "api-MB")
		b.ReportMetric(work, "worker-MB")
		require.GreaterOrEqual(b, ofEmpty, leastOfEmpty, "share of what empty workflows do")
		require.GreaterOrEqual(b, ofSame, leastOfSame, "share of what empty workflows of as many activities do")
		require.LessOrEqual(b, cpuOfEmpty, mostCPU,
			"processor time of Temporal, PostgreSQL and worker, of an empty workflow's")
		require.LessOrEqual(b, max(api, work), float64(mostQueueMB), "MB")
		require.LessOrEqual(b, late, milli(mostAnswer), "ms, of 99 of 100 answers")
	}
}

// A queueRound is what one round measured.
type queueRound struct {
	rate, emptyRate, sameRate float64         // a second: imports, and empty workflows of both kinds
	cost                      cpuTime         // of an import
	emptyCost                 time.Duration   // CPU time of an empty workflow with six activities
	asked                     time.Duration   // until all parses were requested
	answers                   []time.Duration // times of answers about one import, in order
}

// cpuOfEmpty is the CPU time of an import, of an empty workflow's with six activities.
func (m queueRound) cpuOfEmpty() float64 {
	return (m.cost.temporal + m.cost.postgres + m.cost.worker).Seconds() / m.emptyCost.Seconds()
}

// measure parses the next imports, between empty workflows.
func (s *queueStack) measure(b *testing.B, empty *empty) (m queueRound) {
	b.Helper()
	n := *queueImports
	parts := processes{
		temporal: temporalProcess(b), postgres: postgresProcess(b, s.db), worker: s.worker.Process.Pid,
		api: s.api.Process.Pid,
	}
	cpuBefore := parts.cpu(b)
	before := empty.run(b, "Parse", n/2)
	emptyBefore := parts.cpu(b).minus(cpuBefore)
	sameBefore := empty.run(b, "Same", n/2)

	watching, stop := context.WithCancel(b.Context())
	answers := make(chan []time.Duration)
	go func() { answers <- s.watch(watching) }()
	cpuBefore = parts.cpu(b)
	began := time.Now()
	s.parseNext(b, n)
	m.asked = time.Since(began)
	s.awaitParsed(b)
	took := time.Since(began)
	cpu := parts.cpu(b).minus(cpuBefore)
	stop()
	m.answers = <-answers
	slices.Sort(m.answers)

	sameAfter := empty.run(b, "Same", n/2)
	cpuBefore = parts.cpu(b)
	after := empty.run(b, "Parse", n/2)
	emptyAfter := parts.cpu(b).minus(cpuBefore)

	imports, empties := time.Duration(n), time.Duration(n/2*2)
	m.rate = float64(imports) / took.Seconds()
	m.emptyRate = float64(empties) / (before + after).Seconds()
	m.sameRate = float64(empties) / (sameBefore + sameAfter).Seconds()
	m.cost = cpuTime{
		temporal: cpu.temporal / imports, postgres: cpu.postgres / imports, worker: cpu.worker / imports,
		api: cpu.api / imports,
	}
	m.emptyCost = (emptyBefore.temporal + emptyBefore.client + emptyAfter.temporal + emptyAfter.client) / empties
	short := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	b.Logf("%.1f imports a second, %.2f of empty workflows and %.2f of those with as many activities; CPU: "+
		"%.2f of an "+
		"empty workflow's %s: Temporal %s, PostgreSQL %s, worker %s; serve %s", m.rate, m.rate/m.emptyRate,
		m.rate/m.sameRate, m.cpuOfEmpty(), short(m.emptyCost), short(m.cost.temporal), short(m.cost.postgres),
		short(m.cost.worker), short(m.cost.api))
	return m
}

// A queueStack is an API and a worker.
type queueStack struct {
	db          *dbtest.DB
	temporal    client.Client
	api, worker *program
	url, token  string
	project     uuid.UUID
	parseBody   []byte // of a request to parse
	imports     []string
	requested   int // of the imports, in order
}

func startQueue(b *testing.B) *queueStack {
	b.Helper()
	s := &queueStack{db: dbtest.New(b)}
	tenant := s.db.Tenant(b)
	s.project = tenant.Project
	var where []string
	s.temporal, where = newNamespace(b)
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	address := l.Addr().String()
	require.NoError(b, l.Close())
	s.url = "http://" + address
	settings := append(where, "OPENAI_BASE_URL="+startModel(b), "OPENAI_API_KEY=key", "OPENAI_MODEL=test",
		"DATABASE_URL="+s.db.URL, "HTTP_ADDR="+address, "ANON_KEY="+anonKey, "SERVICE_ROLE_KEY="+serviceKey,
		"CRON_SECRET="+cronSecret, "DRAIN_DELAY=0s")
	s.api, s.worker = startProgram(b, "serve", settings...), startProgram(b, "worker", settings...)
	require.Eventually(b, func() bool {
		status, _, err := s.send(b.Context(), http.MethodGet, "/readyz", "", nil)
		return err == nil && status == http.StatusOK
	}, time.Minute, 50*time.Millisecond)

	email := dbtest.Value[string](b, s.db, `select email from auth.users where id = $1`, tenant.Editor)
	credentials := fmt.Appendf(nil, `{"email": %q, "password": "correct horse"}`, email)
	status, answer, err := s.send(
		b.Context(), http.MethodPost, "/auth/v1/token?grant_type=password", "application/json", credentials)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, status, answer)
	var session struct {
		Token string `json:"access_token"`
	}
	require.NoError(b, json.Unmarshal([]byte(answer), &session))
	s.token = session.Token
	hypothesis := s.db.Hypothesis(b, tenant, "Closing the books takes days because receipts are missing")
	s.parseBody, err = json.Marshal(map[string]any{"hypothesisIds": []uuid.UUID{hypothesis}})
	require.NoError(b, err)
	return s
}

// knownAnswers is an honest model that computes its response about each chunk once: interviews differ by a
// number only. Otherwise the model's CPU time would slow down the imports.
type knownAnswers struct {
	model     *modeltest.Server
	responses sync.Map // by the id of the chunk's last utterance
}

func startModel(b *testing.B) (url string) {
	b.Helper()
	server := httptest.NewServer(&knownAnswers{model: modeltest.New(b)})
	b.Cleanup(server.Close)
	return server.URL + "/v1"
}

// ServeHTTP implements http.Handler.
func (m *knownAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := bytes.NewBuffer(make([]byte, 0, r.ContentLength+bytes.MinRead))
	if _, err := body.ReadFrom(r.Body); err != nil {
		return // the client has disconnected
	}
	last := string(utterance.Find(body.Bytes()[max(0, bytes.LastIndex(body.Bytes(), []byte("[u"))):]))
	response, known := m.responses.Load(last)
	if !known {
		recorder := httptest.NewRecorder()
		r.Body = io.NopCloser(body)
		m.model.ServeHTTP(recorder, r)
		response, _ = m.responses.LoadOrStore(last, recorder.Body.Bytes())
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(response.([]byte)) // the client may have disconnected
}

var utterance = regexp.MustCompile(`\[u\d+\]`)

// add uploads an interview of an hour.
func (s *queueStack) add(b *testing.B, number int) {
	b.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(b, w.WriteField("project_id", s.project.String()))
	file, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(b, err)
	for i := range 420 {
		_, _ = fmt.Fprintf(file, "%s: In week %d of case %d we exported the card statement and pasted it in, and "+
			"somebody sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, number)
		if i%100 == 50 {
			_, _ = fmt.Fprintln(file, "Omar: Closing the books takes us five days because receipts are missing.")
		}
	}
	require.NoError(b, w.Close())
	status, answer, err := s.send(
		b.Context(), http.MethodPost, "/api/import", w.FormDataContentType(), form.Bytes())
	require.NoError(b, err)
	require.Equal(b, http.StatusCreated, status, answer)
	var upload struct {
		ImportID string `json:"importId"`
	}
	require.NoError(b, json.Unmarshal([]byte(answer), &upload))
	s.imports = append(s.imports, upload.ImportID)
}

// warmUp parses the first imports and runs empty workflows of both kinds. Connections are open then, and
// PostgreSQL and Temporal have their plans and caches. Half of the imports come after PostgreSQL has
// collected its statistics, after which it plans again.
func (s *queueStack) warmUp(b *testing.B, empty *empty) {
	b.Helper()
	s.parseNext(b, warmUp/2)
	s.awaitParsed(b)
	s.db.Exec(b, `analyze`)
	s.parseNext(b, warmUp/2)
	s.awaitParsed(b)
	empty.run(b, "Parse", warmUp)
	empty.run(b, "Same", warmUp)
}

// parseNext requests the parses of the next n imports.
func (s *queueStack) parseNext(b *testing.B, n int) {
	b.Helper()
	next := s.imports[s.requested : s.requested+n]
	s.requested += n
	var asking errgroup.Group
	asking.SetLimit(requesters)
	for _, id := range next {
		asking.Go(func() error {
			status, answer, err := s.send(
				b.Context(), http.MethodPost, "/api/import/"+id+"/parse", "application/json", s.parseBody)
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("%d %s", status, answer)
			}
			return err
		})
	}
	require.NoError(b, asking.Wait())
}

// awaitParsed waits until all requested imports are parsed. It uses one connection, so that it hardly costs
// PostgreSQL anything.
func (s *queueStack) awaitParsed(b *testing.B) {
	b.Helper()
	began := time.Now()
	s.db.AsOwner(b, func(conn *pgx.Conn) {
		const count = `select count(*) from imports where status = 'parsed'`
		for {
			var parsed int
			require.NoError(b, conn.QueryRow(b.Context(), count).Scan(&parsed))
			if parsed >= s.requested {
				return
			}
			require.Less(b, time.Since(began), queuePatience, "%d are parsed", parsed)
			require.NoError(b, cmp.Or(context.Cause(s.worker.ended), context.Cause(s.api.ended)))
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// watch reads an import twenty times a second, and returns how long each answer took.
func (s *queueStack) watch(ctx context.Context) (took []time.Duration) {
	last := "/api/import/" + s.imports[len(s.imports)-1]
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return took
		case <-tick.C:
		}
		began := time.Now()
		status, _, err := s.send(context.WithoutCancel(ctx), http.MethodGet, last, "", nil)
		if err != nil || status != http.StatusOK {
			took = append(took, time.Hour) // misses any limit
			continue
		}
		took = append(took, time.Since(began))
	}
}

func (s *queueStack) send(
	ctx context.Context, method, path, contentType string, body []byte,
) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("apikey", anonKey)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

// empty runs workflows that schedule activities as ours do, but whose activities do nothing.
type empty struct {
	temporal client.Client
	done     atomic.Int64
}

const (
	emptyControl = "bench-control"
	emptyParse   = "bench-parse"
)

func newEmpty(b *testing.B, temporal client.Client) *empty {
	b.Helper()
	e := &empty{temporal: temporal}
	nothing := func(context.Context) error { return nil }
	control := worker.New(temporal, emptyControl, worker.Options{
		MaxConcurrentActivityExecutionSize: 10, DisableEagerActivities: true,
	})
	control.RegisterWorkflowWithOptions(e.parse, workflow.RegisterOptions{Name: "Parse"})
	control.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Begin"})
	finish := func(context.Context) error {
		e.done.Add(1)
		return nil
	}
	control.RegisterActivityWithOptions(finish, activity.RegisterOptions{Name: "Finish"})
	chunks := worker.New(temporal, emptyParse, worker.Options{MaxConcurrentActivityExecutionSize: 64})
	chunks.RegisterWorkflowWithOptions(e.same, workflow.RegisterOptions{Name: "Same"})
	chunks.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Chunk"})
	chunks.RegisterActivityWithOptions(finish, activity.RegisterOptions{Name: "LastChunk"})
	for _, w := range []worker.Worker{control, chunks} {
		require.NoError(b, w.Start())
		b.Cleanup(w.Stop)
	}
	return e
}

// parse has six activities, each of which waits for a worker in its queue.
func (*empty) parse(ctx workflow.Context) error {
	onQueue := func(queue string) workflow.Context {
		return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			TaskQueue: queue, StartToCloseTimeout: time.Minute,
		})
	}
	control := onQueue(emptyControl)
	if err := workflow.ExecuteActivity(control, "Begin").Get(ctx, nil); err != nil {
		return err
	}
	var chunks []workflow.Future
	for range chunksOfOne {
		chunks = append(chunks, workflow.ExecuteActivity(onQueue(emptyParse), "Chunk"))
	}
	for _, c := range chunks {
		if err := c.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.ExecuteActivity(control, "Finish").Get(ctx, nil)
}

// same has the activities of an import of up to eight chunks: one, which the worker that schedules it
// executes at once, as it does those of imports.
func (*empty) same(ctx workflow.Context) error {
	soon := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(soon, "LastChunk").Get(ctx, nil)
}

// run starts n workflows at the same time, and returns how long it took until all had done their last
// activity.
func (e *empty) run(b *testing.B, name string, n int) time.Duration {
	b.Helper()
	queue := map[string]string{"Parse": emptyControl, "Same": emptyParse}[name]
	began := time.Now()
	until := e.done.Load() + int64(n)
	var starting errgroup.Group
	starting.SetLimit(requesters)
	for range n {
		starting.Go(func() error {
			options := client.StartWorkflowOptions{ID: "empty-" + uuid.NewString(), TaskQueue: queue}
			_, err := e.temporal.ExecuteWorkflow(b.Context(), options, name)
			return err
		})
	}
	require.NoError(b, starting.Wait())
	for e.done.Load() < until {
		require.Less(b, time.Since(began), queuePatience)
		time.Sleep(50 * time.Millisecond)
	}
	return time.Since(began)
}
