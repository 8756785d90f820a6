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

// lock takes the lock of a file, and waits for whoever has it; waiting is called once if that is so. The lock ends with the process.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, err
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// lingerTimeout is how long the parts of a stack that was killed may take to end: PostgreSQL writes what it has in memory.
const lingerTimeout = 30 * time.Second

// A folder is a state folder in use by one stack: its lock is held by us, and by each part that inherits the file. After kill -9 of us it is free when the last of
// them is gone.
type folder struct {
	file *os.File
}

// lockFolder takes a state folder, or says who has it. Where the stack is dead and its parts are just ending, it waits for them.
func lockFolder(ctx context.Context, dir string, say sayer) (*folder, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(lingerTimeout)
	for first := true; ; first = false {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			break
		}
		pid := holder(f)
		if pid > 0 && alive(pid) || time.Now().After(deadline) || !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("another stack (process %d) uses the folder %s: stop it, or choose another folder by STATE_DIR", pid, dir)
		}
		if first {
			say("The last run was killed: waiting for its parts to end.")
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
	return &folder{file: f}, nil
}

// unlock leaves the folder.
func (l *folder) unlock() {
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}

// holder is the process that wrote its id into a lock file; 0: nobody.
func holder(f *os.File) int {
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

// alive tells whether a process runs; a zombie does not.
func alive(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	return !strings.HasPrefix(string(raw[strings.LastIndex(string(raw), ")")+1:]), " Z")
}
