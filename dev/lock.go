package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockFile locks a file, and waits while another process has the lock; onWait is called once in that case.
// The lock ends with the process at the latest.
func lockFile(ctx context.Context, path string, onWait func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		if err = tryLock(f); err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, err
		}
		if first {
			onWait()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// tryLock locks a file. Its error is EWOULDBLOCK where another process has the lock.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// orphanTimeout is how long the parts of a stack that was killed may take to end: PostgreSQL writes what it
// has in memory, also on a busy machine.
const orphanTimeout = 2 * time.Minute

// A stateLock keeps other stacks out of a state folder. We hold it, and so does each part, which inherits the
// file: after kill -9 of us it is free when the last part has ended.
type stateLock struct {
	file *os.File
}

// lockState locks a state folder. Its error names the stack that has the lock. Where that stack was killed
// and its parts are about to end, lockState waits for them.
func lockState(ctx context.Context, dir string, logf logf) (*stateLock, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(orphanTimeout)
	for first := true; ; first = false {
		if err = tryLock(f); err == nil {
			break
		}
		pid := lockOwner(f)
		if pid > 0 && isAlive(pid) || time.Now().After(deadline) || !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("another stack (process %d) uses the folder %s: "+
				"stop it, or choose another folder with STATE_DIR", pid, dir)
		}
		if first {
			logf("The last run was killed: waiting for its parts to end.")
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &stateLock{file: f}, nil
}

func (l *stateLock) unlock() {
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}

// lockOwner is the process that wrote its id into a lock file; 0 means none.
func lockOwner(f *os.File) int {
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0
	}
	return pid
}

// isAlive reports whether a process runs; a zombie does not.
func isAlive(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	_, state, ok := procStat(pid)
	return !ok || state != "Z"
}

// procStat returns the name and the state of a process, as Linux shows them in /proc/PID/stat: "15 (postgres)
// S …". ok is false on other systems.
func procStat(pid int) (name, state string, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", false
	}
	stat := string(raw)
	open, end := strings.Index(stat, "("), strings.LastIndex(stat, ")")
	if open < 0 || end < open || len(stat) < end+3 {
		return "", "", false
	}
	return stat[open+1 : end], stat[end+2 : end+3], true
}
