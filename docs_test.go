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

// notInRepository are names in documents that are not those of tests, files or packages of the repository.
var notInRepository = map[string]string{
	"db/migrations/NNNN_what.sql":         "a placeholder",
	"db/queries/TABLE.sql":                "a placeholder",
	"transcript/testdata/golden/NAME.EXT": "a placeholder",
	"db/testdata/release/data.sql":        "the first release adds it",
	"db/testdata/release/queries.sql":     "the first release adds it",
	".cursor/mcp.json":                    "a file of the reader",
	".vscode/mcp.json":                    "a file of the reader",
	"claude_desktop_config.json":          "a file of the reader",
	"talk.expected.json":                  "a file of the reader",
	"talk.gold.json":                      "a file of the reader",
	"talk.vtt":                            "a file of the reader",
}

// Tests, files and packages that documents name exist.
func TestNamesInDocumentation(t *testing.T) {
	t.Parallel()
	repo := readRepository(t)
	ignored := map[string]bool{}
	for _, file := range markdownFiles(t) {
		if folder := path.Dir(file); folder != "." && !strings.HasPrefix(folder, "docs") {
			continue
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range repo.unknownNames(file, string(content)) {
			ignored[name] = true
			if notInRepository[name] == "" {
				t.Errorf("%s names %s, which does not exist", file, name)
			}
		}
	}
	for name := range notInRepository {
		require.Truef(t, ignored[name] || repo.has(name), "no document names %s: remove it from the list", name)
	}

	t.Run("finds names that do not exist", func(t *testing.T) {
		t.Parallel()
		const document = "Read `db/nowhere.go`, `nowhere.sql` and `api/nowhere`, run `TestNowhere` or\n\n" +
			"```sh\nmake test PKG=./db RUN=TestNowhereElse\ngo test ./db/nowhere -run TestSchema\n```\n\n" +
			"| package | what it does |\n|---|---|\n| `docs`, `elsewhere` | nothing, in `nobody` |\n\n" +
			"Not ours: `net/http`, `/api/nowhere`, `https://example.com/api/nowhere`. " +
			"Ours: `docs_test.go`, `db/*_test.go`, `pictures/evidence.webp` and `TestNamesInDocumentation`.\n"
		require.ElementsMatch(t, []string{
			"db/nowhere.go", "nowhere.sql", "api/nowhere", "TestNowhere", "TestNowhereElse", "db/nowhere",
			"elsewhere",
		}, repo.unknownNames("docs/made-up.md", document))
	})
}

// Targets and variables of make that documents name exist.
func TestMakeInDocumentation(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	makefile := string(content)
	command := regexp.MustCompile("(?m)(?:^ *|`|; |&& )make ([a-z][a-z/-]*)((?:\\s+[A-Z_]+=\\S+)*)")
	commands := 0
	for _, file := range markdownFiles(t) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		// A code span may be wrapped after make.
		text := regexp.MustCompile("`make\n *").ReplaceAllString(string(content), "`make ")
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			commands++
			require.Regexpf(t, `(?m)^`+m[1]+`:`, makefile, "%s: make %s", file, m[1])
			for _, variable := range strings.Fields(m[2]) {
				name, _, _ := strings.Cut(variable, "=")
				require.Regexpf(t, `\(`+name+`\b|\b(?:or|ifdef|if) [$(]*`+name+`\b`, makefile, "%s: %s", file, m[0])
			}
		}
	}
	require.Greater(t, commands, 30)
}

// A repository is what documents can name.
type repository struct {
	paths map[string]bool // of files and folders
	tests []string        // with benchmarks, fuzz targets and examples
}

func readRepository(t *testing.T) repository {
	t.Helper()
	repo := repository{paths: map[string]bool{}}
	test := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
	for _, folder := range append([]string{".ci"}, folders...) {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			repo.paths[filepath.ToSlash(name)] = true
			return nil
		})
		require.NoError(t, err)
	}
	atTheRoot, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range atTheRoot {
		repo.paths[entry.Name()] = true
	}
	for name := range repo.paths {
		if strings.HasSuffix(name, "_test.go") {
			content, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, m := range test.FindAllStringSubmatch(string(content), -1) {
				repo.tests = append(repo.tests, m[1])
			}
		}
	}
	return repo
}

// How documents name tests, files and packages.
var (
	// A test, after what selects several by a part of their names.
	testName = regexp.MustCompile(`(RUN=|-run |-bench |\|)?['"^]*\b((?:Test|Benchmark|Fuzz|Example)[A-Z]\w*)`)
	// A path from the root, in text or in code, but not within an address.
	pathName = regexp.MustCompile(`(?:^|[^\w./@$}-])(?:\./|@)?` +
		`((?:\.ci|` + strings.Join(folders, "|") + `)/[\w./*-]+)`)
	// The end of a path, in code.
	fileName = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)*\\." +
		"(?:go|js|json|md|mod|patch|sh|sql|sum|txt|vtt|webp|yaml|yml))`")
	// A table of packages or folders, and what is in the first cells of its rows.
	packageTable = regexp.MustCompile(`(?m)^\| (?:package|folder) \|.*\n\|[-|]+\n((?:\|.*\n)+)`)
	firstCell    = regexp.MustCompile(`(?m)^\|([^|]+)\|`)
	codeSpan     = regexp.MustCompile("`([^`]+)`")
)

// unknownNames returns the names in a document that are not in the repository.
func (repo repository) unknownNames(file, text string) []string {
	var unknown []string
	add := func(name string, known bool) {
		if !known && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	for _, m := range testName.FindAllStringSubmatch(text, -1) {
		selects, name := m[1] != "", m[2]
		add(name, slices.ContainsFunc(repo.tests, func(test string) bool {
			return test == name || selects && strings.Contains(test, name)
		}))
	}
	for _, m := range pathName.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(m[1], "./")
		add(name, repo.has(name) || repo.has(path.Join(path.Dir(file), name)))
	}
	for _, m := range fileName.FindAllStringSubmatch(text, -1) {
		add(m[1], repo.has(m[1]) || repo.has("*/"+m[1]))
	}
	for _, table := range packageTable.FindAllStringSubmatch(text, -1) {
		for _, cell := range firstCell.FindAllStringSubmatch(table[1], -1) {
			for _, span := range codeSpan.FindAllStringSubmatch(cell[1], -1) {
				name := strings.TrimRight(span[1], "/")
				add(name, repo.has(name))
			}
		}
	}
	return unknown
}

// has reports whether a path exists. In it, * stands for anything within a name, and */ before it for any
// folders.
func (repo repository) has(name string) bool {
	if end, anywhere := strings.CutPrefix(name, "*/"); anywhere {
		for known := range repo.paths {
			if strings.HasSuffix(known, "/"+end) {
				return true
			}
		}
		return false
	}
	if !strings.Contains(name, "*") {
		return repo.paths[name]
	}
	for known := range repo.paths {
		if matches, _ := path.Match(name, known); matches {
			return true
		}
	}
	return false
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
