package imports_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/db/dbtest"
)

const labelled = "R: We pay late.\nInterviewer: Why?\nR: The receipts are missing.\nInterviewer: Oh.\n"

func TestADryRunAndAnUploadTakeADecisionAboutTheReading(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	decision := `{"people": ["R"], "same": {"Dana W": "R"}, "unlabelled": "", "from": "R: We", "to": ""}`
	status, look := u.choose(t, "/?dry_run=true", labelled, map[string]string{"reading": decision})
	require.Equal(t, http.StatusOK, status, "%v", look)
	reading := look["reading"].(map[string]any)
	require.Equal(t, map[string]any{
		"people": []any{"R"}, "same": map[string]any{"Dana W": "R"}, "unlabelled": "", "from": "R: We",
	}, reading["decided"])
	require.Equal(t, []any{}, reading["remembered"])
	require.Contains(t, reading, "confidence")

	status, stored := u.choose(t, "/", labelled, map[string]string{"reading": decision})
	require.Equal(t, http.StatusCreated, status, "%v", stored)
	require.IsType(t, 0.0, stored["confidence"])
	require.IsType(t, true, stored["needsLook"])
}

func TestADecisionAboutAReadingIsBoundedAndConsistent(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	tooMany, err := json.Marshal(map[string]any{"nobody": many})
	require.NoError(t, err)
	for name, reading := range map[string]string{
		"an unknown member":           `{"persons": ["R"]}`,
		"no object":                   `["R"]`,
		"two objects":                 `{} {}`,
		"more than 1,000 labels":      string(tooMany),
		"a long label":                `{"people": ["` + strings.Repeat("é", 301) + `"]}`,
		"a long name":                 `{"unlabelled": "` + strings.Repeat("é", 301) + `"}`,
		"a long edge":                 `{"to": "` + strings.Repeat("é", 301) + `"}`,
		"more than 16 KB":             `{"from": "` + strings.Repeat(" ", 16<<10) + `"}`,
		"an empty label":              `{"nobody": [" "]}`,
		"a person who is nobody":      `{"people": ["R"], "nobody": ["R"]}`,
		"a person of two labels":      `{"people": ["R"], "same": {"R": "Dana"}}`,
		"the same as nobody":          `{"nobody": ["R"], "same": {"Dana": "R"}}`,
		"a circle":                    `{"same": {"R": "Dana", "Dana": "R"}}`,
		"the same as an empty label":  `{"same": {"R": ""}}`,
		"a label of two lines":        `{"people": ["R\nS"]}`,
		"a text that is not stored":   `{"from": "a\u0000b"}`,
		"people that are not a list":  `{"people": "R"}`,
		"a list that is not of texts": `{"people": [1]}`,
	} {
		for _, path := range []string{"/", "/?dry_run=true"} {
			status, answer := u.choose(t, path, labelled, map[string]string{"reading": reading})
			require.Equal(t, http.StatusBadRequest, status, "%s: %v", name, answer)
			require.Equal(t, "invalid_request", answer["error"], name)
			require.Contains(t, answer["details"], "reading", name)
		}
	}
	status, answer := u.choose(t, "/", doubtfulChat,
		map[string]string{"layout": "hours", "reading": `{"to": "a"}`})
	require.Equal(t, http.StatusBadRequest, status, "%v", answer)
}

func TestAnUploadKeepsItsFileAndRemembersDecisions(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	_, plain := u.choose(t, "/", labelled, nil)
	fields := map[string]string{
		"reading": `{"people": ["R"], "nobody": ["Setting"], "same": {"Dana W": "R"}, "from": "R: We"}`,
	}
	for range 2 {
		status, stored := u.choose(t, "/", labelled, fields)
		require.Equal(t, http.StatusCreated, status, "%v", stored)
	}
	require.Equal(t, labelled, string(dbtest.Value[[]byte](t, u.DB,
		"select data from private.import_files where import_id = $1", plain["importId"])))
	require.Equal(t, len(labelled), dbtest.Value[int](t, u.DB, `
		select i.stored_bytes - private.transcript_bytes(octet_length(t.body), 4, 2)
		from imports i join private.transcripts t on t.import_id = i.id where i.id = $1`, plain["importId"]))
	require.Equal(t, 2, dbtest.Value[int](t, u.DB,
		`select count(*) from imports where reading ->> 'from' = 'R: We' and reading_confidence > 0.8`))
	require.Equal(t, []string{"text Dana W same R", "text R person ", "text Setting nobody "},
		dbtest.Value[[]string](t, u.DB, `
			select array_agg(concat_ws(' ', format, label, answer, other) order by label)
			from private.project_readings where project_id = $1`, u.Project))

	got := u.get(t, u.Viewer, plain["importId"].(string))
	require.Equal(t, plain["confidence"], got["confidence"])
	require.Equal(t, plain["needsLook"], got["needsLook"])
}
