package imports_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/db/dbtest"
)

const (
	firstOfTemplate = "Place: a kitchen in spring\nMaya: How do you close the books every month?\n" +
		"Jonas: Closing the books takes five days because receipts are missing.\n" +
		"Maya: Why is that so?\nJonas: Nobody has the time to ask for them.\n" +
		"Maya: Would you pay for a tool?\nJonas: We would pay if it asked for the receipts itself.\n"
	nextOfTemplate = "Place: a workshop near the river\nMaya: What do you do about late suppliers?\n" +
		"Priya: I write to each of them on Mondays.\nMaya: Does anybody help you?\n" +
		"Priya: My assistant does when she has time.\nMaya: What did you try before?\nPriya: We tried a list.\n"
)

func TestTheNextFileOfAProjectIsReadAsTheFirstWasDecided(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	status, first := u.choose(t, "/", firstOfTemplate, map[string]string{"reading": `{"people": ["Place"]}`})
	require.Equal(t, http.StatusCreated, status, "%v", first)
	require.Equal(t, []any{"Place", "Maya", "Jonas"}, first["speakers"])

	_, look := u.choose(t, "/?dry_run=true", nextOfTemplate, nil)
	require.Equal(t, []any{"Place", "Maya", "Priya"}, look["speakers"])
	require.Equal(t, []any{"Place"}, look["reading"].(map[string]any)["remembered"])
	_, look = u.choose(t, "/?dry_run=true", nextOfTemplate,
		map[string]string{"reading": `{"nobody": ["Place"]}`})
	require.Equal(t, []any{"Maya", "Priya"}, look["speakers"], "the request wins")

	id := first["importId"].(string)
	quote := dbtest.Value[uuid.UUID](t, u.DB, `insert into evidence (project_id, import_id, quote, origin)
		values ($1, $2, 'five days because receipts', 'ai') returning id`, u.Project, id)
	status, again := u.reading(t, http.MethodPut, u.Editor, id, "", `{"nobody": ["Place"]}`)
	require.Equal(t, http.StatusOK, status, "%v", again)
	require.Equal(t, []any{"Maya", "Jonas"}, again["speakers"])
	require.Equal(t, map[string]any{"kept": 0.0, "moved": 1.0, "placeLost": 0.0}, again["evidence"])
	require.Equal(t, "Jonas", dbtest.Value[string](t, u.DB, "select speaker from evidence where id = $1", quote))
	_, look = u.choose(t, "/?dry_run=true", nextOfTemplate, nil)
	require.Equal(t, []any{"Maya", "Priya"}, look["speakers"])
}
