package main

import (
	"go/ast"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// `make test RACE=1` tests some packages without the race detector, which takes several times as long and
// would find nothing there: neither they nor their tests start goroutines, and nothing of them changes after
// its initialization that parallel tests could share.
func TestPackagesWithoutRace(t *testing.T) {
	t.Parallel()
	packages := map[string][]source{}
	for _, s := range readSources(t) {
		packages[s.pkg] = append(packages[s.pkg], s)
	}
	var want []string
	for pkg, files := range packages {
		hasTests := slices.ContainsFunc(files, func(s source) bool { return s.test })
		if hasTests && !needsRace(t, packages, pkg) {
			want = append(want, "./"+pkg)
		}
	}
	slices.Sort(want)
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?m)^WITHOUT_RACE := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	require.NotNil(t, list)
	require.Equal(t, want, strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " ")),
		"WITHOUT_RACE of the Makefile")
}

// concurrent are packages whose functions start goroutines or synchronize them. A slash at the end stands for
// all packages below.
var concurrent = []string{
	"sync", "sync/", "net", "net/http", "net/http/", "os/signal", "golang.org/x/sync/", "github.com/jackc/",
	"go.temporal.io/", "google.golang.org/grpc", "google.golang.org/grpc/",
}

// needsRace reports whether the tests of a package may run code that shares memory between goroutines: its
// own, or that of our packages that it imports.
func needsRace(t *testing.T, packages map[string][]source, pkg string) bool {
	t.Helper()
	seen := map[string]bool{}
	var visit func(pkg string, tests bool) bool
	visit = func(pkg string, tests bool) bool {
		if seen[pkg] {
			return false
		}
		seen[pkg] = true
		var files []source
		for _, s := range packages[pkg] {
			if tests || !s.test {
				files = append(files, s)
			}
		}
		if sharesMemory(t, files) {
			return true
		}
		for _, s := range files {
			for _, spec := range s.file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if ours, isOurs := strings.CutPrefix(imported, module+"/"); isOurs && visit(ours, false) {
					return true
				}
			}
		}
		return false
	}
	return visit(pkg, true)
}

// sharesMemory reports whether files of a package start goroutines, or change variables of the package.
func sharesMemory(t *testing.T, files []source) bool {
	t.Helper()
	byName := map[string][]*ast.File{} // the tests of a package may be a package of their own
	for _, s := range files {
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if slices.ContainsFunc(concurrent, func(p string) bool {
				return imported == p || strings.HasSuffix(p, "/") && strings.HasPrefix(imported, p)
			}) {
				return true
			}
		}
		byName[s.file.Name.Name] = append(byName[s.file.Name.Name], s.file)
	}
	for name, parsed := range byName {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: noImporter{}, Error: func(error) {}}
		pkg, _ := config.Check(name, files[0].fset, parsed, info)
		for _, file := range parsed {
			shares := false
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					shares = true
				case *ast.SelectorExpr:
					shares = shares || strings.HasPrefix(n.Sel.Name, "Eventually") || n.Sel.Name == "AfterFunc"
				case *ast.AssignStmt:
					for _, changed := range n.Lhs {
						shares = shares || isVariableOf(pkg, info, changed)
					}
				case *ast.IncDecStmt:
					shares = shares || isVariableOf(pkg, info, n.X)
				}
				return true
			})
			if shares {
				return true
			}
		}
	}
	return false
}

// isVariableOf reports whether an expression is a variable at the top of a package, or a part of one.
func isVariableOf(pkg *types.Package, info *types.Info, expr ast.Expr) bool {
	for {
		switch e := expr.(type) {
		case *ast.IndexExpr:
			expr = e.X
		case *ast.SelectorExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.Ident:
			used, ok := info.Uses[e].(*types.Var)
			return ok && used.Parent() == pkg.Scope()
		default:
			return false
		}
	}
}
