package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"research/db/dbtest"
	"research/workflows"
)

const (
	concurrency = 8 // PARSE_CONCURRENCY, the default
	// pollInterval is how often a user looks for evidence. It is part of what is measured.
	pollInterval = 50 * time.Millisecond
	patience     = 10 * time.Minute
)

// A readingStack is serve, a worker, and a model that takes its time.
type readingStack struct {
	*serve
	db       *dbtest.DB
	temporal client.Client
	worker   *program
	model    *slowModel
}

func startReading(b *testing.B, settings ...string) *readingStack {
	b.Helper()
	s := &readingStack{db: dbtest.New(b), model: startSlowModel(b)}
	var where []string
	s.temporal, where = newNamespace(b)
	settings = append(where, append(settings, "OPENAI_BASE_URL="+s.model.url, "OPENAI_API_KEY=key",
		"OPENAI_MODEL=test", "STOP_TIMEOUT=1s", fmt.Sprint("PARSE_CONCURRENCY=", concurrency))...)
	s.serve = startServeWith(b, s.db.URL, settings)
	s.worker = startProgram(b, "worker", append(settings, "DATABASE_URL="+s.db.URL)...)
	return s
}

// A researcher works in a workspace of their own, in a project with one hypothesis.
type researcher struct {
	*readingStack
	dbtest.Tenant
	bearer    string
	parseBody []byte // of a request to parse
}

func (s *readingStack) researcher(b *testing.B) *researcher {
	b.Helper()
	r := &researcher{readingStack: s, Tenant: s.db.Tenant(b)}
	r.bearer = s.signIn(b, s.db, r.Editor)
	var err error
	r.parseBody, err = json.Marshal(map[string]any{
		"hypothesisIds": []uuid.UUID{s.db.Hypothesis(b, r.Tenant, hypothesisText)},
	})
	require.NoError(b, err)
	return r
}

// An interview is an upload that was not parsed yet.
type interview struct {
	id   uuid.UUID
	mark string
}

// upload uploads an interview of a number of words. Interviews of one mark and length have the same prompts.
func (r *researcher) upload(b *testing.B, mark string, words int) interview {
	b.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(b, w.WriteField("project_id", r.Project.String()))
	file, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(b, err)
	_, _ = file.Write(interviewText(mark, words))
	require.NoError(b, w.Close())
	answer, err := r.send(b.Context(), http.MethodPost, "/api/import", w.FormDataContentType(), form.Bytes())
	require.NoError(b, err)
	var upload struct {
		ImportID uuid.UUID `json:"importId"`
	}
	require.NoError(b, json.Unmarshal(answer, &upload))
	return interview{upload.ImportID, mark}
}

// request requests the parse of interviews, and returns when all requests are answered.
func (r *researcher) request(b *testing.B, interviews ...interview) {
	b.Helper()
	asking, ctx := errgroup.WithContext(b.Context())
	asking.SetLimit(16)
	for _, i := range interviews {
		asking.Go(func() error {
			path := "/api/import/" + i.id.String() + "/parse"
			_, err := r.send(ctx, http.MethodPost, path, "application/json", r.parseBody)
			return err
		})
	}
	require.NoError(b, asking.Wait())
}

// A seen is what a user saw of an interview after the request to parse it.
type seen struct {
	began      time.Time
	first, all time.Duration // until the first evidence, and until all of it
	inProgress bool          // whether the first evidence was marked as that of a run in progress
	calls      []modelCall
}

// timeline says when the calls of an interview began and ended, after the request.
func (s seen) timeline() string {
	text := ""
	for _, c := range s.calls {
		text += fmt.Sprintf(" %.2f–%.2f", c.began.Sub(s.began).Seconds(), c.answered.Sub(s.began).Seconds())
	}
	return fmt.Sprintf("%.2f s, with calls at%s", s.all.Seconds(), text)
}

func (s seen) ofIdeal() float64 { return s.all.Seconds() / idealTime(s.calls, concurrency).Seconds() }

func (s seen) ofSchedule() float64 {
	return s.all.Seconds() / scheduledTime(s.calls, concurrency).Seconds()
}

// ofFirstCall is the time until the first evidence, of the time of the call that was answered first.
func (s seen) ofFirstCall(b *testing.B) float64 {
	b.Helper()
	return s.first.Seconds() / firstAnswered(b, s.calls).took.Seconds()
}

// parse requests the parse of an interview, and reads its evidence and its status repeatedly through the data
// API until it is parsed.
func (r *researcher) parse(b *testing.B, i interview) (s seen) {
	b.Helper()
	s.began = time.Now()
	r.request(b, i)
	for {
		if s.first == 0 {
			var evidence []struct {
				InProgress bool `json:"in_progress"`
			}
			r.read(b, "evidence?select=quote,in_progress&limit=1&import_id=eq."+i.id.String(), &evidence)
			if len(evidence) > 0 {
				s.first, s.inProgress = time.Since(s.began), evidence[0].InProgress
			}
		}
		var imports []struct {
			Status string `json:"status"`
			Error  string `json:"error_code"`
		}
		r.read(b, "imports?select=status,error_code&id=eq."+i.id.String(), &imports)
		if imports[0].Status == "parsed" {
			s.all = time.Since(s.began)
			break
		}
		require.Contains(b, []string{"queued", "parsing"}, imports[0].Status, imports[0].Error)
		require.Less(b, time.Since(s.began), patience)
		require.NoError(b, cmp.Or(context.Cause(r.worker.ended), context.Cause(r.serve.ended)))
		time.Sleep(pollInterval)
	}
	require.NotZero(b, s.first, "no evidence")
	s.calls = r.model.since(s.began, i.mark)
	return s
}

// read reads rows through the data API.
func (r *researcher) read(b *testing.B, path string, rows any) {
	b.Helper()
	answer, err := r.send(b.Context(), http.MethodGet, "/rest/v1/"+path, "", nil)
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(answer, rows), "%s", answer)
}

// send sends a request, whose answer must be a success.
func (r *researcher) send(
	ctx context.Context, method, path, contentType string, body []byte,
) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+r.bearer)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, answer)
	}
	return answer, err
}

// warmUp parses an interview, so that connections are open and statements are prepared. PostgreSQL then
// collects its statistics.
func (r *researcher) warmUp(b *testing.B) {
	b.Helper()
	r.parse(b, r.upload(b, "warm-up", words10m))
	r.db.Exec(b, `analyze`)
}

// history counts the events of an import's run, and what Temporal Cloud counts as its actions, without
// heartbeats.
func (s *readingStack) history(b *testing.B, i interview) (events, actions int) {
	b.Helper()
	history := s.temporal.GetWorkflowHistory(b.Context(), workflows.ParseWorkflowID(i.id), "", false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(b, err)
		events++
		switch event.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enumspb.EVENT_TYPE_TIMER_STARTED,
			enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
			enumspb.EVENT_TYPE_MARKER_RECORDED:
			actions++
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED:
			actions += int(event.GetActivityTaskStartedEventAttributes().GetAttempt())
		}
	}
	return events, actions
}
