package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
)

var update = flag.Bool("update", false, "record the migrations and the queries of a release, or the schema")

// releasedFile has a line for each released migration, as sha256sum writes it, in the order of their numbers.
const releasedFile = "migrations/released.sum"

func TestReleasedMigrations(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	sums := map[string]string{}
	for _, name := range names {
		content, err := fs.ReadFile(db.Migrations(), name)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		sums[name] = hex.EncodeToString(sum[:])
	}
	released, err := os.ReadFile(releasedFile)
	require.NoError(t, err)
	if *update {
		released = append(released, linesOf(sums, strings.Split(string(released), "\n"))...)
		require.NoError(t, os.WriteFile(releasedFile, released, 0o644))
		writeReleasedQueries(t, releasedQueries)
	}
	require.NoError(t, checkReleased(string(released), sums))
}

// releasedMigrations returns the names of the released migrations, in order. Before the first release it
// skips the test, which is about a release.
func releasedMigrations(t *testing.T) (names []string) {
	t.Helper()
	content, err := os.ReadFile(releasedFile)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && !strings.HasPrefix(line, "#") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Skip("there is no release yet: " + releasedFile + " lists no migration")
	}
	return names
}

// linesOf returns the lines of the migrations that are not among those of the release before.
func linesOf(sums map[string]string, before []string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if line := sums[name] + "  " + name; !slices.Contains(before, line) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// checkReleased compares the released migrations with all migrations, whose checksums are given by name.
func checkReleased(released string, sums map[string]string) error {
	last := ""
	isReleased := map[string]bool{}
	for line := range strings.Lines(released) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		switch {
		case sums[name] == "":
			return fmt.Errorf("%s was released, and is missing", name)
		case sums[name] != sum:
			return fmt.Errorf("%s was released, and was edited since: add another migration instead", name)
		}
		last, isReleased[name] = name, true
	}
	numbers := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		number, _, _ := strings.Cut(name, "_")
		if numbers[number] != "" {
			return fmt.Errorf("%s and %s have the same number", numbers[number], name)
		}
		numbers[number] = name
		if !isReleased[name] && name < last {
			return fmt.Errorf("%s needs a number above that of %s, which was released", name, last)
		}
	}
	return nil
}

func TestReleasedMigrationsAreAppendOnly(t *testing.T) {
	t.Parallel()
	const released = "# Released.\naa  0001_roles.sql\nbb  0004_research.sql\n"
	for name, tt := range map[string]struct {
		sums map[string]string
		want string
	}{
		"nothing new": {map[string]string{"0001_roles.sql": "aa", "0004_research.sql": "bb"}, ""},
		"a higher one": {
			map[string]string{"0001_roles.sql": "aa", "0004_research.sql": "bb", "0005_new.sql": "cc"}, "",
		},
		"one that was edited": {
			map[string]string{"0001_roles.sql": "aa", "0004_research.sql": "cc"},
			"0004_research.sql was released, and was edited since: add another migration instead",
		},
		"one that was removed": {
			map[string]string{"0001_roles.sql": "aa"}, "0004_research.sql was released, and is missing",
		},
		"a lower one": {
			map[string]string{"0001_roles.sql": "aa", "0003_new.sql": "cc", "0004_research.sql": "bb"},
			"0003_new.sql needs a number above that of 0004_research.sql, which was released",
		},
		"the same number twice": {
			map[string]string{
				"0001_roles.sql": "aa", "0004_research.sql": "bb", "0005_new.sql": "cc", "0005_other.sql": "dd",
			},
			"0005_new.sql and 0005_other.sql have the same number",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkReleased(released, tt.sums)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.want)
			}
		})
	}
}
