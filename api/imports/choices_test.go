package imports_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

const doubtfulChat = "[10:02] Dana: How do you plan?\n[10:20] Sam: On paper.\n[10:41] Dana: Why?\n" +
	"[11:15] Sam: No time.\n"

// choose uploads a text with more fields of the form, and returns the status and the answer.
func (u *uploads) choose(t *testing.T, path, text string, fields map[string]string) (int, map[string]any) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	require.NoError(t, form.WriteField("project_id", u.Project.String()))
	for name, value := range fields {
		require.NoError(t, form.WriteField(name, value))
	}
	file, err := form.CreateFormFile("file", "a.txt")
	require.NoError(t, err)
	_, err = io.WriteString(file, text)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	answer := u.post(t, u.Editor, path, "", form.FormDataContentType(), &buffer)
	var decoded map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer.body), &decoded), answer.body)
	return answer.status, decoded
}

// get returns an import as a user sees it.
func (u *uploads) get(t *testing.T, user uuid.UUID, id string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.url+"/"+id, nil)
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, user))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(raw, &answer))
	return answer
}

func TestADoubtfulFileSaysSoBeforeAndAfterItIsImported(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	status, look := u.choose(t, "/?dry_run=true", doubtfulChat, nil)
	require.Equal(t, http.StatusOK, status, "%v", look)
	require.Equal(t, []any{map[string]any{"code": "hours_or_minutes", "count": 4.0}}, look["warningCodes"])
	var layouts []any
	for _, l := range look["layouts"].([]any) {
		layouts = append(layouts, l.(map[string]any)["layout"])
	}
	require.Contains(t, layouts, "hours")
	require.Contains(t, layouts, "paragraphs")

	status, stored := u.choose(t, "/", doubtfulChat, nil)
	require.Equal(t, http.StatusCreated, status, "%v", stored)
	got := u.get(t, u.Viewer, stored["importId"].(string))
	require.Equal(t, look["warnings"], got["warnings"])
	require.Equal(t, look["warningCodes"], got["warningCodes"])

	status, plain := u.choose(t, "/", "Ada: We pay.\nBen: Why?\nAda: So.\nBen: Oh.\n", nil)
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, []any{}, u.get(t, u.Viewer, plain["importId"].(string))["warningCodes"])
}

func TestAnUploadIsReadAsItsSenderChose(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	status, stored := u.choose(t, "/", doubtfulChat, map[string]string{
		"layout":   "hours",
		"speakers": `{"Dana": {"rename": "Dana Weber"}, "Sam": {"mergeInto": "Dana"}}`,
	})
	require.Equal(t, http.StatusCreated, status, "%v", stored)
	require.Equal(t, []any{"Dana Weber"}, stored["speakers"])
	id := stored["importId"].(string)
	require.Equal(t, 18*60*1000, dbtest.Value[int](t, u.DB,
		"select start_ms from utterances where import_id = $1 and ordinal = 1", id))
	require.Equal(t, 4, dbtest.Value[int](t, u.DB,
		"select count(*) from utterances where import_id = $1 and speaker = 'Dana Weber'", id))

	for name, fields := range map[string]map[string]string{
		"a layout that the file cannot have": {"layout": "heads"},
		"a speaker whom nobody is":           {"speakers": `{"Nobody": {"rename": "Dana"}}`},
		"a merge into nobody":                {"speakers": `{"Sam": {"mergeInto": "Nobody"}}`},
		"a merge in a circle": {
			"speakers": `{"Sam": {"mergeInto": "Dana"}, "Dana": {"mergeInto": "Sam"}}`,
		},
		"a name and a merge":                 {"speakers": `{"Sam": {"mergeInto": "Dana", "rename": "Sam O."}}`},
		"something after the object":         {"speakers": `{"Sam": {"rename": "Dana"}}]`},
		"an unknown choice":                  {"speakers": `{"Sam": {"delete": true}}`},
		"an unknown role":                    {"speakers": `{"Sam": {"role": "guest"}}`},
		"a role and a merge":                 {"speakers": `{"Sam": {"mergeInto": "Dana", "role": "other"}}`},
		"a role for nobody":                  {"speakers": `{"Nobody": {"role": "other"}}`},
		"a role for words without a speaker": {"speakers": `{"": {"role": "other"}}`},
		"two roles for one name": {
			"speakers": `{"Sam": {"role": "other"}, "Dana": {"rename": "Sam", "role": "interviewer"}}`,
		},
		"a participant whom the project does not have": {
			"speakers": `{"Sam": {"participantId": "3fa85f64-5717-4562-b3fc-2c963f66afa6"}}`,
		},
		"a participant who asks": {
			"speakers": `{"Sam": {"role": "interviewer", "participantId": "3fa85f64-5717-4562-b3fc-2c963f66afa6"}}`,
		},
		"no object": {"speakers": `["Sam"]`},
	} {
		status, rejected := u.choose(t, "/", doubtfulChat, fields)
		require.Equal(t, http.StatusBadRequest, status, name)
		require.Equal(t, "invalid_request", rejected["error"], name)
	}
}

