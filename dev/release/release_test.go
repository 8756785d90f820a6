package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil { // the command runs in the root of the repository
		panic(err)
	}
	os.Exit(m.Run())
}

func TestArchive(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable() // that of this test; it has modules as ours does
	require.NoError(t, err)
	b := build{version: "1.2.3", platform: "linux/amd64", date: time.Unix(1_800_000_000, 0), dir: t.TempDir()}
	files, err := b.pack(binary)
	require.NoError(t, err)
	require.Equal(t, []string{
		filepath.Join(b.dir, "research_1.2.3_linux_amd64.tar.gz"),
		filepath.Join(b.dir, "research_1.2.3_linux_amd64.cdx.json"),
	}, files)

	entries := readArchive(t, files[0])
	original, err := os.ReadFile(binary)
	require.NoError(t, err)
	require.True(t, bytes.Equal(original, entries["research_1.2.3_linux_amd64/research"]))
	for _, name := range []string{"README.md", "CHANGELOG.md", "docs/operations.md"} {
		require.Contains(t, entries, "research_1.2.3_linux_amd64/"+name)
	}

	var bill struct {
		BOMFormat string
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ PURL, Version string }
	}
	content, err := os.ReadFile(files[1])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &bill))
	require.Equal(t, "CycloneDX", bill.BOMFormat)
	require.Equal(t, "1.2.3", bill.Metadata.Component.Version)
	modules := map[string]bool{}
	for _, c := range bill.Components {
		modules[c.PURL[:len(c.PURL)-len("@"+c.Version)]] = true
	}
	for _, module := range []string{"std", "github.com/CycloneDX/cyclonedx-go"} {
		require.True(t, modules["pkg:golang/"+module], module)
	}

	t.Run("is the same when it is made again", func(t *testing.T) {
		again := b
		again.dir = t.TempDir()
		made, err := again.pack(binary)
		require.NoError(t, err)
		for i := range files {
			first, err := os.ReadFile(files[i])
			require.NoError(t, err)
			second, err := os.ReadFile(made[i])
			require.NoError(t, err)
			require.True(t, bytes.Equal(first, second), files[i])
		}
	})

	t.Run("can be verified with its checksums", func(t *testing.T) {
		require.NoError(t, writeSums(filepath.Join(b.dir, "SHA256SUMS"), files))
		cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
		cmd.Dir = b.dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkVersion("1.1.0-rc.1"))
	require.ErrorContains(t, checkVersion("v1"), "must be a version such as 1.0.0")
	require.ErrorContains(t, checkVersion("77.0.0"), `has no heading "## 77.0.0"`)
}

// readArchive returns the contents of the files of an archive, by name.
func readArchive(t *testing.T, name string) map[string][]byte {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	compressed, err := gzip.NewReader(file)
	require.NoError(t, err)
	entries := map[string][]byte{}
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		entries[header.Name] = content
	}
}
