package dev_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/dev"
	"research/dev/devtest"
)

func TestFolderHasOneStack(t *testing.T) {
	t.Parallel()
	dir := devtest.OpenFolder(t)
	folder, err := dev.OpenFolder(t.Context(), dir, io.Discard)
	require.NoError(t, err)
	_, err = dev.OpenFolder(t.Context(), dir, io.Discard)
	require.ErrorContains(t, err, "uses the folder "+dir)
	folder.Close()
	folder, err = dev.OpenFolder(t.Context(), dir, io.Discard)
	require.NoError(t, err)
	folder.Close()
}

func TestService(t *testing.T) {
	t.Parallel()
	dir := devtest.OpenFolder(t)
	folder, err := dev.OpenFolder(t.Context(), dir, io.Discard)
	require.NoError(t, err)
	t.Cleanup(folder.Close)
	pids := filepath.Join(dir, "pids")
	started := func() []string { // the processes, one after the other
		content, err := os.ReadFile(pids)
		if err != nil {
			return nil
		}
		return strings.Fields(string(content))
	}
	shell := func(script string) func() *exec.Cmd {
		return func() *exec.Cmd { return exec.CommandContext(context.Background(), "/bin/sh", "-c", script) }
	}

	t.Run("is started again where it ends by itself, and not where it is stopped", func(t *testing.T) {
		service := folder.NewService(dev.ServiceConfig{
			Name: "sleeper", Grace: 10 * time.Second, Command: shell(`echo $$ >> "` + pids + `"; exec sleep 600`),
			Ready: func(context.Context) error {
				if len(started()) == 0 {
					return errors.New("not started")
				}
				return nil
			},
		})
		require.NoError(t, service.Start(t.Context()))
		require.Len(t, started(), 1)
		kept, stop := context.WithCancel(t.Context())
		service.Keep(kept)
		pid, err := strconv.Atoi(started()[0])
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually(t, "it is started again", func() bool { return len(started()) == 2 })
		stop()
		require.NoError(t, service.Stop())
		require.Len(t, started(), 2)
	})

	t.Run("says why it ended", func(t *testing.T) {
		service := folder.NewService(dev.ServiceConfig{
			Name: "failing", Grace: 10 * time.Second, Command: shell(`echo no such luck >&2; exit 3`),
			Ready: func(context.Context) error { return errors.New("never") },
		})
		require.ErrorContains(t, service.Start(t.Context()), "no such luck")
		require.NoError(t, service.Stop(), "it is not running")
	})
}
