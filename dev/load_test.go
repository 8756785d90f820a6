package dev_test

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"research/activities/extract/modeltest"
)

// Workspaces take turns: one that came later with a few imports does not wait for all of one that came earlier with many.
func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	const floods, others, chunks, slots = 12, 2, 3, 4
	s := startServers(t, "MODEL_CALLS_IN_FLIGHT=4")
	var (
		mu    sync.Mutex
		asked []string // the workspaces that the model's calls were for, by turn
	)
	many, few := s.newProject(t), s.newProject(t)
	open := make(chan struct{})
	s.model.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		whose := "few"
		if strings.Contains(x.User, many.tenant.Project.String()) {
			whose = "many"
		}
		mu.Lock()
		asked = append(asked, whose)
		mu.Unlock()
		select {
		case <-open:
			modeltest.Honest()(w, x)
		case <-x.Gone:
		}
	})
	turns := func(whose string) (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, a := range asked {
			if a == whose {
				n++
			}
		}
		return n
	}

	temporal, err := client.Dial(client.Options{HostPort: s.temporal, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer temporal.Close()
	wait := func(p *project) {
		for _, id := range p.imports {
			eventually(t, "all chunks wait", func() bool {
				run, err := temporal.DescribeWorkflowExecution(t.Context(), "import-"+id, "")
				return err == nil && len(run.GetPendingActivities()) == chunks
			})
		}
	}
	for i := range floods {
		many.parse(t, many.add(t, i))
	}
	wait(many)
	eventually(t, "the model is busy with the flood", func() bool { return turns("many") == slots })
	for i := range others {
		few.parse(t, few.add(t, i))
	}
	wait(few)
	close(open)
	eventually(t, "the others have had their turns", func() bool { return turns("few") == others*chunks })
	before := turns("many")
	t.Logf("%d of the flood's %d calls were made before the last of the others' %d", before, floods*chunks, others*chunks)
	require.Less(t, before, floods*chunks/2, "the others waited for the flood")
}
