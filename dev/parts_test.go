package dev

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAccountReaches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	inner := filepath.Join(dir, "closed", "inner")
	require.NoError(t, os.MkdirAll(inner, 0o755))
	stranger := account{uid: 54321, gid: 54321, other: true}
	require.True(t, stranger.reaches(inner))
	require.NoError(t, os.Chmod(filepath.Dir(inner), 0o700))
	require.False(t, stranger.reaches(inner), "a folder on the way is closed")
	require.True(t, account{uid: os.Geteuid(), gid: os.Getegid()}.reaches(inner))
	require.False(t, stranger.reaches(filepath.Join(dir, "missing")))
}

func TestClusterOfAnotherVersion(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	version, err := clusterVersion(data)
	require.NoError(t, err)
	require.Zero(t, version)
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("9\n"), 0o600))
	version, err = clusterVersion(data)
	require.NoError(t, err)
	require.Equal(t, 9, version)
	_, err = findPostgres(t.Context(), postgresAccount(), version, newLogf(io.Discard))
	require.ErrorContains(t, err, "the data was made by PostgreSQL 9")
}

func TestStalePidFile(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	require.NoError(t, removeStalePidFile(t.Context(), data), "there is none")
	path := filepath.Join(data, "postmaster.pid")
	// The id belongs to another program by now.
	require.NoError(t, os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600))
	require.NoError(t, removeStalePidFile(t.Context(), data))
	require.NoFileExists(t, path)
}

func TestNothingToDownload(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // the library that fetches leaves a log there
	repository := httptest.NewServer(http.NotFoundHandler())
	defer repository.Close()
	cache := t.TempDir()
	_, err := downloadPostgres(t.Context(), postgresAccount(), cache, repository.URL, newLogf(io.Discard))
	require.ErrorContains(t, err, "apt-get install postgresql")
	require.ErrorContains(t, err, "DATABASE_URL")
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestSecretsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := loadSecrets(dir)
	require.NoError(t, err)
	again, err := loadSecrets(dir)
	require.NoError(t, err)
	require.Equal(t, first, again)
	info, err := os.Stat(filepath.Join(dir, "secrets.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secrets.json"), []byte("{"), 0o600))
	_, err = loadSecrets(dir)
	require.ErrorContains(t, err, "damaged")
}

func TestTemporaryFolder(t *testing.T) {
	a := postgresAccount()
	chosen := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(chosen), 0o711))
	t.Setenv("TMPDIR", chosen)
	dir, err := a.temporaryFolder("run-*")
	require.NoError(t, err)
	require.Equal(t, chosen, filepath.Dir(dir), "TMPDIR is used")

	t.Setenv("TMPDIR", "")
	dir, err = a.temporaryFolder("run-*")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.True(t, a.reaches(dir))
	require.Equal(t, cmp.Or(memoryFolder(), os.TempDir()), filepath.Dir(dir))
}
