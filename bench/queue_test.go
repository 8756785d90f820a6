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
	// The limits.
	leastOfEmpty  = 0.6 // of the workflows a second that the same server does where they are empty
	mostQueueMB   = 256 // of the worker, and of the API, resident
	mostAnswer    = time.Second
	askers        = 16 // requests under way
	chunksOfOne   = 4
	queuePatience = 30 * time.Minute
)

// BenchmarkQueue asks for many imports at once, of one worker, by the API, and looks at one of them again and again meanwhile. The model answers at once. Beside it stands what the same Temporal does with as
// many workflows of as many activities that do nothing: half of them before, half of them after, since a machine is not the same all the time.
func BenchmarkQueue(b *testing.B) {
	for range b.N {
		s := startQueue(b)
		for i := range *queueImports {
			s.add(b, i)
		}
		empty := newEmpty(b, s.temporal)
		before := empty.run(b, *queueImports/2)

		watching, stop := context.WithCancel(b.Context())
		answers := make(chan []time.Duration)
		go func() { answers <- s.watch(watching) }()
		began := time.Now()
		s.parseAll(b)
		asked := time.Since(began)
		var parsed int
		for parsed < *queueImports {
			require.Less(b, time.Since(began), queuePatience, "%d are parsed", parsed)
			require.NoError(b, cmp.Or(context.Cause(s.worker.ended), context.Cause(s.api.ended)))
			time.Sleep(100 * time.Millisecond)
			parsed = dbtest.Value[int](b, s.db, `select count(*) from imports where status = 'parsed'`)
		}
		took := time.Since(began)
		stop()
		latency := <-answers
		after := empty.run(b, *queueImports/2)

		require.Equal(b, *queueImports*chunksOfOne, dbtest.Value[int](b, s.db, `select sum(progress_total)::int from imports`), "as many activities as those that do nothing")
		slices.Sort(latency)
		late := latency[len(latency)*99/100]
		rate, bound := float64(*queueImports)/took.Seconds(), float64(*queueImports/2*2)/(before+after).Seconds()
		api, work := peakMB(b, s.api), peakMB(b, s.worker)
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(asked.Seconds(), "s-asking")
		b.ReportMetric(rate, "imports/s")
		b.ReportMetric(bound, "empty/s")
		b.ReportMetric(rate/bound, "of-empty")
		b.ReportMetric(float64(latency[len(latency)/2].Milliseconds()), "ms-answer-p50")
		b.ReportMetric(float64(late.Milliseconds()), "ms-answer-p99")
		b.ReportMetric(api, "api-MB")
		b.ReportMetric(work, "worker-MB")
		require.GreaterOrEqual(b, rate/bound, leastOfEmpty, "of what empty workflows do, %.1f a second", bound)
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
	wanted      []byte // to parse
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
	binary, model := buildBinary(b), modeltest.New(b)
	model.Always(knownAnswers())
	settings := append(where, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test", "DATABASE_URL="+s.db.URL, "HTTP_ADDR="+address, "ANON_KEY=anon-key", "SERVICE_ROLE_KEY=service-key", "CRON_SECRET=cron-secret-cron-secret", "DRAIN_DELAY=0s")
	s.api, s.worker = startProgram(b, binary, "serve", settings...), startProgram(b, binary, "worker", settings...)
	require.Eventually(b, func() bool {
		status, _, err := s.send(b.Context(), http.MethodGet, "/readyz", "", nil)
		return err == nil && status == http.StatusOK
	}, time.Minute, 50*time.Millisecond)

	email := dbtest.Value[string](b, s.db, `select email from auth.users where id = $1`, tenant.Editor)
	status, answer, err := s.send(b.Context(), http.MethodPost, "/auth/v1/token?grant_type=password", "application/json", fmt.Appendf(nil, `{"email": %q, "password": "correct horse"}`, email))
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, status, answer)
	var session struct {
		Token string `json:"access_token"`
	}
	require.NoError(b, json.Unmarshal([]byte(answer), &session))
	s.token = session.Token
	s.wanted, err = json.Marshal(map[string]any{"hypothesisIds": []uuid.UUID{s.db.Hypothesis(b, tenant, "Closing the books takes days because receipts are missing")}})
	require.NoError(b, err)
	return s
}

// knownAnswers is an honest model that thinks about each chunk once: the interviews differ by a number only.
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

// add uploads an hour's interview.
func (s *queueStack) add(b *testing.B, number int) {
	b.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(b, w.WriteField("project_id", s.project.String()))
	file, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(b, err)
	for i := range 420 {
		_, _ = fmt.Fprintf(file, "%s: In week %d of case %d we exported the card statement and pasted it in, and somebody sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, number)
		if i%100 == 50 {
			_, _ = fmt.Fprintln(file, "Omar: Closing the books takes us five days because receipts are missing.")
		}
	}
	require.NoError(b, w.Close())
	status, answer, err := s.send(b.Context(), http.MethodPost, "/api/import", w.FormDataContentType(), form.Bytes())
	require.NoError(b, err)
	require.Equal(b, http.StatusCreated, status, answer)
	var upload struct {
		ImportID string `json:"importId"`
	}
	require.NoError(b, json.Unmarshal([]byte(answer), &upload))
	s.imports = append(s.imports, upload.ImportID)
}

// parseAll asks for all of them.
func (s *queueStack) parseAll(b *testing.B) {
	b.Helper()
	var asking errgroup.Group
	asking.SetLimit(askers)
	for _, id := range s.imports {
		asking.Go(func() error {
			status, answer, err := s.send(b.Context(), http.MethodPost, "/api/import/"+id+"/parse", "application/json", s.wanted)
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("%d %s", status, answer)
			}
			return err
		})
	}
	require.NoError(b, asking.Wait())
}

// watch looks at an import twenty times a second, and tells how long each answer took.
func (s *queueStack) watch(ctx context.Context) (took []time.Duration) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return took
		case <-tick.C:
		}
		began := time.Now()
		status, _, err := s.send(context.WithoutCancel(ctx), http.MethodGet, "/api/import/"+s.imports[len(s.imports)-1], "", nil)
		if err != nil || status != http.StatusOK {
			took = append(took, time.Hour) // misses any limit
			continue
		}
		took = append(took, time.Since(began))
	}
}

