package imports_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/cost"
	"research/api/imports"
)

func TestAnImportHasItsCostAtTheConfiguredPrices(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(d *imports.Deps) {
		d.Prices = cost.Prices{Input: 0.25, Output: 2, Currency: "EUR"}
	})
	status, created := u.choose(t, "/", "Ada: We copy invoices by hand.\nBen: Every day.", nil)
	require.Equal(t, http.StatusCreated, status, "%v", created)
	id := created["importId"].(string)
	require.NotContains(t, u.get(t, u.Editor, id), "cost", "nothing was used yet")

	u.DB.Exec(t, "update imports set input_tokens = 20000, output_tokens = 1500")
	require.Equal(t, map[string]any{"amount": 0.008, "currency": "EUR"}, u.get(t, u.Editor, id)["cost"])

	u.serve(t, func(*imports.Deps) {})
	require.NotContains(t, u.get(t, u.Editor, id), "cost", "there are no prices")
}
