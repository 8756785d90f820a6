package rest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

// library serves the schemas of testdata/library.sql instead of the product's own.
func library(t testing.TB) func(*rest.Config, *dbtest.DB) {
	t.Helper()
	sql, err := os.ReadFile("testdata/library.sql")
	require.NoError(t, err)
	return func(cfg *rest.Config, d *dbtest.DB) {
		cfg.Schemas = []string{"library", "archive"}
		d.Exec(t, string(sql))
	}
}
