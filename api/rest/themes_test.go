package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Themes are merged, split, moved and restored by functions of the data API, whose parameters have names that
// are keywords of SQL.
func TestThemesAreChangedByFunctions(t *testing.T) {
	t.Parallel()
	e := begin(t)
	editor := e.as(t, e.Editor)
	add := func(path, body string) map[string]any {
		t.Helper()
		a := editor.do(http.MethodPost, path, body, "Prefer", "return=representation", "Accept",
			"application/vnd.pgrst.object+json")
		require.Equal(t, http.StatusCreated, a.status, a.body)
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.body), &row))
		return row
	}
	theme := func(name string) any {
		return add("/themes", fmt.Sprintf(`{"project_id": %q, "name": %q}`, e.Project, name))["id"]
	}
	call := func(name, body string) map[string]any {
		t.Helper()
		a := editor.do(http.MethodPost, "/rpc/"+name, body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		var change map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.body), &change), "one object")
		return change
	}
	money, fees := theme("Money"), theme("Fees")
	quote := add("/evidence", fmt.Sprintf(`{"project_id": %q, "quote": "I pay."}`, e.Project))["id"]
	add("/evidence_themes", fmt.Sprintf(`{"evidence_id": %q, "theme_id": %q}`, quote, money))
	quotes := func(theme any) int {
		return dbtest.Value[int](t, e.DB, "select count(*) from evidence_themes where theme_id = $1", theme)
	}

	merged := call("merge_themes", fmt.Sprintf(`{"from": [%q], "into": %q}`, money, fees))
	require.Equal(t, fees, merged["theme_id"])
	require.Equal(t, 1, quotes(fees))
	split := call("split_theme",
		fmt.Sprintf(`{"theme": %q, "evidence": [%q], "name": "Late fees"}`, fees, quote))
	require.Equal(t, 1, quotes(split["theme_id"]))
	moved := call("move_evidence", fmt.Sprintf(`{"evidence": [%q], "theme": null, "from": %q}`, quote,
		split["theme_id"]))
	require.Zero(t, quotes(split["theme_id"]))
	for _, change := range []map[string]any{moved, split, merged} {
		call("undo_theme_change", fmt.Sprintf(`{"id": %q}`, change["change_id"]))
	}
	require.Equal(t, 1, quotes(money))
	for body, status := range map[string]int{
		fmt.Sprintf(`{"id": %q}`, merged["change_id"]): http.StatusConflict,
		fmt.Sprintf(`{"id": %q}`, uuid.New()):          http.StatusNotFound,
	} {
		a := editor.do(http.MethodPost, "/rpc/undo_theme_change", body)
		require.Equal(t, status, a.status, a.body)
	}
	a := editor.get(fmt.Sprintf("/evidence?id=eq.%s&select=quote,themes(name)", quote))
	require.JSONEq(t, `[{"quote": "I pay.", "themes": [{"name": "Money"}]}]`, a.body)
	a = editor.do(http.MethodPost, "/themes", fmt.Sprintf(`{"project_id": %q, "name": "MONEY"}`, e.Project))
	require.Equal(t, http.StatusConflict, a.status, a.body)
	a = editor.do(http.MethodPost, "/evidence_themes?on_conflict=evidence_id,theme_id",
		fmt.Sprintf(`{"evidence_id": %q, "theme_id": %q}`, quote, money), "Prefer", "resolution=ignore-duplicates")
	require.Equal(t, http.StatusCreated, a.status, a.body)
}
