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

// The versions of PostgreSQL that the service is made for: 14 is the oldest that is maintained, 18 the
// newest.
const (
	oldestPostgres = 14
	newestPostgres = 18
)

// downloadedPostgres is the version that is downloaded where a machine has none.
const downloadedPostgres = embeddedpostgres.V17

// binaryPatterns match the folders into which distributions and macOS packages install the binaries.
var binaryPatterns = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
}

// findPostgres returns a folder with initdb and postgres that the account may run: that on PATH, else the
// newest one that is installed, else one that is downloaded. major is the version that a cluster needs; 0
// means any.
func findPostgres(ctx context.Context, a account, major int, logf logf) (string, error) {
	var onPath []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			onPath = []string{filepath.Dir(path)}
		}
	}
	installed := PostgresFolders()
	versions := map[string]int{}
	for _, bin := range slices.Concat(onPath, installed) {
		if a.reaches(bin) && hasBinaries(bin) {
			versions[bin] = binariesVersion(ctx, bin)
		}
	}
	slices.SortStableFunc(installed, func(x, y string) int { return cmp.Compare(versions[y], versions[x]) })
	for _, bin := range slices.Concat(onPath, installed) {
		v := versions[bin]
		if v == major && major != 0 || major == 0 && v >= oldestPostgres && v <= newestPostgres {
			return bin, nil
		}
	}
	if major != 0 && !strings.HasPrefix(string(downloadedPostgres), strconv.Itoa(major)+".") {
		return "", fmt.Errorf("the data was made by PostgreSQL %d, which is not on this machine: "+
			"install it, or choose another folder with STATE_DIR", major)
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	return downloadPostgres(ctx, a, cache, "", logf)
}

// PostgresFolders returns the folders outside PATH that contain PostgreSQL's binaries on this machine.
func PostgresFolders() []string {
	var folders []string
	for _, pattern := range binaryPatterns {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		folders = append(folders, found...)
	}
	return folders
}

func hasBinaries(bin string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(bin, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// versionPattern matches the output of postgres --version: postgres (PostgreSQL) 15.14 (Debian
// 15.14-0+deb12u1)
var versionPattern = regexp.MustCompile(`\) (\d+)`)

// binariesVersion is the major version of the binaries in a folder; 0 means that they do not run.
func binariesVersion(ctx context.Context, bin string) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
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

// sharedCache is where root keeps binaries that another user has to run, since root's own cache is closed to
// others.
const sharedCache = "/var/cache/research"

// cacheFolder makes the folder for what is built or downloaded once.
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

// downloadPostgres downloads binaries into the cache, once. repository is the URL of a Maven repository;
// empty means the central one.
func downloadPostgres(ctx context.Context, a account, cache, repository string, logf logf) (string, error) {
	name := fmt.Sprintf("postgres-%s-%s-%s", downloadedPostgres, runtime.GOOS, runtime.GOARCH)
	home := filepath.Join(cache, name)
	bin := filepath.Join(home, "bin")
	if hasBinaries(bin) {
		return bin, nil
	}
	logf("No PostgreSQL on this machine: downloading the binaries of version %s, once.", downloadedPostgres)
	free, err := FreePort(ctx)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(cache, "download-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	partial := filepath.Join(scratch, "home")
	cfg := embeddedpostgres.DefaultConfig().
		Version(downloadedPostgres).
		Port(uint32(free)).
		CachePath(scratch).
		BinariesPath(partial).
		RuntimePath(filepath.Join(scratch, "run")).
		DataPath(filepath.Join(scratch, "data")).
		StartTimeout(time.Minute)
	if repository != "" {
		cfg = cfg.BinaryRepositoryURL(repository)
	}
	// The library only downloads when it starts a server, which is stopped at once. Where we are root, initdb
	// refuses, and the binaries are there nevertheless.
	server := embeddedpostgres.NewDatabase(cfg)
	startErr := server.Start()
	if startErr == nil {
		_ = server.Stop()
	}
	partialBin := filepath.Join(partial, "bin")
	if !hasBinaries(partialBin) || binariesVersion(ctx, partialBin) == 0 {
		if startErr == nil {
			startErr = errors.New("the downloaded binaries do not run on this machine")
		}
		return "", fmt.Errorf("there is no PostgreSQL %d to %d on this machine, and none could be "+
			"downloaded: install it (Debian: apt-get install postgresql; macOS: brew install "+
			"postgresql@17), or set DATABASE_URL: %w",
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
