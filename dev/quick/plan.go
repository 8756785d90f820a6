package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A plan is what to run, and what is left to `make check test test-clients`.
type plan struct {
	steps   []step
	leftOut []string
}

// whole are the packages that run the whole service for minutes. Of them, only tests in changed files run.
var whole = []string{"dev", "e2e"}

// byHand are packages whose tests no check runs.
var byHand = []string{"bench", "dev/cluster"}

// newPlan plans the checks of a change.
func newPlan(dir string, c change, all []pkg) (plan, error) {
	var p plan
	changed := changedPackages(c.files, all)
	if len(changed) > 0 {
		p.add("format", "make", "--no-print-directory", "check-format")
		p.add("linter", "make", "--no-print-directory", "check-lint", "PKG="+folders(changed))
	}
	tested := tests(changed, all)
	if len(tested) > 0 {
		p.add("tests", "make", "--no-print-directory", "test", "PKG="+folders(tested))
	}
	if err := p.addWhole(dir, c, tested, all); err != nil {
		return plan{}, err
	}
	if c.has("db/queries/", "db/migrations/", "sqlc.yaml", "db/*.sql.go", "db/models.go") {
		p.add("generated code", "make", "--no-print-directory", "check-generated")
	}
	if c.has("workflows/") {
		p.add("determinism of workflows", "make", "--no-print-directory", "check-workflows")
	}
	p.addPage(c)
	for _, other := range []struct {
		reason   string
		patterns []string
	}{
		{"the modules: make check-modules", []string{"go.mod", "go.sum", "tools/*/go.mod", "tools/go.mod"}},
		{"the tools: make check", []string{"tools/", ".golangci.yml"}},
		{"Compose and Kubernetes: make check-compose check-manifests",
			[]string{"docker-compose.yml", "docs/kubernetes/"}},
		{"real clients: make test-clients", []string{"api/web/", "api/auth/", "api/rest/"}},
	} {
		if c.has(other.patterns...) {
			p.leftOut = append(p.leftOut, other.reason)
		}
	}
	return p, nil
}

func (p *plan) add(name string, command ...string) { p.steps = append(p.steps, step{name, command}) }

// changedPackages returns the packages of files: a file belongs to the package of its folder, or of the
// nearest folder above that has one.
func changedPackages(files []string, all []pkg) []string {
	var changed []string
	for _, file := range files {
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			if slices.ContainsFunc(all, func(p pkg) bool { return p.dir == dir }) {
				changed = append(changed, dir)
				break
			}
			if dir == "." || dir == "tools" { // the tools are modules of their own
				break
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

// tests returns the packages whose tests run: those that changed, those that import one of them, and the
// root, whose tests read all files.
func tests(changed []string, all []pkg) []string {
	var tested []string
	for _, p := range all {
		affected := slices.Contains(changed, p.dir) || p.importsAny(changed) || p.dir == "."
		if affected && p.hasTests && !slices.Contains(whole, p.dir) && !slices.Contains(byHand, p.dir) {
			tested = append(tested, p.dir)
		}
	}
	return tested
}

// addWhole adds the tests in changed files of the packages that run the whole service. It names what is left
// out: the other tests of these, and packages that depend on the change only through others.
func (p *plan) addWhole(dir string, c change, tested []string, all []pkg) error {
	var left []string
	for _, other := range dependents(changedPackages(c.files, all), all) {
		if slices.Contains(tested, other) {
			continue
		}
		left = append(left, other)
		if !slices.Contains(whole, other) {
			continue
		}
		names, err := changedTests(dir, c, other)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			p.add("changed tests of "+other, "make", "--no-print-directory", "test", "PKG=./"+other,
				"RUN=^("+strings.Join(names, "|")+")$$")
		}
	}
	if len(left) > 0 {
		p.leftOut = append(p.leftOut, "other tests of "+folders(left)+": make test PKG=…")
	}
	return nil
}

// dependents returns the packages with tests that changed, or depend on one that did.
func dependents(changed []string, all []pkg) []string {
	affected := slices.Clone(changed)
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !slices.Contains(affected, p.dir) && p.importsAny(affected) {
				affected, grew = append(affected, p.dir), true
			}
		}
	}
	var found []string
	for _, p := range all {
		if p.hasTests && slices.Contains(affected, p.dir) {
			found = append(found, p.dir)
		}
	}
	return found
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// changedTests returns the tests in the changed files of a package that need no build tag.
func changedTests(dir string, c change, pkg string) (names []string, err error) {
	for _, file := range c.files {
		if path.Dir(file) != pkg || !strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // the change deletes it
		}
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(source), "\n//go:build ") || strings.HasPrefix(string(source), "//go:build ") {
			continue
		}
		for _, m := range testFunction.FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names, nil
}

// addPage adds the check of the page's types and format.
func (p *plan) addPage(c change) {
	if !c.has("api/web/") {
		return
	}
	if _, err := exec.LookPath("npm"); err != nil {
		p.leftOut = append(p.leftOut, "types of the page, which need Node: make check-page")
		return
	}
	p.add("types and format of the page", "make", "--no-print-directory", "check-page")
}

// folders returns patterns of packages for the go command.
func folders(dirs []string) string {
	patterns := make([]string, len(dirs))
	for i, dir := range dirs {
		patterns[i] = "./" + strings.TrimPrefix(dir, ".")
	}
	return strings.Join(patterns, " ")
}