func TestAnUploadGivesSpeakersTheirRoles(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	rolesOf := func(importID string) map[string]string {
		return dbtest.Value[map[string]string](t, u.DB,
			"select jsonb_object_agg(speaker, role) from import_speakers where import_id = $1", importID)
	}
	for _, c := range []struct {
		name, text, speakers string
		want                 map[string]string
	}{
		{
			"without a choice the label decides", "Interviewer: Why?\nDana: No time.\n", "",
			map[string]string{"Interviewer": "interviewer", "Dana": "participant"},
		},
		{
			"by the new names", "Dana: Why?\nSam: No time.\nKim: Hello.\n",
			`{"Dana": {"rename": " Dana  Weber ", "role": "interviewer"}, "Kim": {"role": "other"}}`,
			map[string]string{"Dana Weber": "interviewer", "Sam": "participant", "Kim": "other"},
		},
		{
			"who is merged has the role of the other one", "Dana: Why?\nSam: No time.\nD.: Hello.\n",
			`{"Dana": {"role": "interviewer"}, "D.": {"mergeInto": "Dana"}}`,
			map[string]string{"Dana": "interviewer", "Sam": "participant"},
		},
		{
			"of a file without labels", "We have no time.\n\nWe never had any.\n", `{"": {"role": "other"}}`,
			map[string]string{"": "other"},
		},
	} {
		status, stored := u.choose(t, "/", c.text, map[string]string{"speakers": c.speakers})
		require.Equal(t, http.StatusCreated, status, "%s: %v", c.name, stored)
		require.Equal(t, c.want, rolesOf(stored["importId"].(string)), c.name)
	}
}

func TestAnUploadSaysWhoSpeaksInOtherInterviews(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	status, first := u.choose(t, "/", "Anna Berg: We pay.\nBen: Why?\n", nil)
	require.Equal(t, http.StatusCreated, status)
	personOf := func(stored map[string]any) string {
		return dbtest.Value[string](t, u.DB, `select participant_id::text from import_speakers
			where import_id = $1 and speaker = 'Anna Berg'`, stored["importId"])
	}
	anna := personOf(first)
	status, second := u.choose(t, "/", "Anna: We pay less.\nBen: Why?\n", map[string]string{
		"speakers": `{"Anna": {"rename": " Anna  Berg ", "participantId": "` + anna + `"}}`,
	})
	require.Equal(t, http.StatusCreated, status, "%v", second)
	require.Equal(t, anna, personOf(second))
	status, third := u.choose(t, "/", "Anna Berg: We never pay.\nBen: Why?\n", nil)
	require.Equal(t, http.StatusCreated, status)
	require.NotEqual(t, anna, personOf(third), "nobody is merged silently")
	require.Equal(t, 2, dbtest.Value[int](t, u.DB, "select count(*) from participants where name = 'Anna Berg'"))
}
