package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// An edited quote must not pass as what the extractor found.
func TestEditedEvidenceKeepsTheOriginal(t *testing.T) {
	t.Parallel()
	e := begin(t)
	const transcript = "We pay too much. Every month."
	importID := dbtest.Value[uuid.UUID](t, e.DB, `insert into imports (project_id, title, format, size_bytes,
		sha256)
		values ($1, 'Ines', 'text', 1, '') returning id`, e.Project)
	e.Exec(t, `insert into private.transcripts values ($1, $2)`, importID, []byte(transcript))
	e.Exec(t, `insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start,
		byte_end)
		values ($1, 0, $2, $3, 'Ines', $4, 0, $5)`, importID, e.Workspace, e.Project, transcript, len(transcript))
	found := dbtest.Value[uuid.UUID](t, e.DB, `insert into evidence
			(project_id, import_id, quote, byte_start, byte_end, match, origin, confidence, rationale)
		values ($1, $2, 'We pay too much.', 0, 16, 'verbatim', 'keyword', 0.4, 'It is about prices.') returning id`,
		e.Project, importID)
	path := fmt.Sprintf("/evidence?id=eq.%s", found)
	state := func() string {
		a := e.as(t, e.Viewer).get(path + "&select=quote,speaker,match,original_quote,original_speaker,edited_by")
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a.body
	}
	patch := func(user uuid.UUID, body string) {
		a := e.as(t, user).do(http.MethodPatch, path, body)
		require.Equal(t, http.StatusNoContent, a.status, a.body)
	}

	patch(e.Editor, fmt.Sprintf(`{"review": "accepted", "original_quote": "forged", "edited_by": %q}`, e.Owner))
	require.JSONEq(t, `[{"quote": "We pay too much.", "speaker": "Ines", "match": "verbatim",
		"original_quote": null, "original_speaker": null, "edited_by": null}]`, state(), "a review is not an edit")

	patch(e.Editor, `{"quote": "We would pay more.", "speaker": "The CEO", "original_quote": null}`)
	require.JSONEq(t, fmt.Sprintf(`[{"quote": "We would pay more.", "speaker": "The CEO", "match": "manual",
		"original_quote": "We pay too much.", "original_speaker": "Ines", "edited_by": %q}]`, e.Editor), state())

	patch(e.Admin, `{"quote": "Every month.", "original_quote": "forged", "original_speaker": null}`)
	require.JSONEq(t, fmt.Sprintf(`[{"quote": "Every month.", "speaker": "Ines", "match": "verbatim",
		"original_quote": "We pay too much.", "original_speaker": "Ines", "edited_by": %q}]`, e.Admin), state(),
		"the original is what the extractor found, however often it is edited")

	patch(e.Owner, `{"summary": "About prices"}`)
	require.Contains(t, state(), e.Owner.String())
	edited := dbtest.Value[bool](t, e.DB, "select edited_at is not null from evidence where id = $1", found)
	require.True(t, edited)

	a := e.as(t, e.Editor).do(http.MethodPost, "/evidence", fmt.Sprintf(
		`{"project_id": %q, "quote": "By phone", "original_quote": "forged", "edited_by": %q}`, e.Project, e.Owner),
		"Prefer", "return=representation")
	require.Equal(t, http.StatusCreated, a.status, a.body)
	for _, column := range []string{"original_quote", "original_speaker", "edited_by"} {
		require.Contains(t, a.body, `"`+column+`":null`)
	}
}
