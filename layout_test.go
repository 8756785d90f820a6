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

// A layer is a package and what it may import. Tests are free to import more.
type layer struct {
	pkg    string
	ours   []string // our own packages
	never  []string // packages of others, by prefix
	reason string   // shown when the rule is broken
}

// layout lists every package from top to bottom: a package may only import packages below it. Data flows one
// way: HTTP → workflow → activity → db.
var layout = []layer{
	{
		pkg: "", ours: []string{"cli"},
		reason: "main hands over to cli",
	},
	{
		pkg: "cli",
		ours: []string{
			"activities", "activities/digest", "activities/extract", "activities/extract/eval",
			"activities/extract/keyword", "activities/extract/openai", "activities/extract/trial", "activities/mail",
			"api", "api/answers", "api/imports", "api/mcp", "api/notifications", "api/rest", "api/rest/typescript",
			"api/themes", "api/token", "cli/stdio", "config",
			"db", "db/backup", "dev", "identity", "identity/oidc", "outcome", "server", "telemetry",
			"temporalclient", "worker", "workflows",
		},
		reason: "cli wires the programs; what they do belongs to their packages",
	},
	{
		pkg:    "cli/stdio",
		reason: "stdio passes messages on to a service elsewhere, as a client of it",
	},
	{
		pkg: "dev/cluster", ours: []string{"dev"},
		reason: "a cluster runs our programs from outside, as an operator does",
	},
	{
		pkg:    "dev/release",
		reason: "a release is built from outside, by the go command",
	},
	{
		pkg: "dev/measure", ours: []string{"transcript"},
		reason: "measure reads files as an import does, and stores nothing",
	},
	{
		pkg:    "dev/quick",
		reason: "quick runs the checks of a change from outside, as a developer does",
	},
	{
		pkg: "dev/devtest", ours: []string{"dev"},
		reason: "devtest runs the binary for tests",
	},
	{
		pkg:    "dev/procmem",
		reason: "tests of the data API read memory, and must not load what runs programs",
	},
	{
		pkg: "dev", ours: []string{"api/token", "config", "db"},
		reason: "dev starts servers and programs; cli hands the programs over",
	},
	{
		pkg: "server",
		ours: []string{
			"api", "api/admission", "api/answers", "api/auth", "api/cost", "api/events", "api/imports",
			"api/mcp", "api/notifications", "api/rest", "api/themes", "api/token", "config", "db", "identity",
			"identity/oidc", "internal/outage", "telemetry", "temporalclient",
		},
		reason: "the server wires the API: it hands each edge its settings, and knows no activities",
	},
	{
		pkg: "worker",
		ours: []string{
			"activities", "activities/extract", "activities/extract/keyword", "activities/extract/openai",
			"activities/mail", "activities/webhook", "config", "db", "internal/outage", "outcome",
			"telemetry", "temporalclient", "workflows",
		},
		reason: "the worker wires activities and workflows, and knows no HTTP",
	},

	{
		pkg: "api",
		ours: []string{
			"api/account", "api/address", "api/admission", "api/answers", "api/auth", "api/body", "api/codec",
			"api/events", "api/findings", "api/imports", "api/mail", "api/mcp", "api/notifications", "api/problem",
			"api/projects", "api/reference", "api/refi", "api/rest", "api/themes", "api/token", "api/web", "db",
			"identity", "internal/outage", "internal/ratelimit", "telemetry", "temporalclient", "transcript",
		},
		reason: "api lists the mounts",
	},
	{
		pkg: "api/account",
		ours: []string{
			"api/address", "api/admission", "api/problem", "api/token", "db", "identity",
		},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other; deleting an account belongs to identity",
	},
	{
		pkg: "api/answers",
		ours: []string{
			"api/admission", "api/cost", "api/idempotency", "api/problem", "api/token", "db", "outcome",
			"temporalclient",
		},
		reason: "edges do not know each other, and start work through temporalclient",
	},
	{
		pkg: "api/auth", ours: []string{"api/address", "api/problem", "api/token", "db", "identity"},
		never:  []string{"github.com/jackc"},
		reason: "auth is HTTP; what happens to users belongs to identity",
	},
	{
		pkg: "api/events", ours: []string{"api/admission", "api/problem", "api/token", "db", "internal/outage"},
		reason: "edges do not know each other; streams read the database with the rights of their users",
	},
	{
		pkg: "api/findings",
		ours: []string{
			"api/address", "api/admission", "api/problem", "api/token", "db", "internal/ratelimit",
		},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other; what a link shows belongs to the database",
	},
	{
		pkg: "api/imports",
		ours: []string{
			"api/admission", "api/cost", "api/idempotency", "api/problem", "api/token", "db", "internal/ratelimit",
			"outcome", "temporalclient", "transcript", "transcript/craft",
		},
		reason: "edges do not know each other, and start work through temporalclient",
	},
	{
		pkg: "api/mail", ours: []string{"api/problem", "db", "internal/redact"},
		reason: "edges do not know each other; what a relay reports is written to the database alone",
	},
	{
		pkg:    "api/mcp",
		ours:   []string{"api/admission", "api/problem", "api/token", "db", "internal/ratelimit", "outcome"},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other; what an assistant sees belongs to the database",
	},
	{
		pkg:    "api/notifications",
		ours:   []string{"api/problem", "api/token", "db", "internal/unsubscribe", "temporalclient", "workflows"},
		reason: "edges do not know each other, and start work through temporalclient",
	},
	{
		pkg: "api/projects",
		ours: []string{
			"api/admission", "api/problem", "api/projects/guide", "api/projects/unforeseen", "api/token", "db",
			"internal/ratelimit", "transcript/craft",
		},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other; what a guide says and which words are named belong below",
	},
	{
		pkg: "api/projects/guide", ours: []string{"internal/lexicon", "transcript/craft"}, never: notHTTP,
		reason: "a guide is made of what is known, without a connection",
	},
	{
		pkg: "api/refi",
		ours: []string{
			"api/admission", "api/problem", "api/refi/qdpx", "api/token", "db", "internal/ratelimit", "outcome",
			"transcript",
		},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other: api hands over how an interview is stored",
	},
	{
		pkg: "api/refi/qdpx", never: append([]string{"os"}, notHTTP...),
		reason: "a file format is read and written from bytes alone",
	},
	{
		pkg: "api/projects/unforeseen", ours: []string{"internal/lexicon", "internal/words"}, never: pure,
		reason: "words are found in turns alone, wherever these are from",
	},
	{
		pkg: "api/rest",
		ours: []string{
			"api/admission", "api/problem", "api/rest/catalog", "api/rest/openapi", "api/rest/plan",
			"api/rest/query", "api/rest/sqlgen", "api/token", "db", "internal/outage",
		},
		reason: "edges do not know each other",
	},
	{
		pkg: "api/themes",
		ours: []string{
			"api/admission", "api/cost", "api/idempotency", "api/problem", "api/token", "db", "outcome",
			"temporalclient",
		},
		never:  []string{"github.com/jackc"},
		reason: "edges do not know each other, and start work through temporalclient",
	},
	{
		pkg: "api/rest/typescript", ours: []string{"api/rest/catalog"}, never: notHTTP,
		reason: "the declaration is made from the catalog",
	},
	{
		pkg: "api/rest/openapi", ours: []string{"api/rest/catalog", "api/rest/query"}, never: notHTTP,
		reason: "the description is made from the catalog and the caller's privileges",
	},
	{
		pkg: "api/rest/sqlgen", ours: []string{"api/rest/catalog", "api/rest/plan", "api/rest/query"},
		never:  notHTTP,
		reason: "SQL is made from a plan alone, without a connection",
	},
	{
		pkg: "api/rest/plan", ours: []string{"api/rest/catalog", "api/rest/query"}, never: notHTTP,
		reason: "a plan is made from a parsed request and the catalog; it contains no SQL",
	},
	{
		pkg: "api/rest/query", never: notHTTP,
		reason: "the grammar knows neither HTTP nor the database's schema",
	},
	{
		pkg: "api/rest/catalog", never: notHTTP,
		reason: "the catalog is a snapshot; whoever loads it has the connection",
	},
	{
		pkg: "api/codec", ours: []string{"api/problem"},
		reason: "codec decrypts for operators, and knows no other edge",
	},
	{
		pkg: "api/reference/contract", ours: []string{"api/reference"},
		reason: "contract compares what any edge answers with the reference, and knows none of them",
	},
	{
		pkg: "api/reference", ours: []string{"api/static", "docs"},
		reason: "the reference is written by hand and compared with the service by tests; it knows no edge",
	},
	{
		pkg: "api/web", ours: []string{"api/static"},
		reason: "the page is a client of the public APIs, without access of its own",
	},
	{
		pkg: "api/idempotency", ours: []string{"api/problem", "api/token", "db"},
		reason: "idempotency repeats responses for every edge, and knows none of them",
	},
	{
		pkg:    "api/problem/problemtest",
		reason: "problemtest checks errors as clients receive them",
	},
	{
		pkg: "api/token/tokentest", ours: []string{"api/token", "db"},
		reason: "tokentest gives tests access tokens",
	},
	{
		pkg: "api/token", ours: []string{"api/address", "db", "internal/ratelimit"},
		reason: "token authenticates for every edge, and knows none of them",
	},
	{
		pkg:    "api/cost",
		reason: "cost multiplies tokens and prices, whichever edge shows them",
	},
	{
		pkg:    "api/address",
		reason: "address reads where a request came from, whichever edge it is for",
	},
	{
		pkg:    "api/body",
		reason: "body bounds the bodies of all requests, whichever edge they are for",
	},
	{
		pkg: "api/admission", ours: []string{"internal/fairqueue"}, never: notHTTP,
		reason: "admission bounds the work of callers, whatever the work is",
	},
	{
		pkg:    "api/static",
		reason: "static sends files, whatever they are",
	},
	{
		pkg:    "api/problem",
		reason: "problem answers for every edge, and knows none of them",
	},

	{
		pkg: "temporalclient", ours: []string{"activities", "internal/outage", "outcome", "workflows"},
		never: []string{"net/http", "os", "github.com/jackc"},
		reason: "temporalclient starts and describes what workflows defines, and satisfies interfaces of " +
			"activities",
	},
	{
		pkg: "workflows", ours: []string{"activities", "outcome"},
		never:  []string{"net/http", "os", "database/sql", "github.com/jackc"},
		reason: "a workflow is replayed: it does no I/O and knows no database",
	},
	{
		pkg: "activities",
		ours: []string{
			"activities/digest", "activities/extract", "activities/extract/ask", "activities/extract/grouping",
			"activities/extract/keyword", "activities/extract/quote", "activities/mail", "activities/webhook", "db",
			"identity", "internal/fairqueue", "internal/outage", "internal/unsubscribe", "outcome", "transcript",
			"transcript/craft",
		},
		reason: "activities do the I/O; they know neither orchestration nor HTTP",
	},
	{
		pkg: "activities/digest", ours: []string{"activities/mail", "outcome"},
		never: []string{"context", "database/sql", "net/http", "github.com/jackc", "go.temporal.io"},
		reason: "digest is pure: news and a time zone in, a digest and its due time out; activities read the " +
			"database",
	},
	{
		pkg: "activities/extract/eval",
		ours: []string{
			"activities/extract", "activities/extract/ask", "activities/extract/quote", "outcome", "transcript",
		},
		reason: "an extractor is measured by itself, without a database and Temporal",
	},
	{
		pkg:  "activities/extract/grouping",
		ours: []string{"activities/extract", "internal/words", "outcome"}, never: pure,
		reason: "which labels are in which theme is a function of what a model answers, whoever calls it",
	},
	{
		pkg: "activities/extract/ask",
		ours: []string{
			"activities/extract", "activities/extract/keyword", "activities/extract/quote",
			"internal/lexicon", "internal/words", "transcript",
		},
		never:  pure,
		reason: "what is found and proven is a function of the transcripts, without a model and a database",
	},
	{
		pkg:    "activities/extract/trial",
		ours:   []string{"activities/extract", "activities/extract/quote", "outcome", "transcript"},
		reason: "an extractor is tried by itself, without a database and Temporal",
	},
	{
		pkg: "activities/extract/keyword",
		ours: []string{
			"activities/extract", "internal/lexicon", "internal/words", "outcome", "transcript",
		},
		never:  []string{"database/sql", "net/http", "os", "github.com/jackc", "go.temporal.io"},
		reason: "keywords are found in the transcript alone, without a model",
	},
	{
		pkg: "activities/extract/openai",
		ours: []string{
			"activities/extract", "activities/extract/mask", "internal/words", "outcome", "transcript",
		},
		never:  []string{"database/sql", "os", "github.com/jackc", "go.temporal.io"},
		reason: "a model is asked about a transcript; retries and what is stored belong to activities",
	},
	{
		pkg: "activities/extract",
		ours: []string{
			"activities/extract/quote", "internal/words", "outcome", "transcript",
		},
		reason: "an extractor is a function of a transcript, and knows no database",
	},
	{
		pkg: "activities/extract/mask", ours: []string{"internal/words", "transcript"}, never: pure,
		reason: "what is personal is found in the transcript alone, without a service",
	},
	{
		pkg:    "activities/extract/quote",
		ours:   []string{"internal/lexicon", "internal/words", "transcript"},
		never:  pure,
		reason: "the proof of a quote is a function of the transcript and the quote, whoever quotes",
	},
	{
		pkg: "activities/extract/interviewtest", ours: []string{"transcript"},
		reason: "interviewtest gives tests transcripts; it imports neither extractors nor the proof of quotes, " +
			"whose tests import it",
	},
	{
		pkg: "activities/webhook", ours: []string{"internal/publicnet"},
		never:  []string{"github.com/jackc", "go.temporal.io"},
		reason: "webhook signs and sends what it is given",
	},
	{
		pkg: "activities/mail", ours: []string{"internal/mailbox", "internal/redact"},
		reason: "mail renders and sends what it is given",
	},

	{
		pkg: "identity",
		ours: []string{
			"db", "identity/oidc", "internal/fairqueue", "internal/mailbox", "internal/publicnet",
			"internal/ratelimit",
		},
		never:  []string{"net/http", "github.com/jackc"},
		reason: "identity knows neither HTTP nor the driver of the database",
	},
	{
		pkg: "identity/oidc", ours: []string{"internal/publicnet"},
		never:  []string{"database/sql", "os", "github.com/jackc", "go.temporal.io"},
		reason: "oidc speaks to providers, and stores nothing",
	},
	{
		pkg: "db/backup", ours: []string{"db"},
		reason: "a backup is of the database; what its contents mean belongs to others",
	},
	{
		pkg: "db/dbtest", ours: []string{"db"},
		reason: "dbtest gives tests a database",
	},
	{
		pkg: "db", ours: []string{"outcome"}, never: []string{"net/http", "go.temporal.io"},
		reason: "the database knows neither HTTP nor Temporal",
	},
	{
		pkg: "transcript",
		ours: []string{
			"transcript/internal/annotation", "transcript/internal/boilerplate", "transcript/internal/charset",
			"transcript/internal/clock", "transcript/internal/format", "transcript/internal/language",
			"transcript/internal/lexicon", "transcript/internal/plain", "transcript/internal/refine",
			"transcript/internal/running", "transcript/internal/score", "transcript/internal/service",
			"transcript/internal/speaker", "transcript/internal/turn", "transcript/internal/xmldoc", "transcript/pdf",
		},
		never:  pure,
		reason: "transcript is pure parsing: bytes in, a transcript out",
	},
	{
		pkg:    "transcript/craft",
		ours:   []string{"internal/lexicon", "transcript/internal/language", "transcript/internal/plain"},
		never:  pure,
		reason: "questions are found in a text alone, whoever asks them, without a model",
	},
	{
		pkg: "transcript/internal/service",
		ours: []string{
			"transcript/internal/boilerplate", "transcript/internal/clock", "transcript/internal/format",
			"transcript/internal/language", "transcript/internal/plain", "transcript/internal/turn",
		},
		never:  pure,
		reason: "the JSON of a service says who spoke and when; it needs no rules of layouts",
	},
	{
		pkg: "transcript/internal/annotation",
		ours: []string{
			"transcript/internal/clock", "transcript/internal/format", "transcript/internal/plain",
			"transcript/internal/speaker", "transcript/internal/turn", "transcript/internal/xmldoc",
		},
		never:  pure,
		reason: "annotations say who spoke and when; they need no rules of layouts",
	},
	{
		pkg: "transcript/internal/refine",
		ours: []string{
			"transcript/internal/boilerplate", "transcript/internal/clock", "transcript/internal/lexicon",
			"transcript/internal/plain", "transcript/internal/speaker", "transcript/internal/turn",
		},
		never:  pure,
		reason: "refine sees turns alone, whatever their layout was",
	},
	{
		pkg: "transcript/internal/boilerplate",
		ours: []string{
			"transcript/internal/clock", "transcript/internal/lexicon", "transcript/internal/plain",
			"transcript/internal/speaker", "transcript/internal/turn",
		},
		never:  pure,
		reason: "boilerplate knows what tools write around the words, in any layout",
	},
	{
		pkg: "transcript/internal/running",
		ours: []string{
			"transcript/internal/lexicon", "transcript/internal/plain", "transcript/internal/speaker",
		},
		never:  pure,
		reason: "pages are recognized before anything is known about turns",
	},
	{
		pkg: "transcript/internal/score", never: pure,
		reason: "a score is a sum of weights and features, whatever these say about a file",
	},
	{
		pkg: "transcript/internal/speaker",
		ours: []string{
			"transcript/internal/lexicon", "transcript/internal/plain",
		},
		never:  pure,
		reason: "a name is rated alone, whatever the file is",
	},
	{
		pkg: "transcript/internal/xmldoc", ours: []string{"transcript/internal/plain"}, never: pure,
		reason: "elements mean nothing here",
	},
	{
		pkg: "transcript/internal/language",
		ours: []string{
			"transcript/internal/lexicon", "transcript/internal/plain",
		},
		never:  pure,
		reason: "a language is guessed from letters and words",
	},
	{
		pkg: "transcript/internal/turn", ours: []string{"transcript/internal/plain"}, never: pure,
		reason: "turn is what every reader returns; it knows none of them",
	},
	{
		pkg: "transcript/internal/clock",
		ours: []string{
			"transcript/internal/lexicon", "transcript/internal/plain",
		},
		never:  pure,
		reason: "a time is read alone, whoever spoke",
	},
	{
		pkg: "transcript/internal/charset",
		ours: []string{
			"transcript/internal/lexicon", "transcript/internal/plain",
		},
		never:  pure,
		reason: "bytes are decoded before anything is known about the text",
	},
	{
		pkg: "transcript/internal/plain", never: pure,
		reason: "plain text has lines, words and digits, and no meaning",
	},
	{
		pkg: "transcript/internal/lexicon", ours: []string{"internal/lexicon"}, never: pure,
		reason: "lists of words are loaded as everywhere, and know nothing of their readers",
	},
	{
		pkg: "transcript/internal/format", never: pure,
		reason: "names and errors know nothing of their readers",
	},
	{
		pkg: "transcript/pdf", ours: []string{"transcript/pdf/crypt", "transcript/pdf/glyphname"}, never: pure,
		reason: "pdf is a pure parser: bytes in, lines out",
	},
	{
		pkg: "transcript/pdf/crypt", never: pure,
		reason: "what decrypts streams knows nothing of the objects of a file",
	},
	{
		pkg: "transcript/pdf/glyphname", never: pure,
		reason: "names of glyphs know nothing of the file that they are in",
	},
	{
		pkg: "telemetry", ours: []string{"internal/outage", "outcome"},
		reason: "telemetry records what it is given, in the words of outcome, and knows none of its callers",
	},
	{
		pkg:    "config",
		reason: "settings know nothing of their consumers",
	},
	{
		pkg:    "outcome",
		reason: "outcome is a vocabulary that every package may use",
	},

	// Packages that serve several others and know none of them (docs/decisions/0339).
	{
		pkg: "internal/fairqueue", never: pure,
		reason: "activities, api/admission and identity let keys take turns with it; it does no I/O",
	},
	{
		pkg: "internal/words", ours: []string{"internal/lexicon"}, never: pure,
		reason: "activities/extract and api/projects compare words with it; it knows languages, and neither " +
			"transcripts nor extractors",
	},
	{
		pkg: "internal/lexicon", never: pure,
		reason: "transcript and activities/extract load the lists of words that they embed with it; what the " +
			"words mean belongs to them",
	},
	{
		pkg: "internal/mailbox", never: pure,
		reason: "identity stores the addresses that it writes, and activities/mail sends to them; it does no I/O",
	},
	{
		pkg: "internal/outage", never: pure,
		reason: "whatever repeats an operation logs its failures with it; it does no I/O",
	},
	{
		pkg: "internal/publicnet", never: []string{"database/sql", "os", "github.com/jackc", "go.temporal.io"},
		reason: "activities/webhook, identity and identity/oidc connect to addresses of strangers with it; what " +
			"they send and read means nothing to it",
	},
	{
		pkg: "internal/ratelimit", never: pure,
		reason: "identity limits attempts with it, and api/findings and api/imports requests; it does no I/O",
	},
	{
		pkg: "internal/redact", never: pure,
		reason: "activities/mail and api/mail remove addresses with it, and neither may import the other; it " +
			"does no I/O",
	},
	{
		pkg: "internal/unsubscribe", never: pure,
		reason: "activities sign its tokens and api/notifications checks them, and neither may import the " +
			"other; it does no I/O",
	},

	{
		pkg:    "docs",
		reason: "docs are texts",
	},
	{
		pkg:    "docs/quickstart",
		reason: "an example of a client imports nothing of the service",
	},
	{
		pkg:    "docs/quickstart/webhook",
		reason: "an example of a receiver imports nothing of the service",
	},

	// Packages for tests.
	{pkg: "bench", reason: "bench has tests only"},
	{pkg: "bench/report", reason: "report runs benchmarks from outside, by the go command"},
	{pkg: "e2e", reason: "e2e has tests only"},
	{
		pkg:    "activities/extract/modeltest",
		reason: "modeltest stands in for a model's server, and must not know how ours reads it",
	},
	{
		pkg:    "activities/mail/smtptest",
		reason: "smtptest stands in for a mail server, and must not know how ours talks to it",
	},
	{
		pkg:    "identity/oidc/oidctest",
		reason: "oidctest stands in for a provider, and must not know how ours reads what it says",
	},
}

