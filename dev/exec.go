package dev

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// execPattern is the pattern of the folders that Exec makes.
const execPattern = "research-test-*"

// Exec runs a command beside a throw-away PostgreSQL and Temporal, on free ports and in a temporary folder,
// and returns the command's exit code. The command finds them in TEST_DATABASE_URL and TEST_TEMPORAL_ADDRESS;
// one that is already set is used. TEST_RESEARCH is the path of this program. Nothing is left
// behind. ctx bounds the start; afterwards, signals are passed to the command.
func Exec(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	const commandNotFound = 127 // as in a shell
	logf := newLogf(out)
	path, err := exec.LookPath(args[0])
	if err != nil {
		return commandNotFound, err
	}
	dir, err := postgresAccount().temporaryFolder(execPattern)
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lock, err := lockState(ctx, dir, logf)
	if err != nil {
		return 1, err
	}
	defer lock.unlock()
	defer removeOrphanedFolders(filepath.Dir(dir)) // last: the parts of a run that was killed have ended by then

	parts, environment, err := startTestParts(ctx, dir, lock, logf)
	defer func() {
		for _, part := range parts {
			part.stop()
		}
	}()
	if ctx.Err() != nil {
		return 128 + int(syscall.SIGINT), nil
	}
	if err != nil {
		return 1, err
	}
	cmd := newCommand(path, args[1:]...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return runCommand(cmd)
}

// startTestParts starts the parts that no variable names yet, concurrently, and returns the variables for the
// command. If another program takes a free port first, another port is tried.
func startTestParts(
	ctx context.Context, dir string, lock *stateLock, logf logf,
) (parts []*supervisor, environment []string, err error) {
	var pg *postgres
	if os.Getenv("TEST_DATABASE_URL") == "" {
		start := func(ctx context.Context) (*process, error) {
			var err error
			at := port{setting: "POSTGRES_PORT"}
			if pg, err = newPostgres(ctx, dir, at, newSecret(), false, logf); err != nil {
				return nil, err
			}
			return onFreePort(ctx, func(number int) (*process, error) {
				pg.at.number, pg.url.Host = number, port{number: number}.address()
				return pg.start(ctx, lock.file)
			})
		}
		parts = append(parts, &supervisor{name: "PostgreSQL", stopTimeout: 30 * time.Second, startPart: start})
	}
	server := &temporal{namespace: "default"}
	ownTemporal := os.Getenv("TEST_TEMPORAL_ADDRESS") == ""
	if ownTemporal {
		start := func(ctx context.Context) (*process, error) {
			var err error
			if server.cli, err = findTemporal(ctx, logf); err != nil {
				return nil, err
			}
			return onFreePort(ctx, func(number int) (*process, error) {
				server.at.number = number
				return server.start(ctx, lock.file)
			})
		}
		parts = append(parts, &supervisor{name: "Temporal", stopTimeout: 10 * time.Second, startPart: start})
	}
	if err := startAll(ctx, parts); err != nil {
		return parts, nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return parts, nil, err
	}
	environment = append(environment, "TEST_RESEARCH="+program)
	if pg != nil {
		environment = append(environment, "TEST_DATABASE_URL="+pg.databaseURL())
	}
	if ownTemporal {
		environment = append(environment,
			"TEST_TEMPORAL_ADDRESS="+server.at.address(), "TEST_TEMPORAL_CLI="+server.cli)
	}
	return parts, environment, nil
}

// startAll starts parts at the same time.
func startAll(ctx context.Context, parts []*supervisor) error {
	results := make(chan error, len(parts))
	for _, part := range parts {
		go func() { results <- part.start(ctx) }()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// onFreePort starts a part on a free port, and tries again on other ports.
func onFreePort(ctx context.Context, start func(number int) (*process, error)) (*process, error) {
	var p *process
	var err error
	for range 3 {
		var number int
		if number, err = FreePort(ctx); err != nil {
			return nil, err
		}
		if p, err = start(number); err == nil || ctx.Err() != nil {
			break
		}
	}
	return p, err
}

// runCommand runs the command with our terminal, passes on the signals that we receive, and returns its exit
// code. If we are killed, the command receives SIGTERM.
func runCommand(cmd *exec.Cmd) (code int, err error) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	release, err := startTied(cmd, syscall.SIGTERM)
	if err != nil {
		return 1, err
	}
	defer release()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			// Keys typed at a terminal reach the command without us.
			fromKeyboard := s == os.Interrupt || s == syscall.SIGQUIT
			if !fromKeyboard || !inForeground() {
				_ = cmd.Process.Signal(s) // it may have ended
			}
		case err := <-done:
			return exitCode(err)
		}
	}
}

// exitCode is the exit code of a command, as a shell reports it: 128 plus the signal that killed it.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// inForeground reports whether we are in the foreground of a terminal.
func inForeground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// removeOrphanedFolders removes the folders of runs that were killed: those whose lock is free.
func removeOrphanedFolders(base string) {
	folders, _ := filepath.Glob(filepath.Join(base, execPattern)) // the pattern is well-formed
	for _, dir := range folders {
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // another user's, or a run that is about to start
		}
		// A run that has not yet written its process id into the lock is about to start.
		if tryLock(f) == nil && lockOwner(f) != 0 {
			_ = os.RemoveAll(dir)
		}
		_ = f.Close()
	}
}
