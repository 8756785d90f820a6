package e2e

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"research/activities/extract/modeltest"
)

// Workspaces take turns: one that comes later with a few imports does not wait for one that came earlier with
// many.
func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	const manyImports, fewImports, chunks, inFlight = 24, 2, 3, 4
	in := startInstallation(t, "MODEL_CALLS_IN_FLIGHT=4")
	many, few := in.newProject(t), in.newProject(t)
	calls := &callsByProject{
		released: make(chan struct{}), few: few, many: many, last: fewImports * chunks, counts: map[*project]int{},
	}
	in.model.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		if strings.Contains(x.User, many.tenant.Project.String()) {
			calls.answer(many, w, x)
		} else {
			calls.answer(few, w, x)
		}
	})

	temporal, err := client.Dial(client.Options{HostPort: in.temporal, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer temporal.Close()
	waitForActivities := func(p *project) {
		for _, id := range p.imports {
			eventually(t, "its activities are scheduled", func() bool {
				run, err := temporal.DescribeWorkflowExecution(t.Context(), "import-"+id, "")
				return err == nil && len(run.GetPendingActivities()) == chunks
			})
		}
	}
	for i := range manyImports {
		many.parse(t, many.add(t, i))
	}
	waitForActivities(many)
	eventually(t, "the model is busy with the many", func() bool { return calls.count(many) == inFlight })
	for i := range fewImports {
		few.parse(t, few.add(t, i))
	}
	waitForActivities(few)
	close(calls.released)
	eventually(t, "the few have had their calls", func() bool { return calls.count(few) == fewImports*chunks })
	before := calls.beforeLast()
	t.Logf("%d of %d calls about the many imports were made before the last of %d about the few",
		before, manyImports*chunks, fewImports*chunks)
	require.Less(t, before, manyImports*chunks/2, "the few waited for the many")
}

// callsByProject counts model calls, and holds them until they are released.
type callsByProject struct {
	released  chan struct{}
	few, many *project
	last      int // the number of the last call about few

	mu     sync.Mutex
	counts map[*project]int
	before int // calls about many that arrived before the last one about few
}

func (c *callsByProject) answer(p *project, w http.ResponseWriter, x *modeltest.Exchange) {
	c.mu.Lock()
	c.counts[p]++
	if p == c.few && c.counts[p] == c.last {
		c.before = c.counts[c.many]
	}
	c.mu.Unlock()
	select {
	case <-c.released: // and answered as slowly as models do
		modeltest.Delay(300*time.Millisecond, modeltest.Honest())(w, x)
	case <-x.Gone:
	}
}

func (c *callsByProject) beforeLast() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.before
}

func (c *callsByProject) count(p *project) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[p]
}