// notHTTP are packages that the steps below an HTTP edge do without.
var notHTTP = []string{"net/http", "github.com/jackc"}

// pure are packages that computations do without: they read no files and ask no server.
var pure = []string{"context", "database/sql", "net/http", "os", "github.com/jackc", "go.temporal.io"}

// testOnly are packages that only tests import, and packages of this list.
var testOnly = []string{
	"api/problem/problemtest", "api/reference/contract", "api/token/tokentest", "db/dbtest", "dev/devtest",
	"dev/procmem",
	"activities/extract/interviewtest", "activities/extract/modeltest", "activities/mail/smtptest",
	"identity/oidc/oidctest",
}

// folders are those of the first level. A new one needs a page in docs/decisions/.
var folders = []string{
	"activities", "api", "bench", "cli", "config", "db", "dev", "docs", "e2e", "identity", "internal", "outcome",
	"server", "telemetry", "temporalclient", "tools", "transcript", "worker", "workflows",
}

// readers read the environment besides config, each for a reason.
var readers = map[string]string{
	"bench/report": "TEST_DATABASE_URL, which `research dev --` sets for benchmarks",
	"config":       "it is the reader of the environment",
	"db/dbtest":    "tests find their server in TEST_DATABASE_URL",
	"dev":          "it passes the environment on to the command that it runs",
	"dev/cluster":  "it passes the environment on to the processes that it runs",
	"dev/devtest":  "tests find the binary in TEST_RESEARCH",

	"docs/quickstart":         "it is an example of a client",
	"docs/quickstart/webhook": "it is an example of a receiver",
}

