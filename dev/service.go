package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A Folder is the state folder of a stack of several processes. It holds their data and logs, and is locked
// until the last of them has ended.
type Folder struct {
	Path string // absolute

	lock *stateLock
	logf logf
}

// OpenFolder creates the folder where it is missing, and locks it. It returns an error where another stack
// uses the folder. What services do by themselves is reported on out.
func OpenFolder(ctx context.Context, path string, out io.Writer) (*Folder, error) {
	dir, err := makeStateDir(path)
	if err != nil {
		return nil, err
	}
	logf := newLogf(out)
	lock, err := lockState(ctx, dir, logf)
	if err != nil {
		return nil, err
	}
	return &Folder{Path: dir, lock: lock, logf: logf}, nil
}

// Close unlocks the folder. The caller has stopped the services.
func (f *Folder) Close() { f.lock.unlock() }

// Run runs a command to its end. It ends with us as well, and with the context.
func (f *Folder) Run(ctx context.Context, cmd *exec.Cmd) error {
	if err := runToEnd(ctx, cmd); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(cmd.Path), err)
	}
	return nil
}

// A ServiceConfig describes one process of a stack.
type ServiceConfig struct {
	Name    string // of the process, and of its log
	Command func() *exec.Cmd
	Ready   func(context.Context) error // polled until it returns nil; nil: ready once started
	Grace   time.Duration               // from SIGTERM, which asks the process to end, to SIGKILL
}

const (
	// serviceReady bounds the start of a service on a busy machine.
	serviceReady = 2 * time.Minute
	// serviceAgain is the pause before a service that ended by itself is started again, as Compose's
	// `restart: unless-stopped` begins.
	serviceAgain = time.Second
)

// A Service is a process that ends with us, however we end. Its methods must not be called concurrently.
type Service struct{ supervisor }

// NewService returns a service that is not started yet.
func (f *Folder) NewService(c ServiceConfig) *Service {
	startPart := func(ctx context.Context) (*process, error) {
		cmd := c.Command()
		cmd.ExtraFiles = []*os.File{f.lock.file}
		p, err := startProcess(c.Name, syscall.SIGTERM, cmd, logDir(f.Path))
		if err != nil || c.Ready == nil {
			return p, err
		}
		if err := p.waitUntil(ctx, serviceReady, c.Ready); err != nil {
			p.stop(c.Grace)
			return nil, err
		}
		return p, nil
	}
	return f.service(c.Name, c.Grace, startPart)
}

// NewPostgres returns a PostgreSQL with its own cluster in the folder, and the URL of its one database,
// as the owner of both.
func (f *Folder) NewPostgres(
	ctx context.Context, name, database, password string, number int,
) (*Service, string, error) {
	dir := filepath.Join(f.Path, name)
	if err := os.MkdirAll(dir, 0o711); err != nil { // passable by the user that PostgreSQL runs as
		return nil, "", err
	}
	pg, err := newPostgres(ctx, dir, port{number: number}, password, true, f.logf)
	if err != nil {
		return nil, "", err
	}
	pg.name, pg.database, pg.logDir = name, database, logDir(f.Path)
	startPart := func(ctx context.Context) (*process, error) { return pg.start(ctx, f.lock.file) }
	const grace = 30 * time.Second // it writes what it has in memory
	return f.service(name, grace, startPart), pg.databaseURL(), nil
}

func (f *Folder) service(
	name string, grace time.Duration, startPart func(context.Context) (*process, error),
) *Service {
	return &Service{supervisor{
		name: name, startPart: startPart, restartDelay: serviceAgain, stopTimeout: grace, logf: f.logf,
	}}
}

// Start starts the process and waits until it is ready.
func (s *Service) Start(ctx context.Context) error { return s.start(ctx) }

// Keep starts the process again whenever it ends by itself, until the context ends.
func (s *Service) Keep(ctx context.Context) { s.watch(ctx) }

// Kill ends the process by SIGKILL.
func (s *Service) Kill() {
	_ = s.current.cmd.Process.Kill() // it may have ended
	<-s.current.done
}

// Stop asks the process to end and waits, up to the grace. The context of Keep must have ended before. It
// returns an error if the process had to be killed or its exit code is not 0. It is not an error if the
// process had already ended.
func (s *Service) Stop() error {
	if s.watched != nil {
		<-s.watched
	}
	if s.current == nil {
		return nil
	}
	select {
	case <-s.current.done:
		return nil
	default:
	}
	s.stop()
	if s.current.err == nil {
		return nil
	}
	var exit *exec.ExitError
	if errors.As(s.current.err, &exit) {
		// A program without a handler ends by the signal itself.
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == s.current.stopSignal {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", s.name, s.current.err)
}
