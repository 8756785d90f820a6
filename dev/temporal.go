package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// temporalVersion is pinned in tools/temporal/go.mod: the newest version of the CLI that builds with our Go
// toolchain.
const temporalVersion = "v1.5.1"

// A temporal is a development server: what it takes to start it, repeatedly.
type temporal struct {
	cli       string
	file      string // where its data is kept; empty means in memory
	logDir    string // empty means no log file
	namespace string
	at, ui    port // ui.number 0 means no UI
}

// startAttempts bounds how often a server that ends at once is started: it picks ports for its own services,
// which another program may take first.
const startAttempts = 3

// start starts the server and waits until it answers.
func (t *temporal) start(ctx context.Context, inherit ...*os.File) (p *process, err error) {
	for range startAttempts {
		if p, err = t.startOnce(ctx, inherit...); !errors.Is(err, errEnded) {
			break
		}
	}
	return p, err
}

func (t *temporal) startOnce(ctx context.Context, inherit ...*os.File) (*process, error) {
	args := []string{
		"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(t.at.number), "--namespace", t.namespace,
		"--log-level", "error",
		"--search-attribute", "WorkspaceId=Keyword",
		"--search-attribute", "ProjectId=Keyword",
		"--search-attribute", "ImportId=Keyword",
		"--search-attribute", "ErrorCode=Keyword",
		"--search-attribute", "UnreadRanges=Int",
		// Workspaces take turns within a partition of a queue, so queues have one partition.
		"--dynamic-config-value", "matching.enableFairness=true",
		"--dynamic-config-value", "matching.numTaskqueueReadPartitions=1",
		"--dynamic-config-value", "matching.numTaskqueueWritePartitions=1",
		// A worker that begins an import plans it without another task (docs/decisions/0335).
		"--dynamic-config-value", "system.enableActivityEagerExecution=true",
	}
	if t.ui.number == 0 {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-port", strconv.Itoa(t.ui.number))
	}
	if t.file != "" {
		// More than twice the workflows a second, and as safe when the process is killed (docs/decisions/0131).
		args = append(args, "--db-filename", t.file,
			"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")
	}
	// The CLI creates its database with the permissions of the umask, and its logs may contain what Temporal was
	// sent.
	cmd := newCommand("/bin/sh", append([]string{"-c", `umask 077; exec "$0" "$@"`, t.cli}, args...)...)
	// Our own settings, such as TEMPORAL_NAMESPACE, are for clients; the CLI would take them for its own.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "TEMPORAL_")
	})
	cmd.ExtraFiles = inherit
	p, err := startProcess("Temporal", syscall.SIGTERM, cmd, t.logDir)
	if err != nil {
		return nil, err
	}
	err = p.waitUntil(ctx, temporalTimeout, func(ctx context.Context) error {
		c, err := client.DialContext(ctx, client.Options{
			HostPort: t.at.address(), Namespace: t.namespace, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return err
		}
		defer c.Close()
		request := &workflowservice.DescribeNamespaceRequest{Namespace: t.namespace}
		_, err = c.WorkflowService().DescribeNamespace(ctx, request)
		return err
	})
	if err != nil {
		p.stop(5 * time.Second)
		return nil, err
	}
	return p, nil
}

func (t *temporal) uiURL() string { return "http://" + t.ui.address() }

// findTemporal returns the CLI: that on PATH, else one that was built before, else one that it builds from
// the pinned tools.
func findTemporal(ctx context.Context, logf logf) (string, error) {
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, fmt.Sprintf("temporal-%s-%s-%s", temporalVersion, runtime.GOOS, runtime.GOARCH))
	if isProgram(path) {
		return path, nil
	}
	return path, buildTemporal(ctx, path, logf)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0
}

// temporalTimeout is how long Temporal may take to answer, also on a busy machine.
const temporalTimeout = 2 * time.Minute

// progressInterval is how often a build reports its progress.
const progressInterval = 15 * time.Second

// buildTemporal builds the CLI. Where several processes need it, one of them builds it.
func buildTemporal(ctx context.Context, path string, logf logf) error {
	const alternative = "install it (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS"
	root, err := moduleRoot()
	if err != nil {
		return errors.New("there is no temporal CLI on PATH, and no checkout here to build it from: " + alternative)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("there is no temporal CLI on PATH, and no Go to build it: " + alternative)
	}
	unlock, err := lockFile(ctx, path+".lock", func() {
		logf("Another process is building the temporal CLI: waiting for it.")
	})
	if err != nil {
		return err
	}
	defer unlock()
	if isProgram(path) {
		return nil
	}
	logf("No temporal CLI on this machine: building %s from tools/temporal, once. "+
		"On two cores this takes about a minute and a half.", temporalVersion)
	began := time.Now()
	packages := &lineCounter{}
	partial := path + ".partial"
	// Nobody debugs it: without debug information it compiles faster. With the flags of the Makefile, what it
	// shares with our binary has been compiled before (docs/decisions/0448).
	cmd := newCommand("go", "build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-dwarf=false",
		"-o", partial, "github.com/temporalio/cli/cmd/temporal")
	cmd.Dir = filepath.Join(root, "tools", "temporal")
	// Compilers that collect no garbage up to a limit take a sixth less time.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOGC=off", "GOMEMLIMIT=1GiB")
	done := make(chan error, 1)
	go func() { done <- runToEnd(ctx, cmd, packages) }()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("build the temporal CLI: %w", err)
			}
			logf("Built the temporal CLI in %s.", time.Since(began).Round(time.Second))
			return os.Rename(partial, path)
		case <-ticker.C:
			logf("Still building the temporal CLI: %s, %d of about 550 packages.",
				time.Since(began).Round(time.Second), packages.lines.Load())
		}
	}
}

// A lineCounter counts the lines that go build -v prints: one per package.
type lineCounter struct{ lines atomic.Int64 }

func (c *lineCounter) Write(b []byte) (int, error) {
	c.lines.Add(int64(bytes.Count(b, []byte("\n"))))
	return len(b), nil
}

// moduleRoot returns the folder with tools/temporal: the working folder or one above it.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "tools", "temporal", "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fs.ErrNotExist
		}
		dir = parent
	}
}
