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

// A process is a child that ends with us, however we end.
type process struct {
	name string
	cmd  *exec.Cmd
	stop syscall.Signal // asks it to end
	out  *tail
	done chan struct{}
	err  error // after done
}

// start runs a command in the background; signal asks it to end, and is what it gets if we die. What it prints goes to a file in the folder logs, if that is not empty.
func start(name string, signal syscall.Signal, cmd *exec.Cmd, logs string) (*process, error) {
	p := &process{name: name, cmd: cmd, stop: signal, out: &tail{}, done: make(chan struct{})}
	var out io.Writer = p.out
	var file *os.File
	if logs != "" {
		var err error
		if file, err = os.OpenFile(filepath.Join(logs, strings.ToLower(name)+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return nil, err
		}
		out = io.MultiWriter(p.out, file)
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true // Ctrl-C reaches us alone: we end the children in order
	release, err := tie(cmd, signal)
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		release()
		if file != nil {
			_ = file.Close()
		}
		close(p.done)
	}()
	return p, nil
}

// end asks the process to end and waits; after the grace it is killed.
func (p *process) end(grace time.Duration) {
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

// run runs a command to its end, and returns the end of its output with an error. It dies with us as well.
func run(ctx context.Context, cmd *exec.Cmd, also ...io.Writer) error {
	out := &tail{}
	both := io.MultiWriter(append(also, out)...)
	cmd.Stdout, cmd.Stderr = both, both
	release, err := tie(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	defer release()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, out.last())
	}
	return nil
}

// WaitForParent returns when the process that started us is gone, or the context ends: a stack that `make` started ends with make, even by kill -9.
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
