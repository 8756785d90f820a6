package db_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestTimeZones(t *testing.T) {
	t.Parallel()

	t.Run("thousands of preferences are written in one statement", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, `insert into auth.users (id, email)
			select gen_random_uuid(), 'many-' || n || '@example.com' from generate_series(1, 2000) n`)
		d.AsOwner(t, func(c *pgx.Conn) {
			// The statement takes some tenths of a second. If each row read PostgreSQL's list, it would take minutes.
			_, err := c.Exec(t.Context(), `set statement_timeout = '60s'; set role service_role`)
			require.NoError(t, err)
			tag, err := c.Exec(t.Context(), `
				insert into digest_preferences (user_id, timezone, hour)
				select u.id,
					(array['europe/berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham'])[1 + n % 4], 9
				from (select id, row_number() over () as n from auth.users) u
				on conflict (user_id) do update set timezone = excluded.timezone, hour = excluded.hour`)
			require.NoError(t, err)
			require.EqualValues(t, 2000, tag.RowsAffected())
		})
		require.Equal(t, []string{"America/St_Johns", "Asia/Kathmandu", "Europe/Berlin", "Pacific/Chatham"},
			dbtest.Value[[]string](t, d, `select array_agg(distinct timezone order by timezone)
				from digest_preferences`))
	})

	t.Run("one that is unknown is named", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		err := asUser(t, d, n.Viewer).exec(t, `update digest_preferences set timezone = 'Europe/Nowhere'`)
		var pg *pgconn.PgError
		require.True(t, errors.As(err, &pg), "%v", err)
		require.Equal(t, "23514", pg.Code, "the data API responds with 400")
		require.Equal(t, "There is no time zone 'Europe/Nowhere'.", pg.Detail)
		require.Equal(t, "Use an IANA name, as Europe/Berlin.", pg.Hint)
	})

	t.Run("a zone of newer zone files is added when it is first used", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		d.Exec(t, `delete from private.time_zones where key = 'asia/tokyo'`)
		require.NoError(t, asUser(t, d, n.Viewer).exec(t, `update digest_preferences set timezone = 'asia/tokyo'`))
		require.Equal(t, "Asia/Tokyo", dbtest.Value[string](t, d,
			`select z.name from private.time_zones z join digest_preferences p on p.timezone = z.name
				where p.user_id = $1`,
			n.Viewer))
	})

	t.Run("nobody else writes the schedule or the zones", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		c := asUser(t, d, n.Viewer)
		for _, sql := range []string{
			`select * from private.digest_schedule`, `update private.digest_schedule set next_due_at = now()`,
			`insert into private.time_zones (key, name) values ('x', 'X')`, `select * from private.digest_fence`,
		} {
			require.Error(t, c.exec(t, sql), sql)
		}
	})
}
