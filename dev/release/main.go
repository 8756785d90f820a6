// Command release builds the archives of a release: a static binary with the documentation for each platform,
// a bill of materials for each binary, the provenance of these files, and the checksums of all. `make release
// VERSION=1.0.0` runs it.
//
// The same commit and the same Go give the same archives, byte for byte.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "`version` of the release, such as 1.0.0, or 1.1.0-rc.1 before it")
	platforms := flags.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64",
		"`list` of GOOS/GOARCH")
	dir := flags.String("dir", "dist", "`folder` for the archives")
	builder := flags.String("builder", localBuilder, "`URI` of who builds, for the provenance")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := checkVersion(*version); err != nil {
		return err
	}
	from, err := readSource(ctx, ".", *version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	date, err := commitDate(ctx)
	if err != nil {
		return err
	}
	var files []string
	for platform := range strings.SplitSeq(*platforms, ",") {
		b := build{version: *version, platform: platform, date: date, dir: *dir}
		made, err := b.make(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		files = append(files, made...)
		if _, err := fmt.Fprintln(out, strings.Join(made, "\n")); err != nil {
			return err
		}
	}
	statement := filepath.Join(*dir, "research_"+*version+".provenance.json")
	err = writeFile(statement, func(w io.Writer) error {
		return from.writeProvenance(w, *builder, *version, *platforms, files)
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, statement); err != nil {
		return err
	}
	return writeSums(filepath.Join(*dir, "SHA256SUMS"), append(files, statement))
}

var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// The files that a release must have been written into.
const (
	changelogFile  = "CHANGELOG.md"
	releasedFile   = "db/migrations/released.sum"
	migrationFiles = "db/migrations/*.sql"
)

// checkVersion checks that the changelog has the version, and that its migrations are recorded as released. A
// version before a release, such as 1.1.0-rc.1, needs neither.
func checkVersion(version string) error {
	if !versionPattern.MatchString(version) {
		return errors.New("VERSION must be a version such as 1.0.0, or 1.1.0-rc.1")
	}
	if strings.Contains(version, "-") {
		return nil
	}
	changelog, err := os.ReadFile(changelogFile)
	if err != nil {
		return err
	}
	if !strings.Contains(string(changelog), "\n## "+version+" - ") {
		return fmt.Errorf("%s has no heading %q with a date: rename Unreleased", changelogFile, "## "+version)
	}
	released, err := os.ReadFile(releasedFile)
	if err != nil {
		return err
	}
	migrations, err := filepath.Glob(migrationFiles)
	if err != nil {
		return err
	}
	for _, migration := range migrations {
		if name := filepath.Base(migration); !strings.Contains(string(released), "  "+name+"\n") {
			return fmt.Errorf("%s lacks %s: run go test ./db -run TestReleasedMigrations -update", releasedFile, name)
		}
	}
	return nil
}

// commitDate returns the time of the commit, which the archives' files get.
func commitDate(ctx context.Context) (time.Time, error) {
	out, err := git(ctx, ".", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of the commit: %w", err)
	}
	seconds, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// A build is the release for one platform.
type build struct {
	version, platform string
	date              time.Time
	dir               string
}

// name is the name of the archive, without its ending.
func (b build) name() string {
	return "research_" + b.version + "_" + strings.ReplaceAll(b.platform, "/", "_")
}

// make compiles the binary, and returns the paths of the archive and the bill of materials.
func (b build) make(ctx context.Context) ([]string, error) {
	scratch, err := os.MkdirTemp("", "research-release-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	binary := filepath.Join(scratch, "research")
	goos, goarch, found := strings.Cut(b.platform, "/")
	if !found {
		return nil, errors.New("a platform is written like linux/amd64")
	}
	// A machine whose GOFLAGS turn off the stamp of the commit builds the same release.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-o", binary,
		"-ldflags=-s -w -X research/cli.release="+b.version, ".")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	return b.pack(binary)
}

// pack writes the archive and the bill of materials of a binary, and returns their paths.
func (b build) pack(binary string) ([]string, error) {
	archive := filepath.Join(b.dir, b.name()+".tar.gz")
	bill := filepath.Join(b.dir, b.name()+".cdx.json")
	if err := writeFile(archive, func(w io.Writer) error { return b.writeArchive(w, binary) }); err != nil {
		return nil, err
	}
	return []string{archive, bill}, writeFile(bill, func(w io.Writer) error { return b.writeBill(w, binary) })
}

// writeFile writes a file that only exists when it is complete.
func writeFile(path string, write func(io.Writer) error) error {
	partial := path + ".partial"
	file, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(partial) }()
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// writeSums writes the checksums of files in the format of sha256sum.
func writeSums(path string, files []string) error {
	var sums strings.Builder
	for _, name := range files {
		sum, err := fileSum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, filepath.Base(name))
	}
	return os.WriteFile(path, []byte(sums.String()), 0o644)
}
