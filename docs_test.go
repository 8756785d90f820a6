package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decisions is the folder of the pages that say why the code is as it is.
const decisions = "docs/decisions"

// decisionPages returns the names of the pages by their numbers.
func decisionPages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(decisions + "/[0-9]*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	pages := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		number, _, _ := strings.Cut(name, "-")
		require.Empty(t, pages[number], "two pages have the number %s", number)
		pages[number] = name
	}
	return pages
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	pages := decisionPages(t)

	t.Run("the index has each page once", func(t *testing.T) {
		t.Parallel()
		index, err := os.ReadFile(decisions + "/README.md")
		require.NoError(t, err)
		var listed []string
		for _, m := range regexp.MustCompile(`(?m)^- \[(\d{4})\]\(([^)]+)\):`).FindAllSubmatch(index, -1) {
			require.Equal(t, pages[string(m[1])], string(m[2]))
			listed = append(listed, string(m[1]))
		}
		slices.Sort(listed)
		var all []string
		for number := range pages {
			all = append(all, number)
		}
		slices.Sort(all)
		require.Equal(t, all, listed)
	})

	t.Run("every page has its number, a status, a date and the three parts", func(t *testing.T) {
		t.Parallel()
		for number, name := range pages {
			content, err := os.ReadFile(path.Join(decisions, name))
			require.NoError(t, err)
			require.Regexp(t, `(?s)^# `+number+`: [^\n]+\n\nStatus: .+\n+Date: \d{4}-\d\d-\d\d\n\n`+
				`## Context\n.+\n## Decision\n.+\n## Consequences\n`, string(content), name)
		}
	})

	t.Run("every reference to a page leads to one", func(t *testing.T) {
		t.Parallel()
		reference := regexp.MustCompile(`decisions/(\d{4})(-[a-z0-9-]+\.md)?`)
		references := 0
		for _, file := range textFiles(t) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range reference.FindAllStringSubmatch(string(content), -1) {
				number, slug := m[1], m[2]
				require.NotEmptyf(t, pages[number], "%s refers to decision %s, which does not exist", file, number)
				if slug != "" {
					require.Equal(t, pages[number], number+slug, file)
				}
				references++
			}
		}
		require.Greater(t, references, 20)
	})
}

// Links within the documentation lead to files and headings that exist.
func TestLinksOfDocumentation(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range markdownFiles(t) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(content), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "/") {
				continue
			}
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			require.Truef(t, exists(to), "%s links to %s, which does not exist", file, m[1])
			if anchor != "" {
				require.Containsf(t, headings(t, to), anchor, "%s links to %s", file, m[1])
			}
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// headings returns the anchors of a page's headings, as GitHub makes them.
func headings(t *testing.T, file string) (anchors []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(content), -1) {
		text := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		anchors = append(anchors, strings.ReplaceAll(text, " ", "-"))
	}
	return anchors
}

// markdownFiles returns the documents of the repository.
func markdownFiles(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(textFiles(t), func(name string) bool { return path.Ext(name) != ".md" })
}

// textFiles returns the code and the documents that people write, without what is only data of tests.
func textFiles(t *testing.T) []string {
	t.Helper()
	extensions := []string{
		".css", ".go", ".js", ".md", ".mjs", ".py", ".sh", ".sql", ".template", ".ts", ".yaml", ".yml",
	}
	skipped := []string{"bin", "dist", "node_modules", "testdata", "vendor"}
	var all []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(skipped, entry.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains(extensions, path.Ext(name)) || entry.Name() == "Makefile" {
			all = append(all, filepath.ToSlash(name))
		}
		return nil
	})
	require.NoError(t, err)
	return all
}
