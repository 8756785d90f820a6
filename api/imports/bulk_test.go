package imports_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/token/tokentest"
	"research/db/dbtest"
	"research/temporalclient"
)

// A startingParser starts every parse.
type startingParser struct{ noParser }

func (startingParser) StartParse(
	_ context.Context, r temporalclient.ParseRequest,
) (temporalclient.Run, error) {
	return temporalclient.Run{WorkflowID: "import-" + r.ImportID.String(), RunID: "run"}, nil
}

// A field is one of a form. With a filename it is a file.
type field struct{ name, filename, value string }

// A bulkAnswer is the answer to several files.
type bulkAnswer struct {
	Error   string
	Message string
	Created int
	Failed  int
	// Replayed is the header Idempotent-Replayed.
	Replayed bool `json:"-"`
	Files    []struct {
		Filename string
		Status   int
		Import   struct {
			ImportID   uuid.UUID
			Utterances int
		}
		Failure struct{ Error string }
		Parse   *struct {
			Status  int
			Run     struct{ Status string }
			Failure struct{ Error string }
		}
	}
}

// postForm sends a form as the editor.
func (u *uploads) postForm(t *testing.T, key string, fields ...field) (status int, answer bulkAnswer) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if f.filename == "" {
			require.NoError(t, form.WriteField(f.name, f.value))
			continue
		}
		file, err := form.CreateFormFile(f.name, f.filename)
		require.NoError(t, err)
		_, err = file.Write([]byte(f.value))
		require.NoError(t, err)
	}
	require.NoError(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+"/", &body)
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, u.Editor))
	req.Header.Set("Content-Type", form.FormDataContentType())
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	require.NoError(t, json.Unmarshal(raw, &answer))
	answer.Replayed = resp.Header.Get("Idempotent-Replayed") == "true"
	return resp.StatusCode, answer
}

