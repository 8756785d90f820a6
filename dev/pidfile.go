package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// removeStalePidFile removes the pid file of a cluster that was killed: its process id may belong to any
// process by now, and PostgreSQL would refuse to start. Its error is that the cluster still runs.
func removeStalePidFile(ctx context.Context, data string) error {
	path := filepath.Join(data, "postmaster.pid")
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil && pid > 0 {
		if err := waitForServerToEnd(ctx, pid, data); err != nil {
			return err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// waitForServerToEnd waits for a server whose parent was killed, and which is about to stop.
func waitForServerToEnd(ctx context.Context, pid int, data string) error {
	const interval = 100 * time.Millisecond
	for deadline := time.Now().Add(10 * time.Second); isServer(ctx, pid); {
		if time.Now().After(deadline) {
			return fmt.Errorf("another PostgreSQL (process %d) uses %s: "+
				"stop it, or choose another folder with STATE_DIR", pid, data)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
	return nil
}

// isServer reports whether a process is a PostgreSQL server that runs.
func isServer(ctx context.Context, pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	if name, state, ok := procStat(pid); ok { // not every Linux has ps
		return strings.HasPrefix(name, "postgres") && state != "Z"
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "stat=,comm=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	return err == nil && len(fields) >= 2 && strings.Contains(fields[1], "postgres") &&
		!strings.HasPrefix(fields[0], "Z")
}
