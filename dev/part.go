package dev

import (
	"context"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A Part is a process of an installation that its owner starts, stops and kills, instead of Run. Tests of
// outages use it.
type Part struct {
	startPart func(context.Context) (*process, error)
	current   *process
}

// NewPostgres returns a durable cluster in a folder, on a free port, and the URL of its database.
func NewPostgres(ctx context.Context, dir string) (part *Part, databaseURL string, err error) {
	number, err := FreePort(ctx)
	if err != nil {
		return nil, "", err
	}
	silent := func(string, ...any) {}
	pg, err := newPostgres(ctx, dir, port{number: number}, "secret", true, silent)
	if err != nil {
		return nil, "", err
	}
	start := func(ctx context.Context) (*process, error) { return pg.start(ctx) }
	return &Part{startPart: start}, pg.databaseURL(), nil
}

// NewTemporal returns a development server on a free port that keeps its data in a file of a folder, and its
// address.
func NewTemporal(ctx context.Context, dir string) (part *Part, address string, err error) {
	silent := func(string, ...any) {}
	cli, err := findTemporal(ctx, silent)
	if err != nil {
		return nil, "", err
	}
	number, err := FreePort(ctx)
	if err != nil {
		return nil, "", err
	}
	server := &temporal{
		cli: cli, file: filepath.Join(dir, "temporal.db"), namespace: "default", at: port{number: number},
	}
	start := func(ctx context.Context) (*process, error) { return server.start(ctx) }
	return &Part{startPart: start}, server.at.address(), nil
}

// NewProgram returns a part that runs any other command, whose output goes to dir/NAME.log.
func NewProgram(name, dir string, command func() *exec.Cmd) *Part {
	start := func(context.Context) (*process, error) {
		return startProcess(name, syscall.SIGTERM, command(), dir)
	}
	return &Part{startPart: start}
}

// Start starts the part, and waits until it answers if it can be asked. It tries again until ctx ends: a
// cluster that was killed may need some time to release its memory.
func (p *Part) Start(ctx context.Context) error {
	for {
		var err error
		if p.current, err = p.startPart(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// PID is the process id of a part that has been started.
func (p *Part) PID() int { return p.current.cmd.Process.Pid }

// Kill kills the part, as kill -9 does, and waits for its end.
func (p *Part) Kill() {
	_ = p.current.cmd.Process.Kill()
	<-p.current.done
}

// Stop asks the part to stop. wait returns when it has ended, with an error unless its exit code is 0.
func (p *Part) Stop() (wait func() error) {
	_ = p.current.cmd.Process.Signal(p.current.stopSignal)
	return func() error {
		<-p.current.done
		return p.current.err
	}
}

// End stops the part, and kills it if it takes too long. A part that never started is left alone.
func (p *Part) End() {
	if p.current != nil {
		p.current.stop(10 * time.Second)
	}
}

// Output returns the last lines that the part printed.
func (p *Part) Output() string { return p.current.out.lastLines() }
