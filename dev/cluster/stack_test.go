//go:build cluster

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

// patience is how long a test waits for what takes seconds on a quiet machine.
const patience = 3 * time.Minute

// startCluster starts a cluster of its own for a test. These tests do not run in parallel: each needs the
// machine.
func startCluster(t *testing.T, more settings) *cluster {
	t.Helper()
	c, err := openCluster(t.Context(), config{
		Dir: openFolder(t), Ports: freePorts(t), Bin: binaries(t), More: more, Out: io.Discard,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		stopErr := c.stop()
		if t.Failed() {
			c.showLogs(t)
		}
		require.NoError(t, stopErr)
	})
	require.NoError(t, c.start(t.Context()))
	return c
}

// freePorts are beside those of `make cluster`.
func freePorts(t *testing.T) ports {
	t.Helper()
	first := ports(defaultPort + 100)
	for first.check(t.Context()) != nil {
		first += 100
		require.Less(t, int(first), 30000, "no hundred ports are free")
	}
	return first
}

// binaries is where make has put them.
func binaries(t *testing.T) string {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("..", "..", "bin"))
	require.NoError(t, err)
	return bin
}

// openFolder is a temporary folder that another user may pass: PostgreSQL does not run as root.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

// showLogs shows the end of the logs of our programs and of nginx.
func (c *cluster) showLogs(t *testing.T) {
	t.Helper()
	var logs []string
	for _, pattern := range []string{"nginx.log", "serve-*.log", "worker-*.log"} {
		found, err := filepath.Glob(c.path("logs", pattern))
		require.NoError(t, err)
		logs = append(logs, found...)
	}
	for _, path := range logs {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		t.Logf("%s:\n%s", filepath.Base(path), content[max(0, len(content)-2000):])
	}
}

// value reads one value as the owner of the database.
func value[T any](t *testing.T, databaseURL, sql string, args ...any) (v T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(&v))
	return v
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(100 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), what)
	}
}

// dialTemporal is an operator's client, which reaches Temporal as our programs do.
func (c *cluster) dialTemporal(t *testing.T) client.Client {
	t.Helper()
	temporal, err := dialTemporal(t.Context(), c.at.temporal)
	require.NoError(t, err)
	t.Cleanup(temporal.Close)
	return temporal
}
