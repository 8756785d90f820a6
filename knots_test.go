package main

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxKnot is the largest number of files of a package that may need each other. A reader must hold all of
// them in mind to understand one.
const maxKnot = 10

func TestFilesCanBeReadApart(t *testing.T) {
	t.Parallel()
	packages := map[string][]source{}
	for _, s := range readSources(t) {
		if !s.test && !ast.IsGenerated(s.file) {
			packages[s.pkg] = append(packages[s.pkg], s)
		}
	}
	for pkg, files := range packages {
		t.Run(path.Join("root", pkg), func(t *testing.T) {
			t.Parallel()
			for _, knot := range knots(needs(files)) {
				require.LessOrEqualf(t, len(knot), maxKnot, "these files of %s need each other: %s",
					pkg, strings.Join(knot, " "))
			}
		})
	}

	t.Run("finds files that need each other", func(t *testing.T) {
		t.Parallel()
		found := knots(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": nil})
		require.Equal(t, [][]string{{"a", "b", "c"}}, found)
	})
}

// needs returns, for each file of a package, the files that declare what it uses: types, fields, methods,
// functions, variables and constants of the package itself.
func needs(files []source) map[string][]string {
	var parsed []*ast.File
	for _, s := range files {
		parsed = append(parsed, s.file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Nothing is imported, so that what comes from other packages is unknown, and reported as an error.
	config := types.Config{Importer: noImporter{}, Error: func(error) {}}
	fset := files[0].fset
	pkg, _ := config.Check(files[0].pkg, fset, parsed, info)

	fileOf := func(pos token.Pos) string { return filepath.Base(fset.Position(pos).Filename) }
	all := map[string][]string{}
	for id, used := range info.Uses {
		if used.Pkg() != pkg || !isOfPackage(used, pkg) {
			continue
		}
		user, owner := fileOf(id.Pos()), fileOf(used.Pos())
		if user != owner && !slices.Contains(all[user], owner) {
			all[user] = append(all[user], owner)
		}
	}
	return all
}

// isOfPackage reports whether an object is declared at the top of a package, or is a field or a method.
func isOfPackage(object types.Object, pkg *types.Package) bool {
	switch object := object.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return object.IsField() || object.Parent() == pkg.Scope()
	default:
		return object.Parent() == pkg.Scope()
	}
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) {
	return nil, errors.New("nothing is imported")
}

// knots returns the groups of files that need each other, by Tarjan's algorithm for strongly connected
// components.
func knots(needs map[string][]string) [][]string {
	var found [][]string
	var stack []string
	index, lowest := map[string]int{}, map[string]int{}
	var visit func(file string)
	visit = func(file string) {
		index[file] = len(index) + 1
		lowest[file] = index[file]
		stack = append(stack, file)
		for _, needed := range needs[file] {
			if index[needed] == 0 {
				visit(needed)
				lowest[file] = min(lowest[file], lowest[needed])
			} else if slices.Contains(stack, needed) {
				lowest[file] = min(lowest[file], index[needed])
			}
		}
		if lowest[file] < index[file] {
			return
		}
		first := slices.Index(stack, file)
		group := slices.Sorted(slices.Values(stack[first:]))
		stack = stack[:first]
		if len(group) > 1 {
			found = append(found, group)
		}
	}
	for file := range needs {
		if index[file] == 0 {
			visit(file)
		}
	}
	return found
}
