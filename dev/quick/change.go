package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A change is what is different from a revision, whether it is committed or not.
type change struct {
	since string   // a name for people
	files []string // relative to the root, with slashes
}

// readChange compares the working tree with the commit at which the branch left a revision. Without a
// revision, that is origin/main, or HEAD in a clone without it.
func readChange(ctx context.Context, dir, since string) (change, error) {
	if since == "" {
		since = "origin/main"
		if _, err := output(ctx, dir, "git", "rev-parse", "--verify", "--quiet", since+"^{commit}"); err != nil {
			since = "HEAD"
		}
	}
	base, err := output(ctx, dir, "git", "merge-base", since, "HEAD")
	if err != nil {
		return change{}, err
	}
	c := change{since: since}
	for _, command := range [][]string{
		{"diff", "--name-only", "-z", "--no-renames", strings.TrimSpace(base)},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		names, err := output(ctx, dir, "git", command...)
		if err != nil {
			return change{}, err
		}
		for name := range strings.SplitSeq(names, "\x00") {
			if name != "" && !slices.Contains(c.files, name) {
				c.files = append(c.files, name)
			}
		}
	}
	slices.Sort(c.files)
	return c, nil
}

// has reports whether one of the changed files matches a pattern, as path.Match has it, or is below a folder
// whose name ends in a slash.
func (c change) has(patterns ...string) bool {
	for _, file := range c.files {
		for _, pattern := range patterns {
			matches, _ := path.Match(pattern, file) // the patterns are well-formed
			if matches || strings.HasSuffix(pattern, "/") && strings.HasPrefix(file, pattern) {
				return true
			}
		}
	}
	return false
}

// A pkg is a package of the module.
type pkg struct {
	dir      string   // relative to the root, with slashes; "." is the root
	imports  []string // folders of our own packages, also of tests
	hasTests bool
}

// importsAny reports whether the package imports one of others.
func (p pkg) importsAny(dirs []string) bool {
	return slices.ContainsFunc(p.imports, func(imported string) bool { return slices.Contains(dirs, imported) })
}

// listPackages returns the packages of the module in a folder.
func listPackages(ctx context.Context, dir string) ([]pkg, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	listed, err := output(ctx, dir, "go", "list", "-e", "-tags", "clients,cluster",
		"-json=Dir,Module,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./...")
	if err != nil {
		return nil, err
	}
	var all []pkg
	for decoder := json.NewDecoder(strings.NewReader(listed)); ; {
		var p struct {
			Dir                                string
			Module                             struct{ Path string }
			Imports, TestImports, XTestImports []string
			TestGoFiles, XTestGoFiles          []string
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		found := pkg{dir: filepath.ToSlash(rel), hasTests: len(p.TestGoFiles)+len(p.XTestGoFiles) > 0}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if ours, ok := strings.CutPrefix(imported, p.Module.Path+"/"); ok {
				found.imports = append(found.imports, ours)
			}
		}
		all = append(all, found)
	}
}

// output returns what a command prints. Its error has what the command prints on standard error.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
