package db_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestMigrate(t *testing.T) {
	t.Parallel()

	t.Run("applies each migration once, also in concurrent processes", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Empty(t)
		before, err := db.CompareMigrations(t.Context(), d.URL)
		require.NoError(t, err)
		require.NotEmpty(t, before.Missing)
		var wg sync.WaitGroup
		applied := make([]int, 4)
		errs := make([]error, 4)
		for i := range applied {
			wg.Go(func() {
				names, err := db.Migrate(context.Background(), d.URL)
				applied[i], errs[i] = len(names), err
			})
		}
		wg.Wait()
		total := 0
		for i := range applied {
			require.NoError(t, errs[i])
			total += applied[i]
		}
		require.Len(t, before.Missing, total)
		after, err := db.CompareMigrations(t.Context(), d.URL)
		require.NoError(t, err)
		require.Zero(t, after)
	})

	t.Run("names missing and unknown migrations, even if their numbers are equal", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, `delete from private.migrations where version_id = 9`)
		d.Exec(t, `insert into private.migrations (version_id, is_applied) values (9998, true)`)
		state, err := db.CompareMigrations(t.Context(), d.URL)
		require.NoError(t, err)
		require.Equal(t, db.MigrationState{Missing: []string{"0009_results"}, Unknown: []int64{9998}}, state)
		_, err = db.Migrate(t.Context(), d.URL)
		require.ErrorContains(t, err, "version 9")
	})

	t.Run("waits for a table only for moments, again and again", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.AsOwner(t, func(holder *pgx.Conn) {
			tx, err := holder.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `lock table private.migrations in access exclusive mode`)
			require.NoError(t, err)
			_, err = db.MigrateWithin(t.Context(), d.URL, 10*time.Millisecond, 0)
			require.ErrorContains(t, err, "a table is in use by a long transaction")

			done := make(chan error, 1)
			go func() {
				_, err := db.MigrateWithin(context.Background(), d.URL, 200*time.Millisecond, 10*time.Minute)
				done <- err
			}()
			attempts := map[time.Time]bool{}
			require.Eventually(t, func() bool {
				for _, began := range dbtest.Value[[]time.Time](t, d, `
					select coalesce(array_agg(query_start), '{}') from pg_stat_activity
					where datname = current_database() and wait_event_type = 'Lock'`) {
					attempts[began] = true
				}
				return len(attempts) > 2
			}, 5*time.Minute, time.Millisecond)
			require.NoError(t, tx.Rollback(t.Context()))
			require.NoError(t, <-done)
		})
	})
}
