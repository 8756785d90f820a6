package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "research"

// A rule says what a package may import. Tests are free to import more.
type rule struct {
	ours   []string // our own packages
	never  []string // packages of others, by prefix
	reason string   // shown when the rule is broken
}

// layout is the house: every package, and whom it may know. Data flows one way: HTTP → workflow → activity → db.
var layout = map[string]rule{
	"": {
		ours:   []string{"activities", "activities/extract", "activities/extract/eval", "activities/mail", "api", "api/auth", "api/rest", "api/token", "config", "db", "dev", "identity", "outcome", "telemetry", "temporalclient", "worker", "workflows"},
		reason: "main wires the programs; what they do belongs to their packages",
	},
	"outcome":    {reason: "outcome is a vocabulary; everything may use it"},
	"config":     {reason: "settings know nothing of what is set"},
	"transcript": {never: []string{"os", "net", "database/sql"}, reason: "transcript is pure parsing: bytes in, a transcript out"},
	"db":         {ours: []string{"outcome"}, never: []string{"net/http", "go.temporal.io"}, reason: "the database knows neither HTTP nor Temporal"},
	"telemetry":  {ours: []string{"outcome"}, reason: "telemetry records what it is given, by the words of outcome; it knows no caller"},
	"db/dbtest":  {ours: []string{"db"}, reason: "dbtest gives tests a database, no more"},

	"identity": {
		ours: []string{"db"}, never: []string{"net/http", "github.com/jackc"},
		reason: "identity knows neither HTTP nor the driver of the database",
	},
	"identity/unsubscribe": {
		reason: "activities sign its tokens and api/notifications checks them, and neither may import the other; " +
			"it does no I/O, so it imports nothing of ours",
	},

	"activities": {
		ours: []string{
			"activities/digest", "activities/extract", "activities/mail", "db", "identity/unsubscribe", "outcome", "transcript",
		},
		reason: "activities do I/O for workflows; they know neither orchestration nor HTTP",
	},
	"activities/digest": {
		ours:   []string{"activities/mail", "outcome"},
		never:  []string{"context", "database/sql", "net/http", "github.com/jackc", "go.temporal.io"},
		reason: "digest is pure: news and a time zone in, a digest and its due time out; activities reads the database",
	},
	"activities/extract":           {ours: []string{"outcome", "transcript"}, reason: "an extractor is a function of a transcript; it knows no database"},
	"activities/extract/eval":      {ours: []string{"activities/extract", "outcome", "transcript"}, reason: "an extractor is measured as it is: no database, no Temporal"},
	"activities/extract/modeltest": {reason: "modeltest plays a model's server; it must not know how ours reads it"},
	"activities/mail":              {reason: "mail renders and sends what it is given"},
	"activities/mail/smtptest":     {reason: "smtptest plays a mail server; it must not know how ours speaks to it"},
	"workflows":                    {ours: []string{"activities", "outcome"}, never: []string{"net/http", "os", "database/sql", "github.com/jackc"}, reason: "a workflow is replayed: it does no I/O and knows no database"},
	"temporalclient":               {ours: []string{"activities", "workflows"}, never: []string{"net/http", "os", "github.com/jackc"}, reason: "temporalclient starts and describes what workflows defines, and satisfies interfaces of activities"},
	"worker":                       {ours: []string{"activities", "activities/extract", "activities/mail", "config", "db", "outcome", "telemetry", "temporalclient", "workflows"}, reason: "the worker wires activities and workflows; HTTP is not its business"},

	"api":       {ours: []string{"api/auth", "api/codec", "api/imports", "api/notifications", "api/rest", "api/token", "api/web", "db", "telemetry", "temporalclient"}, reason: "api lists the mounts"},
	"api/token": {ours: []string{"db"}, reason: "token authenticates requests for every edge and knows none of them"},
	"api/auth": {
		ours:   []string{"api/problem", "api/token", "db", "identity"},
		never:  []string{"github.com/jackc"},
		reason: "auth is the wire; what happens to users belongs to identity",
	},
	"api/problem":       {reason: "problem answers for every edge and knows none of them"},
	"api/imports":       {ours: []string{"api/problem", "api/token", "db", "outcome", "temporalclient", "transcript"}, reason: "the edges know nothing of each other, and start work through temporalclient"},
	"api/notifications": {ours: []string{"api/problem", "db", "identity/unsubscribe", "temporalclient", "workflows"}, reason: "the edges know nothing of each other, and start work through temporalclient"},
	"api/codec":         {ours: []string{"api/problem"}, reason: "codec decrypts for operators and knows no other edge"},
	"api/web":           {reason: "the page is a client of the public APIs, without private doors"},

	"api/rest": {
		ours: []string{
			"api/problem", "api/rest/catalog", "api/rest/openapi", "api/rest/plan", "api/rest/query",
			"api/rest/sqlgen", "api/token", "db",
		},
		reason: "the edges do not know each other",
	},
	"api/rest/catalog": {never: notHTTP, reason: "the catalog is a snapshot; whoever loads it has the connection"},
	"api/rest/query":   {never: notHTTP, reason: "the grammar knows neither HTTP nor the database's schema"},
	"api/rest/plan": {
		ours: []string{"api/rest/catalog", "api/rest/query"}, never: notHTTP,
		reason: "a plan is made from a parsed request and the catalog; it contains no SQL",
	},
	"api/rest/sqlgen": {
		ours: []string{"api/rest/catalog", "api/rest/plan", "api/rest/query"}, never: notHTTP,
		reason: "SQL is made from a plan alone, without a connection",
	},
	"api/rest/openapi": {
		ours: []string{"api/rest/catalog", "api/rest/query"}, never: notHTTP,
		reason: "the description is made from the catalog and the caller's privileges",
	},

	"bench": {reason: "bench has tests only"},

	"dev": {ours: []string{"*"}, reason: "dev brings up everything"},
}