func (s *queueStack) send(ctx context.Context, method, path, contentType string, body []byte) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("apikey", "anon-key")
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
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer), err
}

// empty runs workflows of the shape of ours, of activities that do nothing.
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
	control.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Begin"})
	control.RegisterActivityWithOptions(func(context.Context) error { e.done.Add(1); return nil }, activity.RegisterOptions{Name: "Finish"})
	chunks := worker.New(temporal, emptyParse, worker.Options{MaxConcurrentActivityExecutionSize: 64, DisableWorkflowWorker: true})
	chunks.RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "Chunk"})
	for _, w := range []worker.Worker{control, chunks} {
		require.NoError(b, w.Start())
		b.Cleanup(w.Stop)
	}
	return e
}

func (*empty) parse(ctx workflow.Context) error {
	control := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: emptyControl, StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteActivity(control, "Begin").Get(ctx, nil); err != nil {
		return err
	}
	var chunks []workflow.Future
	for range chunksOfOne {
		chunks = append(chunks, workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: emptyParse, StartToCloseTimeout: time.Minute}), "Chunk"))
	}
	for _, c := range chunks {
		if err := c.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.ExecuteActivity(control, "Finish").Get(ctx, nil)
}

// run starts n workflows at once, and tells how long it took until all had done their last activity.
func (e *empty) run(b *testing.B, n int) time.Duration {
	b.Helper()
	began := time.Now()
	until := e.done.Load() + int64(n)
	var starting errgroup.Group
	starting.SetLimit(askers)
	for range n {
		starting.Go(func() error {
			_, err := e.temporal.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: "empty-" + uuid.NewString(), TaskQueue: emptyControl}, "Parse")
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
