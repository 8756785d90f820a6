package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// newCommand makes a command that no context kills: children are stopped by signals, in order.
func newCommand(path string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), path, args...)
}

// A process is a child that ends with us, however we end.
type process struct {
	name       string
	cmd        *exec.Cmd
	stopSignal syscall.Signal
	out        *tail
	done       chan struct{} // closed when it has ended
	err        error         // how it ended; valid after done
}

// startProcess starts a command in the background. The signal asks it to stop, and is what it receives if we
// die. Its output also goes to a file in logDir, unless that is empty.
func startProcess(name string, stopSignal syscall.Signal, cmd *exec.Cmd, logDir string) (*process, error) {
	p := &process{name: name, cmd: cmd, stopSignal: stopSignal, out: &tail{}, done: make(chan struct{})}
	var out io.Writer = p.out
	closeLog := func() {}
	if logDir != "" {
		path := filepath.Join(logDir, strings.ToLower(name)+".log")
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		out = io.MultiWriter(p.out, file)
		closeLog = func() { _ = file.Close() }
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true // Ctrl-C reaches us alone: we stop the children in order
	release, err := startTied(cmd, stopSignal)
	if err != nil {
		closeLog()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		release()
		closeLog()
		close(p.done)
	}()
	return p, nil
}

// stop asks the process to stop, and waits. After the timeout it is killed.
func (p *process) stop(timeout time.Duration) {
	_ = p.cmd.Process.Signal(p.stopSignal) // it may have ended already
	select {
	case <-p.done:
	case <-time.After(timeout):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// errEnded is in the error of waitUntil where the process ended instead of becoming ready.
var errEnded = errors.New("ended while it started")

// waitUntil polls until ready returns nil, the process ends, or the timeout is over.
func (p *process) waitUntil(
	ctx context.Context, timeout time.Duration, ready func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ticker := time.NewTicker(25 * time.Millisecond)
	defer ticker.Stop()
	var last error
	for {
		if last = ready(ctx); last == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s %w: %s", p.name, errEnded, p.out.lastLines())
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.Canceled) {
				return ctx.Err()
			}
			return fmt.Errorf("%s is not ready after %s: %w", p.name, timeout, last)
		case <-ticker.C:
		}
	}
}

// A tail keeps the end of what a process prints, for error messages.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if len(t.buf) > tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
	}
	return len(b), nil
}

func (t *tail) lastLines() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.buf)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// runToEnd runs a command to its end, and copies its output to also. Its error has the end of the output. The
// command ends with us as well.
func runToEnd(ctx context.Context, cmd *exec.Cmd, also ...io.Writer) error {
	out := &tail{}
	writers := io.MultiWriter(append(also, out)...)
	cmd.Stdout, cmd.Stderr = writers, writers
	release, err := startTied(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	defer release()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, out.lastLines())
	}
	return nil
}

// WaitForParent returns when the process that started us has ended, or ctx ends. A stack that make started
// ends with make, even after kill -9.
func WaitForParent(ctx context.Context) {
	parent := os.Getppid()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
