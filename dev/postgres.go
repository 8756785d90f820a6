package dev

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/jackc/pgx/v5"
)

// A postgres is a private cluster.
type postgres struct {
	*process
	url string // of its superuser and the database research
}

// databaseName is that of the one database we make.
const databaseName = "research"

// startPostgres starts a cluster under dir, and makes it first where there is none. durable: false trades safety after a power cut for speed, for tests.
func startPostgres(ctx context.Context, dir string, at port, password string, durable bool, say func(string, ...any)) (*postgres, error) {
	bin, err := findPostgres(dir, say)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "postgres")
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err != nil {
		if err := initCluster(ctx, bin, data, password); err != nil {
			return nil, fmt.Errorf("make the PostgreSQL cluster in %s: %w", data, err)
		}
	}
	if err := dropStalePid(data); err != nil {
		return nil, err
	}
	options := []string{"-D", data, "-p", strconv.Itoa(at.number), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "max_connections=200", "-c", "shared_buffers=128MB", "-c", "timezone=UTC", "-c", "log_min_messages=warning"}
	if !durable {
		options = append(options, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), options...)
	cmd.Dir = "/"
	unprivileged(cmd)
	// SIGINT is PostgreSQL's fast shutdown. Should we die, it is what the cluster gets as well.
	p, err := start("PostgreSQL", syscall.SIGINT, cmd)
	if err != nil {
		return nil, err
	}
	server := &url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: at.address(), Path: "/postgres"}
	var conn *pgx.Conn
	err = p.waitUntil(ctx, time.Minute, func(ctx context.Context) (err error) {
		conn, err = pgx.Connect(ctx, server.String())
		return err
	})
	if err != nil {
		p.end(10 * time.Second)
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", databaseName).Scan(&exists); err == nil && !exists {
		_, err = conn.Exec(ctx, "create database "+databaseName)
	}
	if err != nil {
		p.end(10 * time.Second)
		return nil, fmt.Errorf("make the database: %w", err)
	}
	server.Path = "/" + databaseName
	return &postgres{p, server.String()}, nil
}

// initCluster makes a cluster whose superuser is postgres, with a password.
func initCluster(ctx context.Context, bin, data, password string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	secret, err := os.CreateTemp("", "research-initdb-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(secret.Name()) }()
	if _, err := secret.WriteString(password); err != nil {
		return err
	}
	if err := secret.Close(); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256",
		"--pwfile="+secret.Name(), "--no-sync", "--no-instructions")
	cmd.Dir = "/"
	if uid, gid, changed := unprivileged(cmd); changed {
		for _, path := range []string{data, secret.Name()} {
			if err := os.Chown(path, uid, gid); err != nil {
				return err
			}
		}
	}
	if err := run(ctx, cmd); err != nil {
		_ = os.RemoveAll(data) // half a cluster would stand in the way next time
		return err
	}
	return nil
}

// dropStalePid removes the lock file of a cluster that was killed: its process id may be anybody's by now, and PostgreSQL would refuse to start.
func dropStalePid(data string) error {
	path := filepath.Join(data, "postmaster.pid")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil //nolint:nilerror // there is none
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil && pid > 0 && isPostgres(pid) {
		// A cluster whose parent was killed is just shutting down.
		for range 100 {
			time.Sleep(100 * time.Millisecond)
			if !isPostgres(pid) {
				return nil
			}
		}
		return fmt.Errorf("another stack (process %d) uses %s: stop it, or choose another folder by STATE_DIR", pid, filepath.Dir(data))
	}
	return os.Remove(path)
}

// isPostgres tells whether the process lives and is a PostgreSQL server.
func isPostgres(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && err != syscall.EPERM { //nolint:errorlint // a bare errno
		return false
	}
	out, err := exec.Command("ps", "-o", "comm=,stat=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	return err == nil && len(fields) == 2 && strings.Contains(fields[0], "postgres") && !strings.HasPrefix(fields[1], "Z")
}

// findPostgres looks for a folder with initdb and postgres: PATH, the places that distributions and macOS's packages use (the newest first), and
// at last binaries that are downloaded.
func findPostgres(dir string, say func(string, ...any)) (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if bin := filepath.Dir(path); hasBinaries(bin) {
			return bin, nil
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin", "/usr/local/pgsql/bin",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
		for _, bin := range found {
			if hasBinaries(bin) {
				return bin, nil
			}
		}
	}
	return downloadPostgres(dir, say)
}

func hasBinaries(bin string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(bin, name)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// version is the number in a path, as 15 in /usr/lib/postgresql/15/bin.
func version(path string) int {
	for _, part := range slices.Backward(strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })) {
		if n, err := strconv.Atoi(part); err == nil && n < 1000 {
			return n
		}
	}
	return 0
}

// downloadPostgres fetches binaries once. Embedded-postgres can only fetch by starting; what it starts is stopped again at once, or refused where we are root.
func downloadPostgres(dir string, say func(string, ...any)) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = dir
	}
	home := filepath.Join(cache, "research", "postgres-"+runtime.GOARCH)
	bin := filepath.Join(home, "bin")
	if hasBinaries(bin) {
		return bin, nil
	}
	say("No PostgreSQL on this machine: downloading its binaries, once.")
	free, err := freePort()
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "research-postgres-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	fetcher := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().Version(embeddedpostgres.V17).Port(uint32(free)).
		BinariesPath(home).RuntimePath(filepath.Join(scratch, "run")).DataPath(filepath.Join(scratch, "data")).StartTimeout(time.Minute))
	startErr := fetcher.Start()
	if startErr == nil {
		_ = fetcher.Stop()
	}
	if !hasBinaries(bin) {
		return "", fmt.Errorf("there is no PostgreSQL on this machine and it could not be downloaded (%v): install it (Debian: apt-get install postgresql), or set DATABASE_URL", startErr)
	}
	return bin, nil
}
