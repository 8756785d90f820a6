package db_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestSchemaListIsCurrent(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var objects []string
	d.AsOwner(t, func(c *pgx.Conn) {
		var err error
		objects, err = db.ReadSchema(t.Context(), c)
		require.NoError(t, err)
	})
	list := strings.Join(objects, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("schema.txt", []byte(list), 0o644))
	}
	recorded, err := os.ReadFile("schema.txt")
	require.NoError(t, err)
	require.Equal(t, string(recorded), list, "run: go run . dev -- go test ./db -run TestSchema -update")
}

func TestSchemaPrivilegesAreCurrent(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var lines []string
	d.AsOwner(t, func(c *pgx.Conn) {
		var err error
		lines, err = db.DescribePrivileges(t.Context(), c)
		require.NoError(t, err)
	})
	list := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("privileges.txt", []byte(list), 0o644))
	}
	recorded, err := os.ReadFile("privileges.txt")
	require.NoError(t, err)
	require.Equal(t, string(recorded), list, "run: go run . dev -- go test ./db -run TestSchema -update")
}

// The data API bounds answers by the sizes of their rows.
func TestServedValuesAreNotCompressed(t *testing.T) {
	t.Parallel()
	require.Empty(t, dbtest.Value[[]string](t, dbtest.New(t), `
		select coalesce(array_agg(c.relname || '.' || a.attname), '{}')
		from pg_attribute a join pg_class c on c.oid = a.attrelid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
			and a.attstorage = 'x'`))
}

func TestInspectNamesWhatIsGone(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	inspected, err := db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	require.Empty(t, inspected.Gone)

	d.Exec(t, `
		drop table private.chunk_responses;
		drop function private.claim_webhook(uuid, double precision);
		drop index public.evidence_import_id_idx;
		alter table public.questions drop column priority;
		drop policy see on public.webhook_deliveries;
		alter table public.webhook_endpoints disable trigger t9_audit;
		create table public.of_another_program (id int)`)
	inspected, err = db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"table private.chunk_responses",
		"function private.claim_webhook(uuid, double precision)",
		"index evidence_import_id_idx of public.evidence",
		"column priority of public.questions",
		"policy see of public.webhook_deliveries",
		"trigger t9_audit of public.webhook_endpoints",
	}, inspected.Gone)

	d.Exec(t, `insert into private.migrations (version_id, is_applied) values (9999, true)`)
	inspected, err = db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	require.Empty(t, inspected.Gone, "a newer version may have removed it")
}
