package workflows_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "add the histories of a release to "+releasedFile)

// releasedFile has a line for each history of a release, as sha256sum writes it.
const releasedFile = "testdata/history/released.sum"

// A run that a release began may continue on any later version of 1.x, so its histories are kept as they are,
// and TestReplay replays them.
func TestReleasedHistories(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	for _, file := range recorded(t) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		name, err := filepath.Rel(filepath.Dir(releasedFile), file)
		require.NoError(t, err)
		sums[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
	}
	content, err := os.ReadFile(releasedFile)
	require.NoError(t, err)
	released := string(content)
	if *update {
		for _, file := range recorded(t) {
			name := strings.TrimPrefix(filepath.ToSlash(file), "testdata/history/")
			if !strings.Contains(released, "  "+name+"\n") {
				released += sums[name] + "  " + name + "\n"
			}
		}
		require.NoError(t, os.WriteFile(releasedFile, []byte(released), 0o644))
	}
	require.NoError(t, checkReleased(released, sums))
}

// checkReleased compares the histories of releases with those that are recorded, whose checksums are given by
// name.
func checkReleased(released string, sums map[string]string) error {
	for line := range strings.Lines(released) {
		sum, name, isSum := strings.Cut(strings.TrimSpace(line), "  ")
		switch {
		case strings.HasPrefix(line, "#") || !isSum:
		case sums[name] == "":
			return fmt.Errorf("%s is the history of a release, and is missing: restore it", name)
		case sums[name] != sum:
			return fmt.Errorf("%s is the history of a release, and was edited: restore it, and give the new one "+
				"another name", name)
		}
	}
	return nil
}

func TestReleasedHistoriesAreKept(t *testing.T) {
	t.Parallel()
	const released = "# Released.\naa  DeleteData/removed.json\n"
	require.NoError(t, checkReleased(released, map[string]string{
		"DeleteData/removed.json": "aa", "DeleteData/removed_2.json": "bb",
	}))
	require.ErrorContains(t, checkReleased(released, map[string]string{"DeleteData/removed.json": "bb"}),
		"and was edited")
	require.ErrorContains(t, checkReleased(released, nil), "and is missing")
}
