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

var queueImports = flag.Int("queue-imports", 500, "how many imports BenchmarkQueue asks for at once")

const (
	// The limits. The first two are what is reached on two cores that other programs use as well; the aims are 1.0
	// and 0.6.
	leastOfEmpty = 0.8  // of the empty workflows a second that the same server runs, with six activities each
	leastOfSame  = 0.35 // of those with as many activities as an import has
	mostCPU      = 1.3  // of the processor time of such an empty workflow with six activities
	mostQueueMB  = 256  // resident, of the worker and of the API
	mostAnswer   = time.Second
	requesters   = 16 // requests in progress
	chunksOfOne  = 4
	// warmUp is the number of imports, and of empty workflows of each kind, before those that are measured:
	// connections are open then, and PostgreSQL and Temporal have their plans and caches. Half of the imports come
	// after PostgreSQL has collected its statistics, for which it makes plans anew.
	warmUp        = 120
	queuePatience = 30 * time.Minute
)

// BenchmarkQueue requests the parses of many imports from one worker, through the API, and reads one of them
// repeatedly meanwhile. The model answers without delay. The bounds are what the same Temporal does with as
// many workflows whose activities do nothing: of six activities each, and of as many as an import has. Half of
// them run before and half of them after, since a machine's speed varies.
//
// The processor time of an import is that of Temporal, PostgreSQL and the worker. That of an empty workflow is
// Temporal's and this process's, which is its worker and its client.
func BenchmarkQueue(b *testing.B) {
	for range b.N {
		s := startQueue(b)
		for i := range warmUp + *queueImports {
			s.add(b, i)
		}
		parts := processes{
			temporal: temporalProcess(b), postgres: postgresProcess(b, s.db), worker: s.worker.Process.Pid,
			api: s.api.Process.Pid,
		}
		empty := newEmpty(b, s.temporal)
		s.parseAll(b, s.imports[:warmUp/2])
		s.awaitParsed(b, warmUp/2)
		s.db.Exec(b, `analyze`)
		s.parseAll(b, s.imports[warmUp/2:warmUp])
		s.awaitParsed(b, warmUp)
		empty.run(b, "Parse", warmUp)
		empty.run(b, "Same", warmUp)
		cpuBefore := parts.cpu(b)
		before := empty.run(b, "Parse", *queueImports/2)
		emptyCPU := parts.cpu(b).minus(cpuBefore)
		sameBefore := empty.run(b, "Same", *queueImports/2)

		watching, stop := context.WithCancel(b.Context())
		answers := make(chan []time.Duration)
		go func() { answers <- s.watch(watching) }()
		cpuBefore = parts.cpu(b)
		began := time.Now()
		s.parseAll(b, s.imports[warmUp:])
		asked := time.Since(began)
		s.awaitParsed(b, len(s.imports))
		took := time.Since(began)
		cpu := parts.cpu(b).minus(cpuBefore)
		stop()
		latency := <-answers
		sameAfter := empty.run(b, "Same", *queueImports/2)
		cpuBefore = parts.cpu(b)
		after := empty.run(b, "Parse", *queueImports/2)
		cpuAfter := parts.cpu(b).minus(cpuBefore)
		perEmpty := (emptyCPU.temporal + emptyCPU.client + cpuAfter.temporal + cpuAfter.client) /
			time.Duration(*queueImports/2*2)
		perImport := (cpu.temporal + cpu.postgres + cpu.worker) / time.Duration(*queueImports)

		chunks := dbtest.Value[int](b, s.db, `select sum(progress_total)::int from imports`)
		require.Equal(b, len(s.imports)*chunksOfOne, chunks)
		slices.Sort(latency)
		late := latency[len(latency)*99/100]
		milli := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		each := func(of time.Duration) float64 { return milli(of / time.Duration(*queueImports)) }
		rate, bound := float64(*queueImports)/took.Seconds(), float64(*queueImports/2*2)/(before+after).Seconds()
		same := float64(*queueImports/2*2) / (sameBefore + sameAfter).Seconds()
		api, work := peakMB(b, s.api), peakMB(b, s.worker)
		b.Logf("%.1f imports a second, %.2f of empty workflows and %.2f of those with as many activities; CPU: "+
			"%.1f ms each, %.2f of an empty workflow's %.1f ms: Temporal %.1f, PostgreSQL %.1f, worker %.1f; serve %.1f",
			rate, rate/bound, rate/same, milli(perImport), perImport.Seconds()/perEmpty.Seconds(), milli(perEmpty),
			each(cpu.temporal), each(cpu.postgres), each(cpu.worker), each(cpu.api))
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(asked.Seconds(), "s-asking")
		b.ReportMetric(rate, "imports/s")
		b.ReportMetric(bound, "empty/s")
		b.ReportMetric(rate/bound, "of-empty")
		b.ReportMetric(rate/same, "of-same")
		b.ReportMetric(each(cpu.temporal), "ms-temporal/import")
		b.ReportMetric(each(cpu.postgres), "ms-postgres/import")
		b.ReportMetric(each(cpu.worker), "ms-worker/import")
		b.ReportMetric(each(cpu.api), "ms-api/import")
		b.ReportMetric(perImport.Seconds()/perEmpty.Seconds(), "cpu-of-empty")
		b.ReportMetric(float64(latency[len(latency)/2].Milliseconds()), "ms-answer-p50")
		b.ReportMetric(float64(late.Milliseconds()), "ms-answer-p99")
		b.ReportMetric(api, "api-MB")
		b.ReportMetric(work, "worker-MB")
		require.GreaterOrEqual(b, rate/bound, leastOfEmpty,
			"share of what empty workflows do, %.1f a second", bound)
		require.GreaterOrEqual(b, rate/same, leastOfSame,
			"share of what empty workflows of as many activities do, %.1f a second", same)
		require.LessOrEqual(b, perImport.Seconds()/perEmpty.Seconds(), mostCPU,
			"processor time of Temporal, PostgreSQL and worker, of an empty workflow's %s", perEmpty)
		require.LessOrEqual(b, max(api, work), float64(mostQueueMB), "MB")
		require.LessOrEqual(b, late, mostAnswer, "of 99 of 100 answers")
	}
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
	model := modeltest.New(b).Forget().Always(knownAnswers())
	settings := append(where, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test",
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

// knownAnswers is an honest model that computes its answer about each chunk once: interviews differ by a
// number only.
func knownAnswers() modeltest.Behavior {
	var answers sync.Map // by the chunk's first utterance
	return modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
		first := utterance.FindString(c.User)
		answer, known := answers.Load(first)
		if !known {
			answer, _ = answers.LoadOrStore(first, modeltest.Answer(c).JSON())
		}
		return modeltest.Completion{Content: answer.(string), InputTokens: 4000, OutputTokens: 100}
	})
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

// parseAll requests the parses of imports.
func (s *queueStack) parseAll(b *testing.B, imports []string) {
	b.Helper()
	var asking errgroup.Group
	asking.SetLimit(requesters)
	for _, id := range imports {
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

// awaitParsed waits until n imports are parsed. It uses one connection, so that it hardly costs PostgreSQL
// anything.
func (s *queueStack) awaitParsed(b *testing.B, n int) {
	b.Helper()
	began := time.Now()
	s.db.AsOwner(b, func(conn *pgx.Conn) {
		const count = `select count(*) from imports where status = 'parsed'`
		for {
			var parsed int
			require.NoError(b, conn.QueryRow(b.Context(), count).Scan(&parsed))
			if parsed >= n {
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
	control := worker.New(temporal, emptyControl, worker.Options{MaxConcurrentActivityExecutionSize: 10})
	control.RegisterWorkflowWithOptions(e.parse, workflow.RegisterOptions{Name: "Parse"})
	control.RegisterWorkflowWithOptions(e.same, workflow.RegisterOptions{Name: "Same"})
	control.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Begin"})
	finish := func(context.Context) error {
		e.done.Add(1)
		return nil
	}
	control.RegisterActivityWithOptions(finish, activity.RegisterOptions{Name: "Finish"})
	chunks := worker.New(temporal, emptyParse, worker.Options{
		MaxConcurrentActivityExecutionSize: 64, DisableWorkflowWorker: true,
	})
	chunks.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Chunk"})
	chunks.RegisterActivityWithOptions(finish, activity.RegisterOptions{Name: "LastChunk"})
	for _, w := range []worker.Worker{control, chunks} {
		require.NoError(b, w.Start())
		b.Cleanup(w.Stop)
	}
	return e
}

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

// same has the activities of an import of up to eight chunks: one local activity, and one on the other queue.
func (*empty) same(ctx workflow.Context) error {
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteLocalActivity(local, "Begin").Get(ctx, nil); err != nil {
		return err
	}
	onQueue := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: emptyParse, StartToCloseTimeout: time.Minute,
	})
	return workflow.ExecuteActivity(onQueue, "LastChunk").Get(ctx, nil)
}

// run starts n workflows at the same time, and returns how long it took until all had done their last
// activity.
func (e *empty) run(b *testing.B, name string, n int) time.Duration {
	b.Helper()
	began := time.Now()
	until := e.done.Load() + int64(n)
	var starting errgroup.Group
	starting.SetLimit(requesters)
	for range n {
		starting.Go(func() error {
			options := client.StartWorkflowOptions{ID: "empty-" + uuid.NewString(), TaskQueue: emptyControl}
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
