package db_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/outcome"
)

// The vocabulary of package outcome is also written in SQL, in the page and in the docs, which cannot import
// it.

func TestOutcomeInSQL(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)

	for enum, values := range map[string][]string{
		"import_status":     texts(outcome.Statuses),
		"hypothesis_result": texts(outcome.Results),
		"evidence_stance":   texts(outcome.Stances),
		"evidence_strength": texts(outcome.Strengths),
	} {
		require.Equal(t, values,
			dbtest.Value[[]string](t, d, "select enum_range(null::public."+enum+")::text[]"), enum)
	}
	for _, status := range outcome.Statuses {
		restartable := dbtest.Value[bool](t, d,
			"select private.is_restartable($1::public.import_status)", string(status))
		require.Equal(t, status.Restartable(), restartable, status)
	}
}

func TestOutcomeOnThePage(t *testing.T) {
	t.Parallel()
	views := []string{"..", "api", "web", "assets", "views"}
	words := file(t, append(views, "shared", "interviewwords.js")...) +
		file(t, append(views, "shared", "evidencewords.js")...)

	// keys returns the keys of an object literal.
	keys := func(name string) []string {
		literal := find(t, words, `export const `+name+` = \{([^}]*)\}`)
		return matches(`(?m)(?:^|[{,])\s*(\w+):\s*'`, literal)
	}
	require.ElementsMatch(t, texts(outcome.Statuses), keys("interviewStatus"))
	require.ElementsMatch(t, texts(outcome.Statuses), keys("interviewSentence"))
	require.ElementsMatch(t, texts(outcome.Results), keys("results"))
	require.ElementsMatch(t, texts(outcome.Stances), keys("stances"))
	require.ElementsMatch(t, texts(outcome.Strengths), keys("strengths"))

	failures := file(t, append(views, "interview", "failure.js")...)
	require.ElementsMatch(t, texts(outcome.Codes), matches(`(?m)^  (\w+):`, failures))

	startable := matches(`'(\w+)'`, find(t, words, `export const startable = [^\[]*\[([^\]]*)\]`))
	running := matches(`'(\w+)'`, find(t, words, `export const running = (.*)`))
	for _, status := range outcome.Statuses {
		require.Equal(t, status.Restartable(), slices.Contains(startable, string(status)),
			"%s can be parsed", status)
		require.Equal(t, status.Open(), slices.Contains(running, string(status)), "%s is running", status)
	}
}

func TestOutcomeInTheDocs(t *testing.T) {
	t.Parallel()
	architecture := file(t, "..", "docs", "architecture.md")

	diagram := find(t, architecture, "(?s)stateDiagram-v2(.*?)```")
	reached := matches(`--> (\w+)`, diagram)
	slices.Sort(reached)
	require.ElementsMatch(t, texts(outcome.Statuses), slices.Compact(reached))
	queued := matches(`(\w+) --> queued`, diagram)
	for _, status := range outcome.Statuses {
		// A parsed import can be queued if something is missing.
		require.Equal(t, status.Restartable() || status == outcome.StatusParsed,
			slices.Contains(queued, string(status)), "%s can be parsed", status)
	}

	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.+) \\|$").FindAllStringSubmatch(
		find(t, architecture, `(?s)## Error codes of an import(.*?)\n## `), -1) {
		documented[row[1]] = row[2]
	}
	messages := map[string]string{}
	for _, code := range outcome.Codes {
		messages[string(code)] = code.Message()
	}
	require.Equal(t, messages, documented)
}

func texts[T ~string](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

func file(t *testing.T, path ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(raw)
}

// find returns the first group of a pattern.
func find(t *testing.T, text, pattern string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, match, pattern)
	return match[1]
}

// matches returns the first group of all matches.
func matches(pattern, text string) []string {
	var all []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}
