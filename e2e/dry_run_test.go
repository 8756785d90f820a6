package e2e

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// dryRun uploads a transcript without storing it.
func (s *service) dryRun(
	t testing.TB, token string, project uuid.UUID, content string,
) (int, map[string]any) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("project_id", project.String()))
	part, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(t, err)
	_, err = part.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return s.request(
		t, http.MethodPost, "/api/import?dry_run=true", token, w.FormDataContentType(), form.Bytes())
}

func TestDryRunSaysWhatIsReadAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor := s.signIn(t, s.Editor)
	stored := func() int { return dbtest.Value[int](t, s.DB, "select count(*) from imports") }
	before := stored()

	status, look := s.dryRun(t, editor, s.Project, zoom)
	require.Equal(t, http.StatusOK, status, "%v", look)
	require.Equal(t, "vtt", look["format"])
	require.EqualValues(t, 4, look["utterances"])
	require.Equal(t, []any{"Dana Ng", "Omar Haddad"}, look["speakers"])
	require.Equal(t, []any{}, look["warnings"])
	require.NotContains(t, look, "importId")
	require.Positive(t, look["words"])
	require.Positive(t, look["durationMs"])
	require.Len(t, look["turns"], 4)
	first := look["turns"].([]any)[0].(map[string]any)
	require.Equal(t, "Dana Ng", first["speaker"])
	require.Contains(t, first, "startMs")
	share := 0.0
	for _, of := range look["speakerShares"].([]any) {
		share += of.(map[string]any)["share"].(float64)
	}
	require.InDelta(t, 1, share, 1e-9)
	_, look = s.dryRun(t, editor, s.Project, "Interviewer: Why?\nDana: Because it takes a whole day.\n")
	roles := map[any]any{}
	for _, of := range look["speakerShares"].([]any) {
		roles[of.(map[string]any)["speaker"]] = of.(map[string]any)["role"]
	}
	require.Equal(t, map[any]any{"Interviewer": "interviewer", "Dana": "participant"}, roles)
	require.Equal(t, before, stored())

	t.Run("what is doubtful is a warning", func(t *testing.T) {
		status, look := s.dryRun(t, editor, s.Project, "We bake at four.\n\n"+strings.Repeat("word ", 200))
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, []any{}, look["speakers"])
		require.Contains(t, look["warnings"].([]any)[0], "No speakers were found")
		turns := look["turns"].([]any)
		require.Nil(t, turns[0].(map[string]any)["startMs"])
		require.LessOrEqual(t, len(turns[1].(map[string]any)["text"].(string)), 403)
	})
	t.Run("an unreadable file has the same answer as its upload", func(t *testing.T) {
		status, refused := s.dryRun(t, editor, s.Project, "00:00:01\n00:00:05\n00:00:09\n")
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Equal(t, "unreadable_transcript", refused["error"])
		require.Contains(t, refused["message"], "a list of times without words")
	})
	t.Run("viewers and strangers may not upload", func(t *testing.T) {
		status, _ := s.dryRun(t, s.signIn(t, s.Viewer), s.Project, zoom)
		require.Equal(t, http.StatusForbidden, status)
		status, _ = s.dryRun(t, editor, uuid.New(), zoom)
		require.Equal(t, http.StatusForbidden, status)
	})
	t.Run("a text that is already imported is named", func(t *testing.T) {
		id := s.add(t, editor, "zoom.vtt", []byte(zoom))
		_, look := s.dryRun(t, editor, s.Project, zoom)
		require.Equal(t, id, look["duplicateOf"])
		status, again := s.upload(t, editor, "again.vtt", []byte(zoom))
		require.Equal(t, http.StatusCreated, status)
		require.Equal(t, id, again["duplicateOf"])
		require.NotEqual(t, id, again["importId"])
	})
}

func TestDryRunMustBeTrueOrFalse(t *testing.T) {
	t.Parallel()
	s := startService(t)
	status, refused := s.request(t, http.MethodPost, "/api/import?dry_run=maybe", s.signIn(t, s.Editor),
		"multipart/form-data; boundary=x", nil)
	require.Equal(t, http.StatusBadRequest, status, "%v", refused)
	require.Contains(t, refused["message"], "dry_run")
}
