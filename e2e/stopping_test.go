package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/activities/mail/smtptest"
)

// No request fails while a server behind a load balancer is stopped, as in a deployment.
func TestStoppingAServer(t *testing.T) {
	t.Parallel()
	in := startInstallation(t, "DRAIN_DELAY=20s") // in which the load balancer of a busy machine notices
	p := in.newProject(t)
	second := unusedAddress(t)
	in.addProgram(t, "second-serve", "serve", "HTTP_ADDR="+second)
	in.start(t, "second-serve")
	balancer := newLoadBalancer(t, in.url, "http://"+second)
	clients := startClients(t, balancer.url, p)

	// One request is in progress from before the stop until after the server has stopped to listen.
	body, writeBody := io.Pipe()
	slow := make(chan string, 1)
	go func() { slow <- send(t, http.MethodPost, in.url+"/auth/v1/token?grant_type=password", body) }()
	_, err := writeBody.Write([]byte(`{"email": "nobody@example.com", `))
	require.NoError(t, err)
	clients.waitForAnswers(t)

	waitForEnd := in.parts["serve"].Stop()
	eventually(t, "the load balancer notices", func() bool { return balancer.readyServers() == 1 })
	eventually(t, "the server stops to listen", func() bool { return getStatus(t, in.url+"/healthz") == 0 })
	_, err = writeBody.Write([]byte(`"password": "wrong"}`))
	require.NoError(t, err)
	require.NoError(t, writeBody.Close())
	require.Equal(t, "400", <-slow, "a request under way is answered")
	require.NoError(t, waitForEnd())
	clients.waitForAnswers(t)
	clients.stop()
}

// clients send one request after the other. An unexpected answer fails the test.
type clients struct {
	running  sync.WaitGroup
	answered atomic.Int64
	stop     func() // and waits for the last answers
}

func startClients(t *testing.T, url string, p *project) *clients {
	t.Helper()
	c := &clients{}
	done := make(chan struct{})
	c.stop = sync.OnceFunc(func() {
		close(done)
		c.running.Wait()
	})
	t.Cleanup(c.stop)
	for client := range 3 {
		c.running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				if got, want := sendOneOf(t, url, p, client, n); got != want {
					t.Errorf("client %d, request %d: %s instead of %s", client, n, got, want)
					return
				}
				c.answered.Add(1)
			}
		})
	}
	return c
}

// waitForAnswers waits for 20 more answers.
func (c *clients) waitForAnswers(t *testing.T) {
	t.Helper()
	before := c.answered.Load()
	eventually(t, "clients get answers", func() bool { return c.answered.Load() >= before+20 || t.Failed() })
}

// sendOneOf reads, signs in and writes, in turn. It returns the status of the answer, and the one that it
// should have.
func sendOneOf(t *testing.T, url string, p *project, client, n int) (got, want string) {
	asService := []string{"Authorization", "Bearer " + serviceKey}
	switch n % 3 {
	case 0:
		return send(t, http.MethodGet, url+"/rest/v1/projects?select=id", nil, asService...), "200"
	case 1:
		return send(t, http.MethodPost, url+"/auth/v1/token?grant_type=password", strings.NewReader(`{}`)), "400"
	default:
		persona := fmt.Sprintf(`{"name": "%d %d", "project_id": %q}`, client, n, p.tenant.Project)
		return send(t, http.MethodPost, url+"/rest/v1/personas", strings.NewReader(persona), asService...), "201"
	}
}

// send returns the status of the answer, or why there was none. The header is pairs of names and values.
func send(t *testing.T, method, url string, body io.Reader, header ...string) string {
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err.Error()
	}
	return fmt.Sprint(resp.StatusCode)
}

// A worker that is stopped waits for the model call in progress, and another worker reads the remaining
// chunks.
func TestStoppingAWorker(t *testing.T) {
	t.Parallel()
	secondCall, answerSecond := make(chan struct{}), make(chan struct{})
	thirdCall, answerThird := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		hold := func(arrived, answer chan struct{}) {
			close(arrived)
			select {
			case <-answer:
			case <-x.Gone:
			}
		}
		switch calls.Add(1) {
		case 2:
			hold(secondCall, answerSecond)
		case 3:
			hold(thirdCall, answerThird)
		}
		modeltest.Honest()(w, x)
	})
	in := startInstallation(t, "OPENAI_BASE_URL="+model.URL, "PARSE_CONCURRENCY=1", "WORKER_STOP_TIMEOUT=60s")
	p := in.newProject(t)
	id := p.add(t, 0)
	p.parse(t, id)
	<-secondCall

	waitForEnd := in.parts["worker"].Stop()
	eventually(t, "the worker stops", func() bool {
		log, err := os.ReadFile(filepath.Join(in.dir, "worker.log"))
		return err == nil && bytes.Contains(log, []byte("worker stopping"))
	})
	in.addProgram(t, "second-worker", "worker")
	in.start(t, "second-worker")
	close(answerSecond)
	require.NoError(t, waitForEnd(), "it waits for the answer, and not for the other chunks")
	select {
	case <-thirdCall:
	case <-time.After(timeout):
		require.FailNow(t, "nobody reads the last chunk")
	}
	close(answerThird)
	in.waitUntilParsed(t, id, timeout)
	require.EqualValues(t, 3, calls.Load(), "each chunk was read once")
}

// A worker that is stopped while a relay takes its time for a digest waits for the answer, longer than for
// activities that only use the database.
func TestAStoppingWorkerFinishesItsDigest(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
		if stage == smtptest.Body {
			close(held)
			<-time.After(18 * time.Second)
		}
		return ""
	}})
	in := startInstallation(t, "SMTP_URL=smtp://"+server.Addr, "MAIL_RATE=0", "WORKER_STOP_TIMEOUT=60s")
	in.addRecipients(t, 1)
	var request sync.WaitGroup
	request.Go(func() { in.post(t, "/api/notifications/digest?frequency=daily", cronSecret, "", nil) })
	<-held
	require.NoError(t, in.parts["worker"].Stop()())
	require.Equal(t, "sent", in.deliveries(t)[0].Status)
	require.Len(t, server.Mails(), 1)
	request.Wait()
}
