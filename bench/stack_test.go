package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/dev/devtest"
	"research/dev/procmem"
)

// newNamespace registers a namespace. It returns a client of it, and the settings with which programs find
// it.
func newNamespace(b *testing.B) (client.Client, []string) {
	b.Helper()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	require.NotEmpty(b, address, "run it with `make bench`")
	name := "bench-" + uuid.NewString()[:8]
	log := slog.New(slog.DiscardHandler)
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: log})
	require.NoError(b, err)
	defer namespaces.Close()
	require.NoError(b, namespaces.Register(b.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	c, err := client.Dial(client.Options{HostPort: address, Namespace: name, Identity: "bench", Logger: log})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	return c, []string{"TEMPORAL_ADDRESS=" + address, "TEMPORAL_NAMESPACE=" + name}
}

// A program is a process that runs until the benchmark ends.
type program struct {
	*exec.Cmd
	ended context.Context // done when it has ended; its cause says how
}

// startProgram starts a command of the binary until the benchmark ends.
func startProgram(b testing.TB, name string, settings ...string) *program {
	b.Helper()
	return startBinary(b, devtest.Binary(b), name, settings...)
}

// startBinary starts a binary until the benchmark ends. Its standard error is shown if something failed.
func startBinary(b testing.TB, binary, command string, settings ...string) *program {
	b.Helper()
	dir := b.TempDir()
	cmd := exec.CommandContext(context.Background(), binary, command)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(),
		[]string{"STATE_DIR=" + dir, "LOG_LEVEL=warn", "TEMPORAL_TIMEOUT=10s"}, settings)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(b, cmd.Start())
	ended, end := context.WithCancelCause(context.Background())
	var failed error
	go func() {
		failed = cmd.Wait()
		end(fmt.Errorf("the %s has ended: %w", command, cmp.Or(failed, errors.New("exit status 0"))))
	}()
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended.Done()
		if failed != nil || b.Failed() {
			_, _ = io.Copy(os.Stderr, &stderr)
		}
	})
	return &program{cmd, ended}
}

// kill ends the program as an outage would.
func (p *program) kill() {
	_ = p.Process.Kill()
	<-p.ended.Done()
}

// while returns a context that ends with the program, which is then its cause.
func (p *program) while(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ended, func() { cancel(context.Cause(p.ended)) })
	return ctx, func() { stop(); cancel(nil) }
}

func TestWaitingEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	binary, err := exec.LookPath("false")
	require.NoError(t, err)
	ctx, cancel := startBinary(t, binary, "worker").while(t.Context())
	defer cancel()
	<-ctx.Done()
	require.EqualError(t, context.Cause(ctx), "the worker has ended: exit status 1")
}

// peakMB is the peak of a process's resident memory, in MB, as Linux counts it.
func peakMB(b *testing.B, cmd *program) float64 {
	b.Helper()
	mb, found := procmem.MB(cmd.Process.Pid, "VmHWM")
	require.True(b, found, "no VmHWM")
	return mb
}
