package dev

import (
	"context"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A Part is one process that a test kills and starts again.
type Part struct {
	begin   func(context.Context) (*process, error)
	current *process
}

// NewPostgres is a durable cluster in a folder, and its URL.
func NewPostgres(ctx context.Context, dir string) (*Part, string, error) {
	number, err := freePort(ctx)
	if err != nil {
		return nil, "", err
	}
	pg, err := newPostgres(ctx, dir, port{number: number}, "secret", true, func(string, ...any) {})
	if err != nil {
		return nil, "", err
	}
	return &Part{begin: func(ctx context.Context) (*process, error) { return pg.start(ctx) }}, pg.databaseURL(), nil
}

// NewTemporal is a development server that keeps its data in a file of a folder, and its address.
func NewTemporal(ctx context.Context, dir string) (*Part, string, error) {
	cli, err := findTemporal(ctx, func(string, ...any) {})
	if err != nil {
		return nil, "", err
	}
	number, err := freePort(ctx)
	if err != nil {
		return nil, "", err
	}
	server := &temporal{cli: cli, file: filepath.Join(dir, "temporal.db"), namespace: "default", at: port{number: number}}
	return &Part{begin: func(ctx context.Context) (*process, error) { return server.start(ctx) }}, server.at.address(), nil
}

// NewProgram is any other command; what it prints is kept in the folder, by its name.
func NewProgram(name, dir string, command func() *exec.Cmd) *Part {
	return &Part{begin: func(context.Context) (*process, error) { return start(name, syscall.SIGTERM, command(), dir) }}
}

// Start starts the part, and waits until it answers where we know how to ask. A cluster that was killed may need some time to let go of its memory.
func (p *Part) Start(ctx context.Context) error {
	for {
		var err error
		if p.current, err = p.begin(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Kill is kill -9.
func (p *Part) Kill() {
	_ = p.current.cmd.Process.Kill()
	<-p.current.done
}

// Stop asks the part to end; wait returns when it has ended, with an error unless its exit code is 0.
func (p *Part) Stop() (wait func() error) {
	_ = p.current.cmd.Process.Signal(p.current.stop)
	return func() error {
		<-p.current.done
		return p.current.err
	}
}

// End asks the part to end, and kills it where it does not.
func (p *Part) End() {
	if p.current != nil {
		p.current.end(10 * time.Second)
	}
}

// Output is the end of what the part printed.
func (p *Part) Output() string { return p.current.out.last() }
