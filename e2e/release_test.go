//go:build release

package e2e

import (
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var releaseFrom = flag.String("release-from", "", "archive of the release that TestRelease upgrades; "+
	"empty: the commit is built, and upgraded to a copy of itself with one more migration")

// nextMigration is what the next version adds, where a release is upgraded to a copy of itself.
const nextMigration = "-- +goose Up\n" +
	"alter table public.imports add column added_by_the_next_version text not null default '';\n"

// A release is installed from its archive, upgraded to the next version and gone back to, as
// docs/operations.md says, while interviews are read. Nothing that was read or found is lost.
func TestRelease(t *testing.T) {
	clone := t.TempDir()
	run(t, ".", "git", "clone", "--quiet", "..", clone)
	archive := *releaseFrom
	if archive == "" {
		archive = buildRelease(t, clone, releasedVersion(t))
		require.NoError(t, os.WriteFile(
			filepath.Join(clone, "db/migrations/9999_next_version.sql"), []byte(nextMigration), 0o600))
		run(t, clone, "git", "add", ".")
		run(t, clone, "git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet",
			"--message", "Next version")
	}
	older := unpackRelease(t, archive)
	newer := unpackRelease(t, buildRelease(t, clone, "99.0.0-rc.1"))
	require.NotEqual(t, run(t, ".", older, "version"), run(t, ".", newer, "version"))

	in := startInstallationOf(t, older)
	p := in.newProject(t)
	p.parse(t, p.add(t, 0))
	in.waitUntilParsed(t, p.imports[0], timeout)
	found := in.evidence(t, p.imports[0])
	require.NotEmpty(t, found)

	// upgrade moves to a binary in the documented order, while an interview is read.
	upgrade := func(binary string) {
		id := p.add(t, len(p.imports)*interviewVariants) // the same evidence as the first one
		p.parse(t, id)
		eventually(t, "a chunk is read", func() bool {
			return in.query(t, `select (progress_done > 0)::text from imports where id = $1`, id) == "true"
		})
		in.binary = binary
		in.mustRun(t, "backup", t.TempDir())
		in.mustRun(t, "migrate")
		for _, part := range []string{"worker", "serve"} {
			stopped := in.parts[part].Stop()
			require.NoError(t, stopped(), "%s: %s", part, in.parts[part].Output())
			in.addProgram(t, part, part)
			in.start(t, part)
		}
		in.waitUntilReady(t)
		in.waitUntilParsed(t, id, timeout)
	}
	check := func() {
		p.parse(t, p.add(t, len(p.imports)*interviewVariants))
		for _, id := range p.imports {
			in.waitUntilParsed(t, id, timeout)
			require.Equal(t, found, in.evidence(t, id), "import %s", id)
		}
		status, _ := in.post(t, "/rest/v1/rpc/my_locked_workspaces", p.token, "application/json", []byte("{}"))
		require.NotEqual(t, http.StatusUnauthorized, status, "the session goes on")
	}
	upgrade(newer)
	require.NotContains(t, in.mustRun(t, "doctor"), "FAIL")
	check()
	upgrade(older)
	doctor := in.mustRun(t, "doctor")
	require.NotContains(t, doctor, "FAIL")
	if *releaseFrom == "" { // which has one migration less than the next version
		require.Contains(t, doctor, "a newer version applied them")
	}
	check()
}

// releasedVersion is the newest version of the changelog, or one before it where there is none.
func releasedVersion(t *testing.T) string {
	t.Helper()
	changelog, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	if match := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) - `).FindSubmatch(changelog); match != nil {
		return string(match[1])
	}
	return "1.0.0-rc.1"
}

// buildRelease builds a release of the commit in a folder, for this machine, and returns its archive.
func buildRelease(t *testing.T, dir, version string) (archive string) {
	t.Helper()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	dist := filepath.Join(t.TempDir(), "dist")
	run(t, dir, "go", "run", "./dev/release", "-version", version, "-platforms", platform, "-dir", dist)
	run(t, dist, "sha256sum", "--check", "--strict", "SHA256SUMS")
	return filepath.Join(dist, "research_"+version+"_"+strings.ReplaceAll(platform, "/", "_")+".tar.gz")
}

// unpackRelease returns the binary of an archive.
func unpackRelease(t *testing.T, archive string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "tar", "--extract", "--gzip", "--file", archive)
	return filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), "research")
}

// run runs a program in a folder, and returns what it prints.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", program, strings.Join(args, " "), out)
	return string(out)
}