// A source is a parsed Go file.
type source struct {
	pkg, path string
	test      bool
	fset      *token.FileSet
	file      *ast.File
}

// readSources parses every Go file of the repository.
func readSources(t *testing.T) []source {
	t.Helper()
	skipped := []string{"testdata", "node_modules", "bin", "tools"}
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || slices.Contains(skipped, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		all = append(all, source{pkg, path, strings.HasSuffix(name, "_test.go"), fset, file})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// wordLists returns the lists of words that packages embed.
func wordLists(t *testing.T) []string {
	t.Helper()
	var lists []string
	for depth := 1; depth < 6; depth++ {
		found, err := filepath.Glob(strings.Repeat("*/", depth) + "data/*.txt")
		require.NoError(t, err)
		lists = append(lists, found...)
	}
	return lists
}

// placeOf returns the place of a package in the layout, or -1.
func placeOf(pkg string) int {
	return slices.IndexFunc(layout, func(l layer) bool { return l.pkg == pkg })
}

func TestLayout(t *testing.T) {
	t.Parallel()
	all := readSources(t)

	t.Run("every package has a row, and every row a package", func(t *testing.T) {
		t.Parallel()
		found := map[string]bool{}
		for _, s := range all {
			found[s.pkg] = true
			require.NotEqualf(t, -1, placeOf(s.pkg),
				"%s is a new package: give it a row, with the reason for what it may import", s.pkg)
		}
		for _, row := range layout {
			require.Truef(t, found[row.pkg], "there is no package %s", row.pkg)
			require.NotEmpty(t, row.reason, row.pkg)
		}
	})

	t.Run("every row only permits packages below it", func(t *testing.T) {
		t.Parallel()
		for place, row := range layout {
			for _, ours := range row.ours {
				require.Greaterf(t, placeOf(ours), place, "%s may import %s, which is not below it", row.pkg, ours)
			}
		}
	})

	t.Run("packages import what their rows permit", func(t *testing.T) {
		t.Parallel()
		for _, s := range all {
			if s.test {
				continue
			}
			row := layout[placeOf(s.pkg)]
			for _, spec := range s.file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				ours, isOurs := strings.CutPrefix(imported, module+"/")
				if isOurs {
					require.Truef(t, slices.Contains(row.ours, ours), "%s imports %s: %s", s.path, imported, row.reason)
					require.Falsef(t, slices.Contains(testOnly, ours) && !slices.Contains(testOnly, s.pkg),
						"%s imports %s, which is for tests", s.path, imported)
					continue
				}
				for _, banned := range row.never {
					require.Falsef(t, imported == banned || strings.HasPrefix(imported, banned+"/"),
						"%s imports %s: %s", s.path, imported, row.reason)
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
			require.Lenf(t, comments[pkg], 1, "package %s", pkg)
			begin := "Package " + name + " "
			if name == "main" {
				begin = "Command " + path.Base(module+"/"+pkg) + " "
			}
			require.Truef(t, strings.HasPrefix(comments[pkg][0], begin),
				"the comment of %q does not begin with %q", pkg, begin)
		}
	})

	t.Run("only config reads the environment", func(t *testing.T) {
		t.Parallel()
		functions := []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}
		for _, s := range all {
			if s.test || readers[s.pkg] != "" {
				continue
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				receiver, ok := selector.X.(*ast.Ident)
				reads := ok && receiver.Name == "os" && slices.Contains(functions, selector.Sel.Name)
				require.Falsef(t, reads, "%s reads the environment with os.%s: a setting comes from config.Load",
					s.path, selector.Sel.Name)
				return true
			})
		}
	})

	t.Run("files have at most 500 lines", func(t *testing.T) {
		t.Parallel()
		const limit = 500 // past it, there is a second subject inside
		for _, s := range all {
			if s.test || ast.IsGenerated(s.file) {
				continue
			}
			content, err := os.ReadFile(s.path)
			require.NoError(t, err)
			lines := strings.Count(string(content), "\n")
			require.LessOrEqualf(t, lines, limit, "%s has %d lines", s.path, lines)
		}
	})

	t.Run("every list of words has a name of its own", func(t *testing.T) {
		t.Parallel()
		found := map[string]string{}
		for _, list := range wordLists(t) {
			earlier, twice := found[path.Base(list)]
			require.Falsef(t, twice, "%s and %s have the same name: name each by its purpose", earlier, list)
			found[path.Base(list)] = list
		}
		require.NotEmpty(t, found)
	})

	t.Run("folders of the first level are listed", func(t *testing.T) {
		t.Parallel()
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		built := []string{"bin", "dist", "node_modules"}
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(built, e.Name()) {
				require.Contains(t, folders, e.Name(), "a new folder of the first level needs a page in docs/decisions/")
			}
		}
	})
}
