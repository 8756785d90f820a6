package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A fact is a line "key: value" of the output.
type fact struct{ key, value string }

// describe returns what the page says about the machine and the run.
func describe(ctx context.Context, o options) ([]fact, error) {
	postgres, err := postgresVersion(ctx)
	if err != nil {
		return nil, err
	}
	facts := []fact{
		{"date", time.Now().UTC().Format(time.DateOnly)},
		{"command", commandOf(o)},
		{"commit", commit(ctx)},
		{"machine", cmp.Or(o.machine, "not named")},
		{"processor", cmp.Or(fieldOf("/proc/cpuinfo", "model name"), runtime.GOARCH)},
		{"cores", strconv.Itoa(runtime.NumCPU())},
		{"memory", memory()},
		{"kernel", output(ctx, "uname", "-sr")},
		{"compiler", output(ctx, "go", "env", "GOVERSION")},
		{"postgresql", postgres},
	}
	for _, peer := range []struct{ key, name, path string }{
		{"smoothdb", "sted/smoothdb", o.smoothdb}, {"gotrue", "supabase/auth (GoTrue)", o.gotrue},
	} {
		if peer.path == "" {
			continue
		}
		version, err := peerVersion(peer.path)
		if err != nil {
			return nil, err
		}
		facts = append(facts, fact{peer.key, peer.name + version})
	}
	return facts, nil
}

// postgresVersion is that of the server on which the benchmarks run.
func postgresVersion(ctx context.Context) (version string, err error) {
	c, err := pgx.Connect(ctx, os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		return "", fmt.Errorf("connect to TEST_DATABASE_URL (run it with `make bench-report`): %w", err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	err = c.QueryRow(ctx, `show server_version`).Scan(&version)
	return version, err
}

// commit is that of the tree, and says whether files that this command does not write differ from it.
func commit(ctx context.Context) string {
	revision := output(ctx, "git", "rev-parse", "--short=8", "HEAD")
	if output(ctx, "git", "status", "--porcelain", "--", ".", ":!"+pagePath, ":!"+recordingPath) != "" {
		revision += " with changes"
	}
	return cmp.Or(revision, "unknown")
}

// peerVersion reads the commit that the go command has put into a binary.
func peerVersion(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", path, err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision == "" {
		return ", of a build without a commit", nil
	}
	date, _, _ := strings.Cut(settings["vcs.time"], "T")
	return fmt.Sprintf(" at %.8s of %s", revision, date), nil
}

func output(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// fieldOf returns the first field of a file with lines "name : value".
func fieldOf(path, name string) string {
	content, _ := os.ReadFile(path)
	for line := range strings.Lines(string(content)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() string {
	kB, err := strconv.ParseFloat(strings.TrimSuffix(fieldOf("/proc/meminfo", "MemTotal"), " kB"), 64)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f GB", kB*1024/1e9)
}

func loadAverage() string {
	content, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(content), " ")
	return cmp.Or(one, "unknown")
}

// busyShare returns the share of the processor time that is used during busyWindow, between 0 and 1.
func busyShare(ctx context.Context) string {
	idle, all := processorTime()
	select {
	case <-ctx.Done():
	case <-time.After(busyWindow):
	}
	idleThen, allThen := processorTime()
	if allThen == all {
		return "unknown"
	}
	return fmt.Sprintf("%.2f", 1-(idleThen-idle)/(allThen-all))
}

// processorTime returns the idle time and the whole time of all cores until now; see proc_stat(5).
func processorTime() (idle, all float64) {
	content, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(content), "\n")
	const idleField, waitField, steal = 4, 5, 8
	for i, field := range strings.Fields(line) {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil || i > steal {
			continue // the line's name, and guests, whose time is counted as the user's
		}
		all += ticks
		if i == idleField || i == waitField {
			idle += ticks
		}
	}
	return idle, all
}
