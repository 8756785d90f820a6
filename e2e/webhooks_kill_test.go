package e2e

import (
	"flag"
	"net/http"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev"
	"research/dev/devtest"
)

// `make chaos` sets this higher.
var webhookKills = flag.Int("webhook-kills", 1, "how often TestWebhooksOutliveTheirWorker kills the worker")

// newProcess returns a program of the service as a separate process, which a test may kill.
func (s *service) newProcess(t *testing.T, program string) *dev.Part {
	t.Helper()
	part := dev.NewProgram(program, t.TempDir(), func() *exec.Cmd {
		cmd := devtest.Command(t, program)
		for name, value := range s.settings {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return cmd
	})
	t.Cleanup(part.End)
	return part
}

// A receiver is down, then answers 500, then works, and each time the worker is killed while it waits for an
// answer. Nothing is lost, and the events of an import stay in order.
func TestWebhooksOutliveTheirWorker(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "WEBHOOK_ALLOWED_HOSTS=127.0.0.1")
	address := unusedAddress(t)
	s.addWebhook(t, "http://"+address)
	s.Exec(t, `update webhook_endpoints set verified_at = now()`)
	s.Exec(t, `delete from webhook_deliveries`)
	worker := s.newProcess(t, "worker")
	require.NoError(t, worker.Start(t.Context()))
	progress, events := s.addEmptyImport(t), 1
	next := func() {
		progress(events)
		events++
	}
	eventually(t, "an attempt while the receiver is down", func() bool {
		return dbtest.Value[int](t, s.DB, `select count(*) from webhook_deliveries where error is not null`) > 0
	})

	receiver := &webhookReceiver{broken: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}}
	receiver.listen(t, address)
	next()
	eventually(t, "an attempt that is answered 500", func() bool {
		s.retryWebhooks(t)
		attempts, _ := receiver.counts()
		return attempts > 0
	})

	for range *webhookKills {
		waiting := make(chan struct{}, 1)
		receiver.set(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case waiting <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		})
		next()
		eventually(t, "an attempt that waits for its answer", func() bool {
			s.retryWebhooks(t)
			return len(waiting) > 0
		})
		worker.Kill()
		receiver.set(nil)
		next()
		s.Exec(t, `update private.webhook_queues set due_at = now()`) // otherwise it is the dead worker's for 30 s
		s.retryWebhooks(t)
		require.NoError(t, worker.Start(t.Context()))
		eventually(t, "all events", func() bool {
			s.retryWebhooks(t)
			_, accepted := receiver.counts()
			return len(slices.Compact(accepted)) >= events
		})
	}
	_, accepted := receiver.counts()
	require.Equal(t, dbtest.Value[[]string](t, s.DB,
		`select array_agg(event_id::text order by seq) from webhook_deliveries where type <> 'webhook.test'`),
		slices.Compact(accepted))
	attempts, _ := receiver.counts()
	t.Logf("%d events, %d kills, %d attempts", events, *webhookKills, attempts)
}
