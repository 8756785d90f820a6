package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A postgres is a private cluster: what it takes to start it, repeatedly.
type postgres struct {
	name     string // of the process, and of its log
	account  account
	bin      string // folder of the binaries
	data     string
	logDir   string // empty means no log file
	at       port
	durable  bool
	url      url.URL // of its superuser and the database postgres
	database string  // created where it is missing
}

// databaseName is the name of the service's own database.
const databaseName = "research"

// postgresTimeout is how long a cluster may take to answer: one that was killed replays its log first.
const postgresTimeout = 2 * time.Minute

// newPostgres finds the binaries, and makes the cluster of a folder where there is none. Without durable, the
// cluster is faster and does not survive a power cut; tests use it.
func newPostgres(
	ctx context.Context, dir string, at port, password string, durable bool, logf logf,
) (*postgres, error) {
	user := url.UserPassword("postgres", password)
	pg := &postgres{
		name:     "PostgreSQL",
		account:  postgresAccount(),
		at:       at,
		durable:  durable,
		database: databaseName,
		url:      url.URL{Scheme: "postgres", User: user, Host: at.address(), Path: "/postgres"},
	}
	folder, err := pg.account.clusterFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	pg.data = filepath.Join(folder, "data")
	major, err := clusterVersion(pg.data)
	if err != nil {
		return nil, err
	}
	if pg.bin, err = findPostgres(ctx, pg.account, major, logf); err != nil {
		return nil, err
	}
	if major == 0 {
		if err := pg.makeCluster(ctx, password); err != nil {
			return nil, fmt.Errorf("make the PostgreSQL cluster in %s: %w", pg.data, err)
		}
	}
	return pg, nil
}

// clusterVersion is the major version of the PostgreSQL that made a cluster; 0 means that there is no
// cluster.
func clusterVersion(data string) (int, error) {
	path := filepath.Join(data, "PG_VERSION")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0, fmt.Errorf("%s is damaged: remove %s to start over", path, data)
	}
	return major, nil
}

// start starts the cluster and waits until it answers. It waits for another process that is about to stop the
// cluster.
func (pg *postgres) start(ctx context.Context, inherit ...*os.File) (*process, error) {
	if err := removeStalePidFile(ctx, pg.data); err != nil {
		return nil, err
	}
	args := []string{"-D", pg.data, "-p", strconv.Itoa(pg.at.number)}
	options := []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "shared_buffers=128MB",
		"timezone=UTC", "log_timezone=UTC", "log_min_messages=warning", "jit=off",
		// The log has no values of rows, such as addresses: neither an error's detail nor its statement.
		"log_error_verbosity=terse", "log_min_error_statement=panic",
	}
	if !pg.durable {
		options = append(options, "fsync=off", "synchronous_commit=off", "full_page_writes=off",
			"wal_level=minimal", "max_wal_senders=0", "max_wal_size=128MB", "autovacuum=off")
	}
	for _, option := range options {
		args = append(args, "-c", option)
	}
	cmd := newCommand(filepath.Join(pg.bin, "postgres"), args...)
	pg.account.runAs(cmd)
	cmd.ExtraFiles = inherit
	// SIGINT is PostgreSQL's fast shutdown.
	p, err := startProcess(pg.name, syscall.SIGINT, cmd, pg.logDir)
	if err != nil {
		return nil, err
	}
	err = p.waitUntil(ctx, postgresTimeout, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, pg.url.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		return ensureDatabase(ctx, conn, pg.database)
	})
	if err != nil {
		p.stop(10 * time.Second)
		return nil, err
	}
	return p, nil
}

func ensureDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	var exists bool
	query := "select exists (select from pg_database where datname = $1)"
	if err := conn.QueryRow(ctx, query, name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err := conn.Exec(ctx, "create database "+name)
	return err
}

// databaseURL is the URL of the one database, as its owner.
func (pg *postgres) databaseURL() string {
	u := pg.url
	u.Path = "/" + pg.database
	return u.String()
}

// makeCluster makes a cluster whose superuser is postgres, with a password. It is renamed into place when it
// is complete, so that an interrupted run leaves no incomplete cluster.
func (pg *postgres) makeCluster(ctx context.Context, password string) error {
	partial := pg.data + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	passwordFile := filepath.Join(filepath.Dir(pg.data), "password")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(passwordFile) }()
	if err := pg.account.chown(passwordFile); err != nil {
		return err
	}
	var err error
	for _, locale := range locales(binariesVersion(ctx, pg.bin)) {
		args := append(locale, "-D", partial, "-U", "postgres", "-E", "UTF8", "-A", "scram-sha-256",
			"--pwfile="+passwordFile, "--no-sync", "--no-instructions")
		cmd := newCommand(filepath.Join(pg.bin, "initdb"), args...)
		pg.account.runAs(cmd)
		if err = runToEnd(ctx, cmd); err == nil {
			return os.Rename(partial, pg.data)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = os.RemoveAll(partial)
	}
	return err
}

// locales are initdb's options for a locale that sorts letters of every language by code point. The first one
// that the system supports is used.
func locales(major int) [][]string {
	all := [][]string{{"--locale=C.UTF-8"}, {"--locale=en_US.UTF-8", "--lc-collate=C"}, {"--locale=C"}}
	if major >= 17 {
		all = append([][]string{{"--locale-provider=builtin", "--locale=C.UTF-8"}}, all...)
	}
	return all
}
