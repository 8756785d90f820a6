package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a child that ends with us, however we end.
type process struct {
	name string
	cmd  *exec.Cmd
	stop syscall.Signal // asks it to end
	out  *tail
	done chan struct{}
	err  error // after done
}

// start runs a command in the background; signal asks it to end, and is what it gets if we die (where the system knows that, see tie).
func start(name string, signal syscall.Signal, cmd *exec.Cmd) (*process, error) {
	p := &process{name: name, cmd: cmd, stop: signal, out: &tail{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	cmd.WaitDelay = 5 * time.Second
	release, err := tie(cmd, signal)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		release()
		close(p.done)
	}()
	return p, nil
}

// end asks the process to end and waits; after the grace it is killed.
func (p *process) end(grace time.Duration) {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(p.stop) // it may be gone already
	select {
	case <-p.done:
	case <-time.After(grace):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// waitUntil polls until ready returns nil, the process ends, or the deadline passes.
func (p *process) waitUntil(ctx context.Context, limit time.Duration, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
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
			return fmt.Errorf("%s ended as it started: %s", p.name, p.out.last())
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.Canceled) {
				return ctx.Err()
			}
			return fmt.Errorf("%s is not ready after %s: %w", p.name, limit, last)
		case <-ticker.C:
		}
	}
}

// A tail keeps the end of what a process prints, for the error message.
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

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.buf)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// run runs a command to its end and returns the end of its output with an error.
func run(ctx context.Context, cmd *exec.Cmd) error {
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, out.last())
	}
	return nil
}
