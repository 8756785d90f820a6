package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// The versions of PostgreSQL that we are made for: 14 is the oldest still maintained, 18 the newest.
const (
	oldestPostgres = 14
	newestPostgres = 18
)

// downloadedPostgres is the version that is fetched where a machine has none.
const downloadedPostgres = embeddedpostgres.V17

// places are where distributions and macOS's packages put the binaries.
var places = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin", "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// findPostgres looks for a folder with initdb and postgres that the account may run: PATH, the usual places with the newest first, and at last binaries that are
// downloaded. major is the version that a cluster needs; 0: any.
func findPostgres(ctx context.Context, a account, major int, say sayer) (string, error) {
	var candidates []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			candidates = append(candidates, filepath.Dir(path))
		}
	}
	var installed []string
	for _, pattern := range places {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		installed = append(installed, found...)
	}
	versions := map[string]int{}
	for _, bin := range append(slices.Clone(candidates), installed...) {
		if a.reaches(bin) && hasBinaries(bin) {
			versions[bin] = binariesVersion(ctx, bin)
		}
	}
	slices.SortStableFunc(installed, func(x, y string) int { return cmp.Compare(versions[y], versions[x]) })
	for _, bin := range append(candidates, installed...) {
		if v := versions[bin]; v == major || major == 0 && v >= oldestPostgres && v <= newestPostgres {
			return bin, nil
		}
	}
	if major != 0 && !strings.HasPrefix(string(downloadedPostgres), strconv.Itoa(major)+".") {
		return "", fmt.Errorf("the data was made by PostgreSQL %d, which is not on this machine: install it, or choose another folder by STATE_DIR", major)
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	return downloadPostgres(ctx, a, cache, "", say)
}

func hasBinaries(bin string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(bin, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

var versionPattern = regexp.MustCompile(`\) (\d+)`)

// binariesVersion is the major version of the binaries in a folder; 0: they do not run.
func binariesVersion(ctx context.Context, bin string) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output() // postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)
	if err != nil {
		return 0
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return 0
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0
	}
	return major
}

// sharedCache is where root keeps binaries that another user has to run: its own cache is closed to others.
const sharedCache = "/var/cache/research"

// cacheFolder is where what was built or fetched once is kept.
func cacheFolder() (string, error) {
	if os.Geteuid() == 0 {
		return sharedCache, os.MkdirAll(sharedCache, 0o755)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "research")
	return dir, os.MkdirAll(dir, 0o755)
}

// downloadPostgres fetches binaries into the cache, once. repository is a Maven repository; empty: the central one.
func downloadPostgres(ctx context.Context, a account, cache, repository string, say sayer) (string, error) {
	home := filepath.Join(cache, fmt.Sprintf("postgres-%s-%s-%s", downloadedPostgres, runtime.GOOS, runtime.GOARCH))
	bin := filepath.Join(home, "bin")
	if hasBinaries(bin) {
		return bin, nil
	}
	say("No PostgreSQL on this machine: downloading the binaries of version %s, once.", downloadedPostgres)
	free, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(cache, "download-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	partial := filepath.Join(scratch, "home")
	cfg := embeddedpostgres.DefaultConfig().Version(downloadedPostgres).Port(uint32(free)).CachePath(scratch).BinariesPath(partial).
		RuntimePath(filepath.Join(scratch, "run")).DataPath(filepath.Join(scratch, "data")).StartTimeout(time.Minute)
	if repository != "" {
		cfg = cfg.BinaryRepositoryURL(repository)
	}
	// The library only fetches by starting. What it starts is stopped again at once; where we are root, initdb refuses, and the binaries are there nevertheless.
	fetcher := embeddedpostgres.NewDatabase(cfg)
	startErr := fetcher.Start()
	if startErr == nil {
		_ = fetcher.Stop()
	}
	if partialBin := filepath.Join(partial, "bin"); !hasBinaries(partialBin) || binariesVersion(ctx, partialBin) == 0 {
		if startErr == nil {
			startErr = errors.New("what was downloaded does not run here")
		}
		return "", fmt.Errorf("there is no PostgreSQL %d to %d on this machine, and none could be downloaded: install it (Debian: apt-get install postgresql; macOS: brew install postgresql@17), or set DATABASE_URL: %w",
			oldestPostgres, newestPostgres, startErr)
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(partial, home); err != nil && !hasBinaries(bin) { // another process may have been faster
		return "", err
	}
	if !a.reaches(bin) {
		return "", fmt.Errorf("user %d, which PostgreSQL runs as, cannot reach %s", a.uid, bin)
	}
	return bin, nil
}
