package imports_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/imports"
)

// dated returns the form of a file with a date, if one is given.
func (u *uploads) dated(t *testing.T, filename, date string, given bool) (string, io.Reader) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField("project_id", u.Project.String()))
	if given {
		require.NoError(t, form.WriteField("interviewed_on", date))
	}
	file, err := form.CreateFormFile("file", filename)
	require.NoError(t, err)
	_, err = io.WriteString(file, "Ada: We pay too much.\n")
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return form.FormDataContentType(), &body
}

func TestDaysOfInterviewsAreStored(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	for _, c := range []struct {
		file, sent string
		given      bool
	}{
		{"2021-04-12.txt", "", false},
		{"b 2021-04-12.txt", "2021-05-13", true},
		{"c 2021-04-12.txt", "", true},
		{"d 04-05-2021.txt", "", false},
	} {
		contentType, form := u.dated(t, c.file, c.sent, c.given)
		status, code := u.send(t, u.Editor, contentType, form)
		require.Equal(t, http.StatusCreated, status, code)
	}
	u.Exec(t, `do $$ begin
		assert (select array_agg(interviewed_on order by filename) from imports)
			= array['2021-04-12', '2021-05-13', null, null]::date[];
	end $$`)

	contentType, form := u.dated(t, "e.txt", "12.4.2021", true)
	status, code := u.send(t, u.Editor, contentType, form)
	require.Equal(t, http.StatusBadRequest, status, code)
}
