package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Exec runs a command beside a PostgreSQL and a Temporal of its own, on free ports and in a temporary folder, and returns its exit code. The command finds
// them by TEST_DATABASE_URL and TEST_TEMPORAL_ADDRESS; where those are set already, they are used. Nothing is left behind.
func Exec(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	dir, err := os.MkdirTemp("", "research-test-*")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user when we are root
		return 1, err
	}
	environment := os.Environ()
	if os.Getenv("TEST_DATABASE_URL") == "" {
		number, err := freePort()
		if err != nil {
			return 1, err
		}
		pg, err := startPostgres(ctx, dir, port{"POSTGRES_PORT", number}, newSecret(), false, say)
		if err != nil {
			return 1, err
		}
		defer pg.end(30 * time.Second)
		environment = append(environment, "TEST_DATABASE_URL="+pg.url)
	}
	if os.Getenv("TEST_TEMPORAL_ADDRESS") == "" {
		cli, err := findTemporal(ctx, dir, say)
		if err != nil {
			return 1, err
		}
		number, err := freePort()
		if err != nil {
			return 1, err
		}
		server, err := startTemporal(ctx, cli, "", "default", port{"TEMPORAL_PORT", number}, port{})
		if err != nil {
			return 1, err
		}
		defer server.end(10 * time.Second)
		environment = append(environment, "TEST_TEMPORAL_ADDRESS="+server.address, "TEST_TEMPORAL_CLI="+cli)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = environment
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The terminal sends Ctrl-C to the command as well; we only wait for it. Signals sent to us alone are passed on.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt {
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