// zipOf returns a zip of files, by pairs of name and content.
func zipOf(t *testing.T, pairs ...string) string {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for i := 0; i < len(pairs); i += 2 {
		file, err := w.Create(pairs[i])
		require.NoError(t, err)
		_, err = file.Write([]byte(pairs[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return packed.String()
}

func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(d *imports.Deps) { d.Parser = startingParser{} })
	project := field{name: "project_id", value: u.Project.String()}
	hypothesis := u.Hypothesis(t, u.Tenant, "People pay")
	file := func(name, text string) field { return field{"file", name, text} }
	const talk = "Ada: We pay too much.\nBob: How much?\n"

	t.Run("each have a result, and those that can be read are parsed", func(t *testing.T) {
		t.Parallel()
		packed := zipOf(t, "week 1/", "", "week 1/three.txt", talk, "__MACOSX/._three.txt", "x", ".DS_Store", "x",
			"inner.zip", zipOf(t, "a.txt", talk))
		status, answer := u.postForm(t, "", project, file("one.txt", talk),
			file("two.pdf", "%PDF-1.4 no transcript"),
			field{name: "hypothesis_ids", value: hypothesis.String()}, file("all.zip", packed))
		require.Equal(t, http.StatusOK, status)
		var got []string
		for _, f := range answer.Files {
			line := fmt.Sprintf("%s %d %d %s", f.Filename, f.Status, f.Import.Utterances, f.Failure.Error)
			if f.Parse != nil {
				line += f.Parse.Run.Status
			}
			got = append(got, line)
		}
		require.Equal(t, []string{
			"one.txt 201 2 queued", "two.pdf 422 0 unreadable_transcript", "three.txt 201 2 queued",
			"inner.zip 422 0 unreadable_transcript",
		}, got)
		require.Equal(t, []int{2, 2}, []int{answer.Created, answer.Failed})
		require.Equal(t, "one|queued", dbtest.Value[string](t, u.DB,
			`select concat_ws('|', title, status) from imports where id = $1`, answer.Files[0].Import.ImportID))
	})

	t.Run("may be five hundred in one zip", func(t *testing.T) {
		t.Parallel()
		var pairs []string
		for i := range 500 {
			pairs = append(pairs, fmt.Sprintf("%03d.txt", i), fmt.Sprintf("Ada: We pay %d dollars.\n", i))
		}
		status, answer := u.postForm(t, "", project, file("all.zip", zipOf(t, pairs...)))
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, 500, answer.Created)
		status, answer = u.postForm(t, "", project, file("all.zip",
			zipOf(t, append(pairs, "one more.txt", talk)...)))
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Equal(t, "too_large", answer.Error)
	})

	t.Run("of a zip that unpacks to too much are not stored", func(t *testing.T) {
		t.Parallel()
		bomb := zipOf(t, "bomb.txt", strings.Repeat("Ada: Yes.\n", 1<<20), "small.txt", talk)
		status, answer := u.postForm(t, "", project, file("all.zip", bomb))
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.Files[0].Status)
		require.Equal(t, http.StatusCreated, answer.Files[1].Status)
	})

	t.Run("are stored once, however often the request is sent with its key", func(t *testing.T) {
		t.Parallel()
		send := func(second string) bulkAnswer {
			status, answer := u.postForm(t, "one-key", project, file("a.txt", talk), file("b.txt", second))
			require.Equal(t, http.StatusOK, status)
			return answer
		}
		first, again, other := send(talk), send(talk), send("Ada: Another text.\n")
		require.False(t, first.Replayed)
		require.True(t, again.Replayed)
		require.False(t, other.Replayed, "a part of it is not what was answered first")
		first.Replayed = true
		require.Equal(t, first, again)
		require.Equal(t, first.Files[0], other.Files[0])
		require.Equal(t, "idempotency_key_reused", other.Files[1].Failure.Error)
	})

	t.Run("are parsed once, however often the request is sent with its key", func(t *testing.T) {
		t.Parallel()
		send := func(hypotheses string, files ...field) bulkAnswer {
			fields := append([]field{project, {name: "hypothesis_ids", value: hypotheses}}, files...)
			status, answer := u.postForm(t, "key-of-parses", fields...)
			require.Equal(t, http.StatusOK, status)
			return answer
		}
		first := send(hypothesis.String(), file("c.txt", talk), file("d.pdf", "%PDF-1.4 no transcript"))
		require.Equal(t, 200, first.Files[0].Parse.Status)
		again := send(hypothesis.String(), file("c.txt", talk), file("d.pdf", "%PDF-1.4 no transcript"))
		require.True(t, again.Replayed)
		first.Replayed = true
		require.Equal(t, first, again, "and gets the answers of the first request")
		more := send(hypothesis.String(), file("c.txt", talk), file("e.txt", talk))
		require.False(t, more.Replayed, "a file that the first request did not reach is stored")
		require.Equal(t, 200, more.Files[1].Parse.Status)
		other := send(uuid.NewString(), file("c.txt", talk), file("e.txt", talk))
		require.False(t, other.Replayed)
		require.Equal(t, "idempotency_key_reused", other.Files[0].Parse.Failure.Error)
	})

	t.Run("need the project in front, and no title", func(t *testing.T) {
		t.Parallel()
		for _, fields := range [][]field{
			{file("a.txt", talk), file("b.txt", talk), project},
			{project, file("a.txt", talk), file("b.txt", talk), {name: "title", value: "One"}},
			{project, file("a.txt", talk), file("b.txt", talk), {name: "persona_id", value: uuid.NewString()}},
			{project, {name: "hypothesis_ids", value: "none"}, file("a.txt", talk)},
			{project, {name: "hypothesis_ids", value: hypothesis.String()}},
			{{name: "hypothesis_ids", value: hypothesis.String()}},
		} {
			status, answer := u.postForm(t, "", fields...)
			require.Equal(t, http.StatusBadRequest, status)
			require.Equal(t, "invalid_request", answer.Error)
		}
	})

	t.Run("give the same advice about a title before and after the files", func(t *testing.T) {
		t.Parallel()
		title, one, two := field{name: "title", value: "One"}, file("a.txt", talk), file("b.txt", talk)
		for _, fields := range [][]field{{project, title, one, two}, {project, one, two, title}} {
			_, answer := u.postForm(t, "", fields...)
			require.Equal(t, "title applies to a single file only. With several files, each interview is named "+
				"after its file.", answer.Message)
		}
	})
}

func TestSeveralFilesWithoutTemporal(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	hypothesis := u.Hypothesis(t, u.Tenant, "People pay")
	status, answer := u.postForm(t, "", field{name: "project_id", value: u.Project.String()},
		field{name: "hypothesis_ids", value: hypothesis.String()}, field{"file", "a.txt", "Ada: We pay.\n"})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, answer.Created)
	require.Equal(t, http.StatusServiceUnavailable, answer.Files[0].Parse.Status)
	require.Equal(t, "unavailable", answer.Files[0].Parse.Failure.Error)
	require.Equal(t, "uploaded", dbtest.Value[string](t, u.DB, `select status::text from imports`))
}
