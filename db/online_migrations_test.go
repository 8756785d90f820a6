package db_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
)

// largeTables grow with interviews, people and events. What locks or rewrites one of them for minutes is an
// outage, because the old version works meanwhile.
var largeTables = []string{
	"public.imports", "public.import_hypotheses", "public.import_speakers", "public.utterances",
	"public.evidence", "public.evidence_hypotheses", "public.activity_events", "public.digest_deliveries",
	"public.webhook_deliveries", "public.participants",
	"private.transcripts", "private.import_files", "private.chunk_responses", "private.import_chunks",
	"private.import_runs",
	"private.import_readings", "private.import_run_changes", "private.events",
	"auth.users", "auth.sessions", "auth.refresh_tokens", "auth.audit_log_entries",
}

// longStatements lock or rewrite a large table, and what to write instead.
var longStatements = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{onLarge(`^create (?:unique )?index .*\bon (?:only )?(?:%s)\b`), "create index concurrently"},
	{onLarge(`^drop index .*\b(?:%s)_`), "drop index concurrently"},
	{onLarge(`^(?:update|delete from) (?:only )?(?:%s)\b`), "a workflow that changes rows in batches"},
	{onLarge(`^do .*\b(?:update|delete from) (?:%s)\b`), "a workflow that changes rows in batches"},
	{onLarge(`^alter table (?:only )?(?:%s)\b.*\balter (?:column )?\w+ (?:set data )?type\b`), "a new column"},
	{
		onLarge(`^alter table (?:only )?(?:%s)\b.*\bset not null\b`),
		"add constraint … check (… is not null) not valid, and validate it in a later migration",
	},
	{onLarge(`^alter table (?:only )?(?:%s)\b.*\bgenerated always as\b`), "a column that the service fills"},
	{
		onLarge(`^alter table (?:only )?(?:%s)\b.*\badd column .*` +
			`\bdefault (?:gen_random_uuid|clock_timestamp|random)\b`),
		"a column without a default that is computed for each row",
	},
	{onLarge(`^(?:cluster|vacuum full) .*\b(?:%s)\b`), "nothing: they need the table for themselves"},
}

var (
	addsConstraint   = onLarge(`^alter table (?:only )?(?:%s)\b.*\badd constraint\b`)
	isQuick          = regexp.MustCompile(`\bnot valid\b|\busing index\b`)
	isConcurrent     = regexp.MustCompile(`^(?:create|drop) (?:unique )?index concurrently\b`)
	comments         = regexp.MustCompile(`(?m)--.*$`)
	statementBlocks  = regexp.MustCompile(`(?s)-- \+goose StatementBegin\n(.*?)-- \+goose StatementEnd`)
	ownTransactions  = "-- +goose no transaction"
	severalSpaces    = regexp.MustCompile(`\s+`)
	differentSection = "-- +goose Down"
)

func onLarge(pattern string) *regexp.Regexp {
	names := strings.Join(largeTables, "|") // migrations may name those of the schema public without it
	return regexp.MustCompile(fmt.Sprintf(pattern, strings.ReplaceAll(names, "public.", "(?:public\\.)?")))
}

// checkOnline returns an error if a migration locks or rewrites a large table.
func checkOnline(sql string) error {
	up, _, _ := strings.Cut(sql, differentSection)
	statements := strings.Split(statementBlocks.ReplaceAllString(up, ""), ";")
	for _, block := range statementBlocks.FindAllStringSubmatch(up, -1) {
		statements = append(statements, block[1])
	}
	inOwnTransactions := strings.Contains(strings.ToLower(sql), ownTransactions)
	for _, statement := range statements {
		statement = strings.ToLower(comments.ReplaceAllString(statement, ""))
		statement = strings.TrimSpace(severalSpaces.ReplaceAllString(statement, " "))
		if isConcurrent.MatchString(statement) {
			if !inOwnTransactions {
				return fmt.Errorf("%q needs -- +goose NO TRANSACTION", statement)
			}
			continue
		}
		for _, long := range longStatements {
			if long.pattern.MatchString(statement) {
				return fmt.Errorf("%q locks or rewrites a large table: use %s", statement, long.instead)
			}
		}
		if addsConstraint.MatchString(statement) && !isQuick.MatchString(statement) {
			return fmt.Errorf("%q reads a large table: use not valid, and validate it in a later migration", statement)
		}
	}
	return nil
}

// Migrations after the last release run while the old version works.
func TestMigrationsAfterTheReleaseAreOnline(t *testing.T) {
	t.Parallel()
	last := slices.Max(releasedMigrations(t))
	names, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		if name <= last {
			continue
		}
		sql, err := fs.ReadFile(db.Migrations(), name)
		require.NoError(t, err)
		require.NoError(t, checkOnline(string(sql)), name)
	}
}

func TestCheckOnline(t *testing.T) {
	t.Parallel()
	const inBlock = "-- +goose StatementBegin\n%s\n-- +goose StatementEnd\n"
	for name, tt := range map[string]struct{ sql, want string }{
		"a column that may be null": {"alter table public.imports add column place text;", ""},
		"a column with a constant": {
			"alter table private.import_chunks add column n real not null default 0;",
			"",
		},
		"a new table": {
			"create table public.notes (id uuid); create index on public.notes (id);",
			"",
		},
		"a small table": {"update public.projects set name = name;", ""},
		"a comment":     {"-- update public.imports;\nselect 1;", ""},
		"an index of a large table": {
			"create index i on public.evidence (project_id);",
			"create index concurrently",
		},
		"the same without the schema": {
			"CREATE UNIQUE INDEX i\n  ON evidence (id);",
			"create index concurrently",
		},
		"concurrently, by itself": {
			"-- +goose NO TRANSACTION\ncreate index concurrently i on public.evidence (id);",
			"",
		},
		"concurrently, in a transaction": {
			"create index concurrently i on public.evidence (id);",
			"NO TRANSACTION",
		},
		"an update of all rows": {"update public.utterances set text = trim(text);", "in batches"},
		"another type": {
			"alter table imports alter column size_bytes type numeric;",
			"a new column",
		},
		"not null": {"alter table imports alter column title set not null;", "not valid"},
		"a random default": {
			"alter table evidence add column k uuid default gen_random_uuid();",
			"without a default",
		},
		"a stored column": {
			"alter table evidence add column n int generated always as (1) stored;",
			"fills",
		},
		"a constraint":              {"alter table evidence add constraint c check (true);", "not valid"},
		"a constraint for new rows": {"alter table evidence add constraint c check (true) not valid;", ""},
		"a loop": {
			fmt.Sprintf(inBlock, "do $$ begin update public.evidence set id = id; end $$;"),
			"in batches",
		},
		"a function": {
			fmt.Sprintf(inBlock, "create function f() as $$ update public.evidence set id = id; $$;"),
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkOnline("-- +goose Up\n" + tt.sql)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
		})
	}
}
