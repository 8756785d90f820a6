// Package backup writes backups of the database, restores them, and compares a restored database with the one
// in use. It runs PostgreSQL's own pg_dump and pg_restore, whose major version must be that of the server.
//
// A backup is one file in pg_dump's custom format, with a file of its SHA-256 checksum beside it. It contains
// one consistent snapshot of the whole database, and nothing of Temporal.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"research/db"
)

const (
	namePrefix = "research-"
	nameTime   = "20060102T150405Z"
	nameSuffix = ".dump"
	sumSuffix  = ".sha256" // of the file with the checksum, in the format of sha256sum

	partialPrefix = ".partial-" // of a backup that is being written
)

// partialMaxAge is how long after its last write an unfinished backup is taken for one of a killed process.
const partialMaxAge = 12 * time.Hour

// lockTimeout is how long pg_dump waits for a table that a migration has locked.
const lockTimeout = 30 * time.Second

// Create writes a backup of the database at url into a folder, which is created if it does not exist, and
// returns the path. Only the owner of the process may read the file. A backup that fails leaves no file; what
// a killed process left is deleted by a later one.
//
// The URL must be an owner's. It need not be a superuser's: Create fails if row-level security would hide
// rows from it.
func Create(ctx context.Context, tools Tools, url, folder string) (path string, err error) {
	conn, major, err := connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	restricted, err := checkRowSecurity(ctx, conn)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(folder, namePrefix+time.Now().UTC().Format(nameTime)+nameSuffix)
	if _, err := os.Stat(path); err == nil {
		return "", fmt.Errorf("%s exists", path)
	}
	if err := removePartials(folder); err != nil {
		return "", err
	}
	partial, err := os.CreateTemp(folder, partialPrefix+"*") // with mode 0600, which pg_dump keeps
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(partial.Name()) }()
	if err := partial.Close(); err != nil {
		return "", err
	}
	args := []string{
		"--format=custom", "--no-password", "--file=" + partial.Name(),
		fmt.Sprintf("--lock-wait-timeout=%d", lockTimeout.Milliseconds()),
	}
	if restricted {
		args = append(args, "--enable-row-security")
	}
	if err := tools.run(ctx, "pg_dump", major, url, nil, args...); err != nil {
		return "", err
	}
	if _, err := readHeader(ctx, tools, major, partial.Name()); err != nil {
		return "", err
	}
	if err := writeSum(partial.Name(), path); err != nil {
		return "", errors.Join(err, removeIfExists(path+sumSuffix))
	}
	return path, os.Rename(partial.Name(), path)
}

// Record records in the database at url when its last backup began, so that its age can be watched.
func Record(ctx context.Context, url string, began time.Time) error {
	conn, _, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return db.New(conn).PutSetting(ctx, db.PutSettingParams{
		Name: "last_backup_at", Value: began.UTC().Format(time.RFC3339),
	})
}

// removePartials deletes what killed processes left behind.
func removePartials(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, partialPrefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < partialMaxAge {
			continue
		}
		if err := errors.Join(err, removeIfExists(path)); err != nil {
			return err
		}
	}
	return nil
}

func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// connect opens a connection, and returns the server's major version.
func connect(ctx context.Context, url string) (*pgx.Conn, int, error) {
	inspection, err := db.Inspect(ctx, url)
	if err != nil {
		return nil, 0, err
	}
	conn, err := db.Connect(ctx, url)
	if err != nil {
		return nil, 0, err
	}
	return conn, inspection.Number / 10000, nil
}

// hiddenTablesSQL selects the tables of which row-level security may hide rows from the login. A policy that
// admits every row hides none unless a restrictive policy exists beside it. Nor does one with
// private.hides_marked, which is false for all but service_role itself.
const hiddenTablesSQL = `
	select c.oid::regclass::text, exists (
		select from pg_policy p
		where p.polrelid = c.oid
			and p.polpermissive
			and p.polcmd in ('*', 'r')
			and (
				pg_get_expr(p.polqual, p.polrelid) = 'true'
				or pg_get_expr(p.polqual, p.polrelid) like '%WHERE private.hides_marked())%'
			)
			and exists (
				select from unnest(p.polroles) role
				where case when role = 0 then true else pg_has_role(current_user, role, 'usage') end)
		) and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive) as seen
	from pg_class c
	where c.relkind in ('r', 'p') and row_security_active(c.oid)
	order by 1`

// checkRowSecurity reports whether row-level security applies to the login. Its error names the tables of
// which a dump would lack rows.
func checkRowSecurity(ctx context.Context, conn *pgx.Conn) (restricted bool, err error) {
	rows, err := conn.Query(ctx, hiddenTablesSQL)
	if err != nil {
		return false, fmt.Errorf("read the policies: %w", err)
	}
	var hidden []string
	var table string
	var seen bool
	_, err = pgx.ForEachRow(rows, []any{&table, &seen}, func() error {
		restricted = true
		if !seen {
			hidden = append(hidden, table)
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("read the policies: %w", err)
	}
	if len(hidden) > 0 {
		return true, fmt.Errorf("row-level security hides rows of %s from the login of DATABASE_URL: "+
			"use the owner's, after research migrate, or a login with BYPASSRLS", strings.Join(hidden, ", "))
	}
	return restricted, nil
}

// List returns the paths of the backups in a folder, the newest first.
func List(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, namePrefix+"*"+nameSuffix))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths) // the names contain the time
	slices.Reverse(paths)
	return paths, nil
}

// Prune deletes all but the newest backups of a folder, and returns the paths of those that it deleted.
func Prune(folder string, keep int) (deleted []string, err error) {
	paths, err := List(folder)
	if err != nil || len(paths) <= keep {
		return nil, err
	}
	for _, path := range paths[keep:] {
		if err := os.Remove(path); err != nil {
			return deleted, err
		}
		deleted = append(deleted, path)
		if err := removeIfExists(path + sumSuffix); err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// writeSum writes the checksum of a file that will be renamed to path.
func writeSum(partial, path string) error {
	sum, err := checksum(partial)
	if err != nil {
		return err
	}
	line := sum + "  " + filepath.Base(path) + "\n"
	return os.WriteFile(path+sumSuffix, []byte(line), 0o600)
}

// verifySum compares a backup with its checksum. A backup without one is accepted.
func verifySum(path string) error {
	line, err := os.ReadFile(path + sumSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sum, err := checksum(path)
	if err != nil {
		return err
	}
	if recorded, _, _ := strings.Cut(string(line), " "); recorded != sum {
		return fmt.Errorf("%s is damaged: its checksum is not the one in %s", path, path+sumSuffix)
	}
	return nil
}

func checksum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
