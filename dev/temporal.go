package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
)

// temporalVersion is pinned in tools/go.mod: the newest of the CLI that builds with our Go toolchain.
const temporalVersion = "v1.5.1"

// A temporal is a development server.
type temporal struct {
	*process
	address string
	uiURL   string
}

// startTemporal starts the CLI's development server. file is where its data is kept; empty keeps it in memory.
func startTemporal(ctx context.Context, cli, file, namespace string, at, ui port) (*temporal, error) {
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(at.number), "--namespace", namespace, "--log-level", "error",
		"--search-attribute", "WorkspaceId=Keyword", "--search-attribute", "ProjectId=Keyword", "--search-attribute", "ImportId=Keyword"}
	if ui.number == 0 {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-port", strconv.Itoa(ui.number))
	}
	if file != "" {
		// More than twice the workflows a second, and as safe against a kill of the process (measured; see docs/decisions).
		args = append(args, "--db-filename", file, "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")
	}
	p, err := start("Temporal", syscall.SIGTERM, exec.Command(cli, args...))
	if err != nil {
		return nil, err
	}
	err = p.waitUntil(ctx, time.Minute, func(ctx context.Context) error {
		c, err := client.DialContext(ctx, client.Options{HostPort: at.address(), Namespace: namespace, Logger: quiet{}})
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.CheckHealth(ctx, &client.CheckHealthRequest{})
		return err
	})
	if err != nil {
		p.end(5 * time.Second)
		return nil, err
	}
	t := &temporal{process: p, address: at.address()}
	if ui.number != 0 {
		t.uiURL = "http://" + ui.address()
	}
	return t, nil
}

// quiet drops what the SDK's client says while the server is not there yet.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// findTemporal looks for the CLI: on PATH, among those built before, and at last builds it from the pinned tools.
func findTemporal(ctx context.Context, dir string, say func(string, ...any)) (string, error) {
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = dir
	}
	path := filepath.Join(cache, "research", "temporal-"+temporalVersion)
	if info, err := os.Stat(path); err == nil && info.Mode()&0o100 != 0 {
		return path, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", errors.New("there is no temporal CLI on PATH, and this is no checkout to build it from: install it (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	say("No temporal CLI on this machine: building %s from tools/go.mod, once. This takes about four minutes on two cores.", temporalVersion)
	began := time.Now()
	ticker := time.NewTicker(15 * time.Second)
	defer ticker.Stop()
	done := make(chan error, 1)
	go func() {
		partial := path + "." + strconv.Itoa(os.Getpid())
		cmd := exec.Command("go", "build", "-modfile=tools/go.mod", "-o", partial, "github.com/temporalio/cli/cmd/temporal")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if err := run(ctx, cmd); err != nil {
			done <- err
			return
		}
		done <- os.Rename(partial, path)
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				return "", fmt.Errorf("build the temporal CLI: %w", err)
			}
			say("Built the temporal CLI in %s.", time.Since(began).Round(time.Second))
			return path, nil
		case <-ticker.C:
			say("Still building the temporal CLI (%s).", time.Since(began).Round(time.Second))
		}
	}
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
