package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A postgres is a private cluster: what is needed to start it, again and again.
type postgres struct {
	account account
	bin     string // folder of the binaries
	data    string
	logs    string // folder; empty: nowhere
	at      port
	durable bool
	url     url.URL // of its superuser and the database postgres
}

// databaseName is that of the one database we make.
const databaseName = "research"

// postgresTimeout is how long a cluster may take to answer: one that was killed replays its log first.
const postgresTimeout = 2 * time.Minute

// newPostgres finds the binaries and makes the cluster of a folder where there is none. durable: false trades safety after a power cut for speed, for tests.
func newPostgres(ctx context.Context, dir string, at port, password string, durable bool, say sayer) (*postgres, error) {
	pg := &postgres{account: postgresAccount(), at: at, durable: durable,
		url: url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: at.address(), Path: "/postgres"}}
	folder, err := pg.account.clusterFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	pg.data = filepath.Join(folder, "data")
	major, err := clusterVersion(pg.data)
	if err != nil {
		return nil, err
	}
	if pg.bin, err = findPostgres(ctx, pg.account, major, say); err != nil {
		return nil, err
	}
	if major == 0 {
		if err := pg.makeCluster(ctx, password); err != nil {
			return nil, fmt.Errorf("make the PostgreSQL cluster in %s: %w", pg.data, err)
		}
	}
	return pg, nil
}

// clusterVersion is the major version that made a cluster; 0: there is none.
func clusterVersion(data string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0, fmt.Errorf("%s is damaged: remove %s to begin anew", filepath.Join(data, "PG_VERSION"), data)
	}
	return major, nil
}

// start starts the cluster and waits until it answers. A cluster that another process still ends is waited for.
func (pg *postgres) start(ctx context.Context, inherit ...*os.File) (*process, error) {
	if err := dropStalePid(ctx, pg.data); err != nil {
		return nil, err
	}
	options := []string{"-D", pg.data, "-p", strconv.Itoa(pg.at.number), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "max_connections=200", "-c", "shared_buffers=128MB", "-c", "timezone=UTC", "-c", "log_min_messages=warning", "-c", "log_timezone=UTC"}
	if !pg.durable {
		options = append(options, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
	}
	cmd := exec.Command(filepath.Join(pg.bin, "postgres"), options...)
	pg.account.lend(cmd)
	cmd.ExtraFiles = inherit
	// SIGINT is PostgreSQL's fast shutdown. Should we die, it is what the cluster gets as well.
	p, err := start("PostgreSQL", syscall.SIGINT, cmd, pg.logs)
	if err != nil {
		return nil, err
	}
	err = p.waitUntil(ctx, postgresTimeout, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, pg.url.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		return ensureDatabase(ctx, conn)
	})
	if err != nil {
		p.end(10 * time.Second)
		return nil, err
	}
	return p, nil
}

func ensureDatabase(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", databaseName).Scan(&exists); err != nil || exists {
		return err
	}
	_, err := conn.Exec(ctx, "create database "+databaseName)
	return err
}

// databaseURL is the URL of the one database, as its owner.
func (pg *postgres) databaseURL() string {
	u := pg.url
	u.Path = "/" + databaseName
	return u.String()
}

// makeCluster makes a cluster whose superuser is postgres, with a password. It appears in one piece: half a cluster would stand in the way next time.
func (pg *postgres) makeCluster(ctx context.Context, password string) error {
	partial := pg.data + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	secret := filepath.Join(filepath.Dir(pg.data), "password")
	if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(secret) }()
	if err := pg.account.give(secret); err != nil {
		return err
	}
	var err error
	for _, locale := range locales(binariesVersion(ctx, pg.bin)) {
		cmd := exec.Command(filepath.Join(pg.bin, "initdb"), append(locale, "-D", partial, "-U", "postgres", "-E", "UTF8", "-A", "scram-sha-256",
			"--pwfile="+secret, "--no-sync", "--no-instructions")...)
		pg.account.lend(cmd)
		if err = run(ctx, cmd); err == nil {
			return os.Rename(partial, pg.data)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = os.RemoveAll(partial)
	}
	return err
}

// locales are initdb's options for letters beyond ASCII in every language, and the order of code points: the first that the system knows is used.
func locales(major int) [][]string {
	all := [][]string{{"--locale=C.UTF-8"}, {"--locale=en_US.UTF-8", "--lc-collate=C"}, {"--locale=C"}}
	if major >= 17 {
		all = append([][]string{{"--locale-provider=builtin", "--locale=C.UTF-8"}}, all...)
	}
	return all
}

// dropStalePid removes the lock file of a cluster that was killed: its process id may be anybody's by now, and PostgreSQL would refuse to start.
func dropStalePid(ctx context.Context, data string) error {
	path := filepath.Join(data, "postmaster.pid")
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err == nil && pid > 0 && isServer(ctx, pid) {
		// A cluster whose parent was killed is just shutting down.
		for range 100 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
			if !isServer(ctx, pid) {
				break
			}
		}
		if isServer(ctx, pid) {
			return fmt.Errorf("another PostgreSQL (process %d) uses %s: stop it, or choose another folder by STATE_DIR", pid, data)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isServer tells whether the process lives and is a PostgreSQL server.
func isServer(ctx context.Context, pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	// Linux: "15 (postgres) S …"; a zombie is Z. Not every system has ps.
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		stat := string(raw)
		name := stat[strings.Index(stat, "(")+1 : strings.LastIndex(stat, ")")]
		return strings.HasPrefix(name, "postgres") && !strings.HasPrefix(stat[strings.LastIndex(stat, ")"):], ") Z")
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "stat=,comm=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	return err == nil && len(fields) >= 2 && strings.Contains(fields[1], "postgres") && !strings.HasPrefix(fields[0], "Z")
}