// notHTTP are the packages that the steps below an HTTP edge do without.
var notHTTP = []string{"net/http", "github.com/jackc"}

// testOnly are packages that only tests and their own kind import.
var testOnly = []string{"db/dbtest", "activities/extract/modeltest", "activities/mail/smtptest"}

// folders are those of the first level. A new one needs a page in docs/decisions/.
var folders = []string{"activities", "api", "bench", "config", "db", "dev", "docs", "identity", "outcome", "telemetry", "temporalclient", "tools", "transcript", "worker", "workflows"}

// readers of the environment beside config, each for a reason.
var readers = map[string]string{
	"config":    "it is the reader of the environment",
	"db/dbtest": "tests find their server by TEST_DATABASE_URL",
	"dev":       "it hands the environment on to the command that it runs",
}

// A source is one parsed Go file.
type source struct {
	pkg, path string
	test      bool
	file      *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin" || name == "tools") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		all = append(all, source{pkg, path, strings.HasSuffix(name, "_test.go"), file})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func TestLayout(t *testing.T) {
	t.Parallel()
	all := sources(t)

	t.Run("every package is in the table", func(t *testing.T) {
		t.Parallel()
		var found, listed []string
		for _, s := range all {
			found = append(found, s.pkg)
		}
		for pkg := range layout {
			listed = append(listed, pkg)
		}
		slices.Sort(found)
		for _, pkg := range slices.Compact(found) {
			require.Contains(t, listed, pkg, "a new package: give it a row here, with the reason for what it may import")
		}
	})

	t.Run("nobody imports what they may not", func(t *testing.T) {
		t.Parallel()
		for _, s := range all {
			if s.test {
				continue
			}
			r := layout[s.pkg]
			for _, spec := range s.file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if own, ok := strings.CutPrefix(imported, module+"/"); ok {
					allowed := slices.Contains(r.ours, own) || slices.Contains(r.ours, "*")
					require.Truef(t, allowed, "%s imports %s: %s", s.path, imported, r.reason)
					require.Falsef(t, slices.Contains(testOnly, own) && !slices.Contains(testOnly, s.pkg), "%s imports %s, which is for tests", s.path, imported)
					continue
				}
				for _, banned := range r.never {
					require.Falsef(t, imported == banned || strings.HasPrefix(imported, banned+"/"), "%s imports %s: %s", s.path, imported, r.reason)
				}
			}
		}
	})

	t.Run("every package has one comment that begins with its name", func(t *testing.T) {
		t.Parallel()
		comments := map[string][]string{}
		names := map[string]string{}
		for _, s := range all {
			if s.test {
				continue
			}
			names[s.pkg] = s.file.Name.Name
			if s.file.Doc != nil {
				comments[s.pkg] = append(comments[s.pkg], s.file.Doc.Text())
			}
		}
		for pkg, name := range names {
			require.Lenf(t, comments[pkg], 1, "package %s", name)
			begin := "Package " + name + " "
			if name == "main" {
				begin = "Command " + path.Base(module+"/"+pkg) + " "
			}
			require.Truef(t, strings.HasPrefix(comments[pkg][0], begin), "the comment of %q does not begin with %q", pkg, begin)
		}
	})

	t.Run("only config reads the environment", func(t *testing.T) {
		t.Parallel()
		for _, s := range all {
			if s.test || readers[s.pkg] != "" {
				continue
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				on, ok := call.X.(*ast.Ident)
				reads := ok && on.Name == "os" && slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, call.Sel.Name)
				require.Falsef(t, reads, "%s reads the environment by os.%s: a setting comes from config.Load", s.path, call.Sel.Name)
				return true
			})
		}
	})

	t.Run("no folder of the first level is a surprise", func(t *testing.T) {
		t.Parallel()
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && e.Name() != "node_modules" {
				require.Contains(t, folders, e.Name(), "a new folder of the first level needs a page in docs/decisions/")
			}
		}
	})
}
