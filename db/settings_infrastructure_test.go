//go:build infrastructure

package db_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// harmful are settings that are meant to change what happens: those of read-only databases and of replicas,
// and those that make PostgreSQL fail.
var harmful = []string{
	"default_transaction_read_only", "transaction_read_only", "session_replication_role",
	"allow_system_table_mods", "exit_on_error", "ignore_checksum_failure", "ignore_invalid_pages",
	"zero_damaged_pages", "role", "is_superuser", "debug_discard_caches", "ignore_system_indexes",
	"transaction_deferrable", "transaction_isolation", "max_stack_depth", "temp_file_limit",
	"default_transaction_deferrable", "wal_consistency_checking", "restrict_nonsystem_relation_kind",
}

// Whatever an administrator has set for the database, the service reads and writes the same.
func TestAnySettingOfAnAdministrator(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	name := dbtest.Value[string](t, d, `select quote_ident(current_database())`)
	settings := dbtest.Value[[]string](t, d, `
		select array_agg(format('%s = %L', s.name, odd) order by s.name, odd)
		from pg_settings s, lateral (
			select case s.setting when 'on' then 'off' else 'on' end as odd where s.vartype = 'bool'
			union all
			select unnest(s.enumvals) where s.vartype = 'enum'
			union all
			select unnest(array[s.min_val, s.max_val]) where s.vartype in ('integer', 'real')
				and s.name !~ '_timeout$'
		) values
		where s.context in ('user', 'superuser') and s.name <> all ($1)`, harmful)
	settings = append(settings, "client_encoding = 'LATIN1'", "datestyle = 'German'",
		"extra_float_digits = -15", "lc_messages = 'C'", "search_path = ''", "search_path = 'pg_catalog'",
		"default_text_search_config = 'pg_catalog.german'", "work_mem = '64kB'", "gin_fuzzy_search_limit = 1000",
		"lock_timeout = '1s'", "statement_timeout = '30s'", "idle_session_timeout = '5s'")
	require.Greater(t, len(settings), 100)
	var before string
	for _, setting := range append([]string{""}, settings...) {
		if setting != "" {
			d.Exec(t, "do $do$ begin execute $set$alter database "+name+" set "+setting+"$set$; "+
				"exception when invalid_parameter_value then null; end $do$") // some limits are the machine's
		}
		is, err := db.Inspect(t.Context(), d.URL)
		require.NoError(t, err, setting)
		require.Empty(t, is.Gone, setting)
		store, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
		require.NoError(t, err, setting)
		read := readAll(t, store, f, setting)
		store.Close()
		if before == "" {
			before = read
		}
		require.Equal(t, before, read, setting)
		if setting != "" {
			reset := setting[:slices.Index([]byte(setting), ' ')]
			d.Exec(t, "alter database "+name+" reset "+reset)
		}
	}
}

// readAll returns what a member reads, after a write.
func readAll(t *testing.T, store *db.Store, f filled, setting string) string {
	t.Helper()
	batch := db.Batch{Queries: []db.Query{
		{SQL: `update public.projects set name = 'Größe „東京“ \' || repeat('x', 3)`},
		{SQL: `
			select coalesce(jsonb_agg(to_jsonb(e) order by e.id), '[]')::text || ' ' || (
				select coalesce(jsonb_agg(to_jsonb(s)), '[]')::text
				from public.search_project((select id from public.projects limit 1), 'RECEIPTS') s)
				|| (select string_agg(p.name, ',') from public.projects p)
			from public.evidence e`},
	}}
	commit := func([]db.Rows) (bool, error) { return true, nil }
	results, err := store.Run(t.Context(), db.User(f.Editor), batch, commit)
	require.NoError(t, err, setting)
	return string(results[1].Values[0][0])
}
