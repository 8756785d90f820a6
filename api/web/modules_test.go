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
