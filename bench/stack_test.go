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
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/temporalclient"
)

// newNamespace makes a namespace of its own, and returns a client of it and the settings with which our programs find it.
func newNamespace(b *testing.B) (client.Client, []string) {
	b.Helper()
	address := os.Getenv("TEST_TEMPORAL_ADDRESS")
	require.NotEmpty(b, address, "run it by `make bench`")
	name := "bench-" + uuid.NewString()[:8]
	quiet := slog.New(slog.DiscardHandler)
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: quiet})
	require.NoError(b, err)
	defer namespaces.Close()
	require.NoError(b, namespaces.Register(b.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)}))
	c, err := temporalclient.Dial(temporalclient.Settings{Address: address, Namespace: name, Identity: "bench", Log: quiet})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	return c, []string{"TEMPORAL_ADDRESS=" + address, "TEMPORAL_NAMESPACE=" + name}
}

// buildBinary builds our programs into a folder of the benchmark.
func buildBinary(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "research")
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", path, "research").CombinedOutput()
	require.NoError(b, err, "%s", out)
	return path
}

// A program is one of ours that runs until the benchmark ends.
type program struct {
	*exec.Cmd
	ended context.Context // done when it has ended, for the cause that it died of
}

// startProgram starts one of our programs until the benchmark ends; what it said is shown if something failed.
func startProgram(b testing.TB, binary, name string, settings ...string) *program {
	b.Helper()
	dir := filepath.Dir(binary)
	cmd := exec.Command(binary, name) //nolint:noctx // it is asked to end, in order
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"STATE_DIR=" + dir, "LOG_LEVEL=warn"}, settings...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	require.NoError(b, cmd.Start())
	ended, end := context.WithCancelCause(context.Background())
	var failed error
	go func() {
		failed = cmd.Wait()
		end(fmt.Errorf("the %s has ended: %w", name, cmp.Or(failed, errors.New("as if it were done"))))
	}()
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended.Done()
		if failed != nil || b.Failed() {
			_, _ = io.Copy(os.Stderr, &said)
		}
	})
	return &program{cmd, ended}
}

// while is a context for what only makes sense while the program runs: it ends with it, and its cause says so.
func (p *program) while(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ended, func() { cancel(context.Cause(p.ended)) })
	return ctx, func() { stop(); cancel(nil) }
}

func TestWaitingEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	binary, err := exec.LookPath("false")
	require.NoError(t, err)
	ctx, cancel := startProgram(t, binary, "worker").while(t.Context())
	defer cancel()
	<-ctx.Done()
	require.EqualError(t, context.Cause(ctx), "the worker has ended: exit status 1")
}

// peakMB is the most that a process ever had resident, in MB, as Linux counts it.
func peakMB(b *testing.B, cmd *program) float64 {
	b.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "status"))
	require.NoError(b, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			require.NoError(b, err)
			return kB / 1024
		}
	}
	b.Fatal("no VmHWM")
	return 0
}
