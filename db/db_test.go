package db_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestMigrate(t *testing.T) {
	t.Parallel()

	t.Run("applies each migration once, also in concurrent processes", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Empty(t)
		pending, err := db.Pending(t.Context(), d.URL)
		require.NoError(t, err)
		require.Positive(t, pending)
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
		require.Equal(t, pending, total)
		pending, err = db.Pending(t.Context(), d.URL)
		require.NoError(t, err)
		require.Zero(t, pending)
	})
}
