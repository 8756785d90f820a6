package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

const (
	floodConnections = 60
	floodDuration    = 30 * time.Second
)

// The limits of what others notice of a flood, and of the memory of serve.
const (
	readLimit   = time.Second // the 95th percentile
	signInLimit = 3 * time.Second
	memoryLimit = 512 // MB
)

// BenchmarkFairness floods the data API as one user, over 60 connections for 30 seconds, with the worst
// requests that are known. Meanwhile a user of another workspace reads a row, and signs in, again and again.
// No request of that user may fail.
func BenchmarkFairness(b *testing.B) {
	d := dbtest.New(b)
	attacker, other := d.Tenant(b), d.Tenant(b)
	hypothesis := d.Hypothesis(b, other, "Others do not notice")
	fillForFlood(b, d, attacker)
	service := startServe(b, d.URL)
	flood := service.signIn(b, d, attacker.Owner)
	bearer := service.signIn(b, d, other.Owner)
	row := "http://" + service.address + "/rest/v1/hypotheses?id=eq." + hypothesis.String()
	email := dbtest.Value[string](b, d, `select email from auth.users where id = $1`, other.Owner)

	for b.Loop() {
		ctx, stop := context.WithTimeout(b.Context(), floodDuration)
		var running sync.WaitGroup
		var answers floodAnswers
		for connection := range floodConnections {
			running.Go(func() { service.flood(ctx, flood, connection, &answers) })
		}
		var reads, signIns []time.Duration
		var readFailed, signInFailed error
		running.Go(func() {
			reads, readFailed = timed(ctx, func() error { return get(row, bearer) })
		})
		running.Go(func() {
			signIns, signInFailed = timed(ctx, func() error { _, err := service.trySignIn(email); return err })
		})
		running.Wait()
		stop()
		require.NoError(b, readFailed)
		require.NoError(b, signInFailed)
		read95, signIn95 := percentile(reads, 95), percentile(signIns, 95)
		memory := peakMB(b, service.program)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(read95.Seconds()*1000, "read-p95-ms")
		b.ReportMetric(float64(readLimit.Milliseconds()), "limit-read-p95-ms")
		b.ReportMetric(signIn95.Seconds()*1000, "sign-in-p95-ms")
		b.ReportMetric(float64(signInLimit.Milliseconds()), "limit-sign-in-p95-ms")
		b.ReportMetric(memory, "serve-MB")
		b.ReportMetric(memoryLimit, "limit-serve-MB")
		report := b.Logf
		if read95 > readLimit || signIn95 > signInLimit || memory > memoryLimit || len(reads) < 100 {
			report = b.Errorf
		}
		report("the flood: %s; meanwhile %d reads: p95 %s (limit %s), longest %s; %d sign-ins: p95 %s (limit %s); "+
			"serve at most %.0f MB (limit %d)", answers.String(), len(reads), read95.Round(time.Millisecond),
			readLimit,
			slices.Max(reads).Round(time.Millisecond), len(signIns), signIn95.Round(time.Millisecond), signInLimit,
			memory, memoryLimit)
	}
}

// fillForFlood gives a tenant what makes selects expensive: 300 pieces of evidence, each linked to 30
// hypotheses, and personas with the longest texts that are allowed.
func fillForFlood(b *testing.B, d *dbtest.DB, n dbtest.Tenant) {
	b.Helper()
	d.Exec(b, `insert into personas (project_id, name, description)
		select $1, 'P' || i, repeat('x', 20000) from generate_series(1, 1000) i`, n.Project)
	d.Exec(b, `insert into hypotheses (project_id, statement, persona_id)
		select $1, 'H' || i, (select id from personas where project_id = $1 limit 1) from generate_series(1, 30) i`,
		n.Project)
	d.Exec(b, `insert into evidence (project_id, quote) select $1, repeat('y', 2000)
		from generate_series(1, 300)`,
		n.Project)
	d.Exec(b, `insert into evidence_hypotheses (evidence_id, hypothesis_id, project_id)
		select e.id, h.id, e.project_id from evidence e join hypotheses h using (project_id) where project_id = $1`,
		n.Project)
	d.Exec(b, `analyze`)
}

// The requests of the flood, each of which was found to hurt.
var floodPaths = []string{
	"evidence?select=id,evidence_hypotheses(hypotheses(id,evidence_hypotheses(evidence(id,quote))))",
	"hypotheses?select=id,evidence_hypotheses(evidence(id,evidence_hypotheses(hypotheses(id,statement))))",
	"evidence?select=id,quote,evidence_hypotheses(hypotheses(id,personas(description)))",
	"personas?select=*",
	"personas?select=id,description&limit=480", // an answer just below the limit
	"evidence?select=id&or=(quote.match.(y*)*z,quote.match.(y*y*)*z,quote.imatch.(y|yy)*z)",
	"evidence_hypotheses?select=*,evidence(quote,summary)&order=created_at",
	"evidence?select=id&evidence_hypotheses.stance=eq.neutral&evidence_hypotheses=not.is.null",
}

// floodAnswers counts what the flood was answered.
type floodAnswers struct{ answered, rejected, busy, failed atomic.Int64 }

func (a *floodAnswers) String() string {
	return fmt.Sprintf("%d answered, %d rejected, %d told to come back (429), %d failed",
		a.answered.Load(), a.rejected.Load(), a.busy.Load(), a.failed.Load())
}

// flood sends the worst requests in turn until ctx ends. Every fourth connection reads its answers slowly.
func (s *serve) flood(ctx context.Context, bearer string, connection int, answers *floodAnswers) {
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for i := connection; ctx.Err() == nil; i++ {
		path := "http://" + s.address + "/rest/v1/" + floodPaths[i%len(floodPaths)]
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		if err != nil {
			panic(err) // the paths are constants
		}
		req.Header.Set("apikey", anonKey)
		req.Header.Set("Authorization", "Bearer "+bearer)
		resp, err := client.Do(req)
		if err != nil {
			continue
		}
		switch {
		case resp.StatusCode == http.StatusTooManyRequests:
			answers.busy.Add(1)
		case resp.StatusCode >= http.StatusInternalServerError:
			answers.failed.Add(1)
		case resp.StatusCode >= http.StatusBadRequest:
			answers.rejected.Add(1)
		default:
			answers.answered.Add(1)
		}
		if connection%4 == 0 {
			_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// timed calls fn until it fails or ctx ends, with short pauses, and returns how long each call took.
func timed(ctx context.Context, fn func() error) (took []time.Duration, err error) {
	for ctx.Err() == nil {
		began := time.Now()
		if err := fn(); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
		time.Sleep(20 * time.Millisecond)
	}
	return took, nil
}

// get reads a row. Anything but 200 with a row is an error.
func get(url, bearer string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+bearer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || !strings.HasPrefix(string(body), `[{"id":`)) {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return err
}

func percentile(times []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
