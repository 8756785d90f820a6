package web_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// imports matches what a module imports from another one, at once or later.
var imports = regexp.MustCompile(`(?:from |import\()'(\.[^']+)'`)

// modules returns the code of each module by its path in assets, without those that are copied from npm.
func modules(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir("assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".js" {
			return err
		}
		code, err := os.ReadFile(name)
		found[strings.TrimPrefix(filepath.ToSlash(name), "assets/")] = string(code)
		return err
	}))
	for name := range found {
		if strings.HasPrefix(name, "vendor/") {
			delete(found, name)
		}
	}
	require.NotEmpty(t, found)
	return found
}

func TestNoCircle(t *testing.T) {
	t.Parallel()
	all := modules(t)
	var way []string // from a module to one that it needs
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		require.NotContains(t, way, name, "modules that import each other")
		if done[name] {
			return
		}
		way = append(way, name)
		for _, target := range imports.FindAllStringSubmatch(all[name], -1) {
			visit(path.Join(path.Dir(name), target[1]))
		}
		way = way[:len(way)-1]
		done[name] = true
	}
	for name := range all {
		visit(name)
	}
}

// maxFunction is the largest number of lines of a function, as Prettier formats it.
const maxFunction = 120

// functionStart matches the first line of a function at the top of a module. The line that closes it is the
// next one that begins with a brace or a parenthesis.
var functionStart = regexp.MustCompile(
	`^(?:export )?(?:default )?(?:(?:async )?function\b|const \w+ = .*[({]$)`)

func TestFunctionsCanBeReadAtOnce(t *testing.T) {
	t.Parallel()
	longer := map[string]bool{
		"views/transcript/virtual.js": true, // which rows are drawn, and where, is one calculation
	}
	functions := 0
	for name, code := range modules(t) {
		start := -1
		for i, line := range strings.Split(code, "\n") {
			switch {
			case functionStart.MatchString(line):
				start = i
				functions++
			case start >= 0 && (strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")")):
				lines := i - start + 1
				if !longer[name] {
					require.LessOrEqualf(t, lines, maxFunction, "lines of the function at %s:%d", name, start+1)
				}
				start = -1
			}
		}
	}
	require.Greater(t, functions, 400)
}

var (
	exported = regexp.MustCompile(`(?m)^export (?:(?:async )?function|const|class) (\w+)`)
	listed   = regexp.MustCompile(`(?s)export \{(.*?)\}`)
	imported = regexp.MustCompile(`(?s)(?:import|const) \{([^}]*)\}(?: from |\s*= await import\()'(\.[^']+)'`)
	later    = regexp.MustCompile(`\(await import\('(\.[^']+)'\)\)\.(\w+)`)
	star     = regexp.MustCompile(`import \* as (\w+) from '(\.[^']+)'`)
)

func TestModulesAgreeOnTheirExports(t *testing.T) {
	t.Parallel()
	all := modules(t)
	used := map[string]bool{
		// The test of the stream of events imports them, as other programs may.
		"client/events.js parser": true, "client/events.js StreamError": true,
	}
	for name, code := range all {
		use := func(target, export string) { used[path.Join(path.Dir(name), target)+" "+export] = true }
		for _, one := range imported.FindAllStringSubmatch(code, -1) {
			for _, export := range strings.Split(one[1], ",") {
				export, _, _ = strings.Cut(strings.TrimSpace(export), " as ")
				use(one[2], export)
			}
		}
		for _, one := range later.FindAllStringSubmatch(code, -1) {
			use(one[1], one[2])
		}
		for _, one := range star.FindAllStringSubmatch(code, -1) {
			for _, export := range regexp.MustCompile(`[^/\w]`+one[1]+`\.(\w+)`).FindAllStringSubmatch(code, -1) {
				use(one[2], export[1])
			}
		}
	}
	defined := map[string]bool{}
	for name, code := range all {
		exports := exported.FindAllStringSubmatch(code, -1)
		for _, list := range listed.FindAllStringSubmatch(code, -1) {
			exports = append(exports, regexp.MustCompile(`(\w+)`).FindAllStringSubmatch(list[1], -1)...)
		}
		for _, export := range exports {
			defined[name+" "+export[1]] = true
			if !used[name+" "+export[1]] {
				t.Errorf("nothing imports %s of %s", export[1], name)
			}
		}
	}
	for name := range used {
		module, export, _ := strings.Cut(name, " ")
		if _, ours := all[module]; ours && export != "" && !defined[name] {
			t.Errorf("%s does not export %s, which another module imports", module, export)
		}
	}
}
