package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestTransactionsHaveTimeouts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	user := db.User(d.Tenant(t).Viewer)

	t.Run("a statement that hangs ends", func(t *testing.T) {
		t.Parallel()
		err := d.AsServiceWithin(t.Context(), 50*time.Millisecond, func(q *db.Queries) error {
			return db.Execute(t.Context(), q, `select pg_sleep(3600)`)
		})
		require.ErrorIs(t, err, db.ErrTimeout)
	})

	t.Run("a transaction without statements ends, and its locks", func(t *testing.T) {
		t.Parallel()
		locked := make(chan struct{})
		err := d.AsServiceWithin(t.Context(), 50*time.Millisecond, func(q *db.Queries) error {
			if err := db.Execute(t.Context(), q, `select from private.event_head for update`); err != nil {
				return err
			}
			go func() {
				defer close(locked)
				d.Exec(t, `select from private.event_head for update`)
			}()
			<-locked
			return nil
		})
		require.ErrorIs(t, err, db.ErrUnavailable)
	})

	for name, read := range map[string]func(sql string) (string, error){
		"the service": func(sql string) (string, error) {
			return db.AsService(t.Context(), d.Store, func(q *db.Queries) (string, error) {
				return db.ReadText(t.Context(), q, sql)
			})
		},
		"users": func(sql string) (string, error) {
			return db.AsUser(t.Context(), d.Store, user, func(q *db.Queries) (string, error) {
				return db.ReadText(t.Context(), q, sql)
			})
		},
	} {
		t.Run("all transactions of "+name, func(t *testing.T) {
			t.Parallel()
			for _, setting := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
				value, err := read(`select current_setting('` + setting + `')`)
				require.NoError(t, err)
				require.Equal(t, "1min", value, setting)
			}
		})
	}
}
