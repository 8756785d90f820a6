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

// execPattern names the folders of Exec.
const execPattern = "research-test-*"

// Exec runs a command beside a PostgreSQL and a Temporal of its own, on free ports and in a temporary folder, and returns its exit code. The command finds
// them by TEST_DATABASE_URL and TEST_TEMPORAL_ADDRESS; where those are set already, they are used. Nothing is left behind. The context bounds the start;
// afterwards, signals go to the command.
func Exec(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	say := newSayer(out)
	path, err := exec.LookPath(args[0])
	if err != nil {
		return 127, err // what a shell says
	}
	dir, err := postgresAccount().temporaryFolder(execPattern)
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	taken, err := lockFolder(ctx, dir, say)
	if err != nil {
		return 1, err
	}
	defer taken.unlock()
	defer sweep(filepath.Dir(dir)) // at the end: parts of a run that was killed just now are gone by then

	parts, environment, err := startTestParts(ctx, dir, taken, say)
	defer func() {
		for _, part := range parts {
			part.end()
		}
	}()
	if ctx.Err() != nil {
		return 128 + int(syscall.SIGINT), nil
	}
	if err != nil {
		return 1, err
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return runCommand(cmd)
}

// startTestParts starts what no variable names yet, side by side. Another program may take a free port before its part does: then another port is tried.
func startTestParts(ctx context.Context, dir string, taken *folder, say sayer) (parts []*keeper, environment []string, err error) {
	results := make(chan error, 2)
	var pg *postgres
	if os.Getenv("TEST_DATABASE_URL") == "" {
		parts = append(parts, &keeper{name: "PostgreSQL", grace: 30 * time.Second, begin: func(ctx context.Context) (*process, error) {
			var err error
			if pg, err = newPostgres(ctx, dir, port{setting: "POSTGRES_PORT"}, newSecret(), false, say); err != nil {
				return nil, err
			}
			return onFreePort(ctx, func(number int) (*process, error) {
				pg.at.number, pg.url.Host = number, port{number: number}.address()
				return pg.start(ctx, taken.file)
			})
		}})
	}
	server := &temporal{namespace: "default"}
	ownTemporal := os.Getenv("TEST_TEMPORAL_ADDRESS") == ""
	if ownTemporal {
		parts = append(parts, &keeper{name: "Temporal", grace: 10 * time.Second, begin: func(ctx context.Context) (*process, error) {
			var err error
			if server.cli, err = findTemporal(ctx, say); err != nil {
				return nil, err
			}
			return onFreePort(ctx, func(number int) (*process, error) {
				server.at.number = number
				return server.start(ctx, taken.file)
			})
		}})
	}
	for _, part := range parts {
		go func() { results <- part.start(ctx) }()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-results)
	}
	if err := errors.Join(errs...); err != nil {
		return parts, nil, err
	}
	if pg != nil {
		environment = append(environment, "TEST_DATABASE_URL="+pg.databaseURL())
	}
	if ownTemporal {
		environment = append(environment, "TEST_TEMPORAL_ADDRESS="+server.at.address(), "TEST_TEMPORAL_CLI="+server.cli)
	}
	return parts, environment, nil
}

// onFreePort starts a part on a port that is free, and once more on another one.
func onFreePort(ctx context.Context, begin func(number int) (*process, error)) (*process, error) {
	var p *process
	var err error
	for range 3 {
		var number int
		if number, err = freePort(ctx); err != nil {
			return nil, err
		}
		if p, err = begin(number); err == nil || ctx.Err() != nil {
			break
		}
	}
	return p, err
}

// runCommand runs the command with our terminal, hands on the signals that we get, and returns its exit code. The command is asked to end should we be killed.
func runCommand(cmd *exec.Cmd) (code int, err error) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	release, err := tie(cmd, syscall.SIGTERM)
	if err != nil {
		return 1, err
	}
	defer release()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			// What is typed at a terminal reaches the command as well.
			if s != os.Interrupt && s != syscall.SIGQUIT || !atTerminal() {
				_ = cmd.Process.Signal(s) // it may be gone
			}
		case err := <-done:
			return exitCode(err)
		}
	}
}

// exitCode is a command's, as a shell has it: 128 and the signal where one ended it.
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

// atTerminal tells whether we are in the foreground of a terminal.
func atTerminal() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// sweep removes the folders of runs that were killed: those whose lock is free.
func sweep(base string) {
	folders, _ := filepath.Glob(filepath.Join(base, execPattern)) // the pattern is well-formed
	for _, dir := range folders {
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // somebody else's, or just being made
		}
		// A folder that nobody has written its process into is just being locked.
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && holder(f) != 0 {
			_ = os.RemoveAll(dir)
		}
		_ = f.Close()
	}
}
