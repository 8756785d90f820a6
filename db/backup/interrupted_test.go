package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/backup"
	"research/db/dbtest"
)

// fakeDump returns tools whose pg_dump writes the beginning of a backup, and then runs a line of shell
// script.
func fakeDump(t *testing.T, d *dbtest.DB, line string) backup.Tools {
	t.Helper()
	server, err := db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	folder := t.TempDir()
	version := "pg_dump (PostgreSQL) " + strconv.Itoa(server.Number/10000) + ".0"
	script := `#!/bin/sh
if [ "$1" = --version ]; then echo "` + version + `"; exit; fi
for argument; do
	case $argument in --file=*) echo PGDMP > "${argument#--file=}" ;; esac
done
` + line + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "pg_dump"), []byte(script), 0o700))
	return backup.Tools{Folders: []string{folder}}
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestUnfinishedBackups(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)

	t.Run("a full disk leaves no file", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		message := "pg_dump: error: could not write to file: No space left on device"
		_, err := backup.Create(t.Context(), fakeDump(t, d, "echo '"+message+"' >&2; exit 1"), d.URL, folder)
		require.EqualError(t, err, "pg_dump failed: could not write to file: No space left on device")
		requireEmpty(t, folder)
	})

	t.Run("a file that pg_dump did not finish is no backup", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		_, err := backup.Create(t.Context(), fakeDump(t, d, "kill -9 $$"), d.URL, folder)
		require.ErrorContains(t, err, "pg_dump failed")
		requireEmpty(t, folder)
	})

	t.Run("an interrupted backup leaves no file", func(t *testing.T) {
		t.Parallel()
		folder, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
		tools := fakeDump(t, d, "touch '"+started+"'; exec sleep 600")
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		failed := make(chan error, 1)
		go func() {
			_, err := backup.Create(ctx, tools, d.URL, folder)
			failed <- err
		}()
		require.Eventually(t, func() bool {
			_, err := os.Stat(started)
			return err == nil
		}, time.Minute, 10*time.Millisecond)
		backups, err := backup.List(folder)
		require.NoError(t, err)
		require.Empty(t, backups, "what is being written is not listed")
		interrupt()
		require.ErrorIs(t, <-failed, context.Canceled)
		requireEmpty(t, folder)
	})

	t.Run("what a killed process left is deleted by the next backup", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		left, beside := filepath.Join(folder, ".partial-1"), filepath.Join(folder, ".partial-2")
		for _, path := range []string{left, beside} {
			require.NoError(t, os.WriteFile(path, []byte("PGDMP"), 0o600))
		}
		yesterday := time.Now().Add(-24 * time.Hour)
		require.NoError(t, os.Chtimes(left, yesterday, yesterday))
		backups, err := backup.List(folder)
		require.NoError(t, err)
		require.Empty(t, backups)
		path, err := backup.Create(t.Context(), tools(), d.URL, folder)
		require.NoError(t, err)
		require.NoFileExists(t, left)
		require.FileExists(t, beside, "another process may be writing it")
		backups, err = backup.List(folder)
		require.NoError(t, err)
		require.Equal(t, []string{path}, backups)
	})
}
