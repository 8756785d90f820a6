package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// temporalVersion is pinned in tools/go.mod: the newest of the CLI that builds with our Go toolchain.
const temporalVersion = "v1.5.1"

// A temporal is a development server: what is needed to start it, again and again.
type temporal struct {
	cli       string
	file      string // where its data is kept; empty: in memory
	logs      string // folder; empty: nowhere
	namespace string
	at, ui    port // ui.number 0: no UI
}

// start starts the server and waits until it answers.
func (t *temporal) start(ctx context.Context, inherit ...*os.File) (*process, error) {
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(t.at.number), "--namespace", t.namespace, "--log-level", "error",
		"--search-attribute", "WorkspaceId=Keyword", "--search-attribute", "ProjectId=Keyword", "--search-attribute", "ImportId=Keyword",
		// Workspaces take turns; they do so within a partition of a queue, so that there is one.
		"--dynamic-config-value", "matching.enableFairness=true",
		"--dynamic-config-value", "matching.numTaskqueueReadPartitions=1", "--dynamic-config-value", "matching.numTaskqueueWritePartitions=1"}
	if t.ui.number == 0 {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-port", strconv.Itoa(t.ui.number))
	}
	if t.file != "" {
		// More than twice the workflows a second, and as safe against a kill of the process (measured; see docs/decisions).
		args = append(args, "--db-filename", t.file, "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")
	}
	cmd := exec.Command(t.cli, args...)
	// Settings of ours, as TEMPORAL_NAMESPACE or TEMPORAL_TLS, are for clients; the CLI would take them for its own.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "TEMPORAL_") })
	cmd.ExtraFiles = inherit
	p, err := start("Temporal", syscall.SIGTERM, cmd, t.logs)
	if err != nil {
		return nil, err
	}
	err = p.waitUntil(ctx, time.Minute, func(ctx context.Context) error {
		c, err := client.DialContext(ctx, client.Options{HostPort: t.at.address(), Namespace: t.namespace, Logger: quiet{}})
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: t.namespace})
		return err
	})
	if err != nil {
		p.end(5 * time.Second)
		return nil, err
	}
	return p, nil
}

func (t *temporal) uiURL() string { return "http://" + t.ui.address() }

// quiet drops what the SDK's client says while the server is not there yet.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// findTemporal looks for the CLI: on PATH, among those built before, and at last builds it from the pinned tools.
func findTemporal(ctx context.Context, say sayer) (string, error) {
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
	return path, buildTemporal(ctx, path, say)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0
}

// progressEvery is how often a build says that it goes on.
const progressEvery = 15 * time.Second

// buildTemporal builds the CLI. Of several processes that want it, one builds.
func buildTemporal(ctx context.Context, path string, say sayer) error {
	const otherwise = "install it (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS"
	root, err := moduleRoot()
	if err != nil {
		return errors.New("there is no temporal CLI on PATH, and no checkout here to build it from: " + otherwise)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("there is no temporal CLI on PATH, and no Go to build it: " + otherwise)
	}
	unlock, err := lock(ctx, path+".lock", func() { say("Another process is building the temporal CLI: waiting for it.") })
	if err != nil {
		return err
	}
	defer unlock()
	if isProgram(path) {
		return nil
	}
	say("No temporal CLI on this machine: building %s from tools/go.mod, once. On two cores this takes about four minutes.", temporalVersion)
	began := time.Now()
	packages := &counter{}
	partial := path + ".partial"
	cmd := exec.Command("go", "build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-modfile=tools/go.mod", "-o", partial, "github.com/temporalio/cli/cmd/temporal")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	done := make(chan error, 1)
	go func() { done <- run(ctx, cmd, packages) }()
	ticker := time.NewTicker(progressEvery)
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
			say("Built the temporal CLI in %s.", time.Since(began).Round(time.Second))
			return os.Rename(partial, path)
		case <-ticker.C:
			say("Still building the temporal CLI: %s, %d of about 1,300 packages.", time.Since(began).Round(time.Second), packages.lines.Load())
		}
	}
}

// A counter counts the lines that go build prints: a package each.
type counter struct{ lines atomic.Int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.lines.Add(int64(bytes.Count(b, []byte("\n"))))
	return len(b), nil
}

// moduleRoot is the folder with tools/go.mod, here or above.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "tools", "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fs.ErrNotExist
		}
		dir = parent
	}
}
