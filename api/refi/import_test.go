package refi_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/refi"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

const empty = `<?xml version="1.0"?><Project name="x"></Project>`

func TestWhoMayExchangeProjects(t *testing.T) {
	t.Parallel()
	e := setup(t)
	stranger := e.DB.Tenant(t).Owner
	data := atlas(t)
	for _, project := range []string{e.Project.String(), uuid.NewString(), "nonsense"} {
		for _, path := range []string{"/refi.qdpx", "/codebook.qdc"} {
			status, body := e.do(t, stranger, "GET", project+path, "", nil)
			require.Equal(t, 404, status)
			require.Contains(t, string(body), "project_not_found")
		}
	}
	for _, query := range []string{"", "?dry_run=true"} {
		status, r := e.send(t, stranger, e.Project, query, data)
		require.Equal(t, []any{404, "project_not_found"}, []any{status, r.Error})
		status, r = e.send(t, e.Viewer, e.Project, query, data)
		require.Equal(t, []any{403, "forbidden"}, []any{status, r.Error})
	}
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from imports`))
	status, _ := e.do(t, e.Viewer, "GET", e.Project.String()+"/codebook.qdc", "", nil)
	require.Equal(t, 200, status)
	e.export(t, e.Viewer, e.Project)
	require.Equal(t, []string{"qdc 0", "qdpx 0"}, dbtest.Value[[]string](t, e.DB, `
		select array_agg(x order by x) from (
			select (detail ->> 'format') || ' ' || (detail ->> 'quotes') as x from private.audit_records
			where action = 'exported' and target_id = $1 and actor_id = $2) y`, e.Project, e.Viewer))
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	e := setup(t)
	const entity = `<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><Project name="x">&a;</Project>`
	many := `<?xml version="1.0"?><Project name="x"><CodeBook><Codes>`
	for i := range 2001 {
		many += fmt.Sprintf(`<Code guid="%s" name="Code %d" isCodable="true"/>`, uuid.NewString(), i)
	}
	many += `</Codes></CodeBook></Project>`
	for name, c := range map[string]struct {
		data   []byte
		status int
		code   string
	}{
		"an entity":      {zipped(t, "project.qde", entity), 422, "unreadable_project"},
		"a traversal":    {zipped(t, "project.qde", empty, "../x", "x"), 422, "unreadable_project"},
		"text":           {[]byte("Dana: hello"), 422, "unreadable_project"},
		"a page":         {[]byte("<html></html>"), 422, "unreadable_project"},
		"nothing":        {nil, 400, "invalid_request"},
		"too many codes": {zipped(t, "project.qde", many), 413, "too_large"},
		"too large":      {bytes.Repeat([]byte("x"), 32<<20+1), 413, "too_large"},
		"a bomb":         {zipped(t, "project.qde", strings.Repeat(" ", 65<<20)), 413, "too_large"},
	} {
		status, r := e.send(t, e.Editor, e.Project, "", c.data)
		require.Equal(t, []any{c.status, c.code}, []any{status, r.Error}, "%s: %s", name, r.Message)
	}
	status, _ := e.do(t, e.Editor, "POST", e.Project.String()+"/refi", "text/plain", []byte("x"))
	require.Equal(t, 400, status)
	status, _ = e.do(t, e.Editor, "POST", e.Project.String()+"/refi?dry_run=perhaps", "text/plain", []byte("x"))
	require.Equal(t, 400, status)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField("title", "x"))
	require.NoError(t, form.Close())
	status, _ = e.do(t, e.Editor, "POST", e.Project.String()+"/refi", form.FormDataContentType(), body.Bytes())
	require.Equal(t, 400, status)
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from themes`))
}

func TestAFailedImportLeavesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.Exec(t, `insert into private.settings (name, value) values ('workspace_uploads_per_day', '1')`)
	status, r := e.send(t, e.Editor, e.Project, "", atlas(t)) // it has two interviews
	require.Equal(t, []any{429, "too_many_uploads"}, []any{status, r.Error})
	require.Zero(t, dbtest.Value[int](t, e.DB, `
		select (select count(*) from themes) + (select count(*) from imports)
			+ (select count(*) from evidence) + (select count(*) from participants)`))
}

func TestInterviewsOfAFileAreUploads(t *testing.T) {
	t.Parallel()
	e := setupWith(t, refi.Config{UploadLimit: 2})
	status, _ := e.send(t, e.Editor, e.Project, "", atlas(t))
	require.Equal(t, 201, status)
	status, r := e.send(t, e.Editor, e.Project, "?dry_run=true", nvivo(t))
	require.Equal(t, 201-1, status, "its interview is known: %+v", r)
	status, r = e.send(t, e.Editor, e.Project, "?dry_run=true", maxqda(t))
	require.Equal(t, []any{429, "too_many_uploads"}, []any{status, r.Error})
}

func TestConcurrentImportsDoNotDouble(t *testing.T) {
	t.Parallel()
	e := setup(t)
	data := atlas(t)
	var both sync.WaitGroup
	for _, user := range []uuid.UUID{e.Editor, e.Admin} {
		both.Go(func() {
			status, r := e.send(t, user, e.Project, "", data)
			require.Contains(t, []int{201, 409}, status, "%+v", r)
		})
	}
	both.Wait()
	require.Equal(t, []int{2, 3, 2}, dbtest.Value[[]int](t, e.DB, `select array[(select count(*) from imports),
		(select count(*) from evidence), (select count(*) from themes)]::int[]`))
}

func TestCodesBecomeThemes(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.theme(t, e.Project, "price", nil)
	e.Exec(t, `insert into themes (project_id, name, status) values ($1, 'Old', 'archived')`, e.Project)
	long := strings.Repeat("é", 130)
	codebook := `<?xml version="1.0"?><CodeBook xmlns="urn:QDA-XML:codebook:1:0"><Codes>` +
		code("Price", code("Too high", "")+
			code("Fair", code("Very", code("Level 4", code("Level 5", code("Level 6", "")))))) +
		code("Quality", code("Fair", "")+code("fair", "")) + code(long, "") + code("", "") + code("Old", "") +
		`</Codes></CodeBook>`
	r := e.load(t, e.Project, []byte(codebook))
	require.Equal(t, []string{
		"Fair (Quality) < Quality", "Fair < price", "Level 4 < Very", "Level 5 < Very", "Level 6 < Very", "Old",
		"Quality", "Too high < price", "Unnamed code", "Very < Fair", "fair (2) < Quality", "price",
		strings.Repeat("é", 119) + "…",
	}, dbtest.Value[[]string](t, e.DB, `select array_agg(t.name || coalesce(' < ' || p.name, '')
		order by t.name || coalesce(' < ' || p.name, '') collate "C")
		from themes t left join themes p on p.id = t.parent_id`))
	require.Equal(t, 2, r.Known.Themes)
	require.Contains(t, strings.Join(r.Warnings, "\n"), "archived")
	require.Contains(t, strings.Join(r.Warnings, "\n"), "“Level 6” is moved up to the fourth level")
	again := e.load(t, e.Project, []byte(codebook))
	require.Zero(t, again.Themes, "%+v", again.ThemeNames)
}

func code(name, inner string) string {
	return fmt.Sprintf(`<Code guid="%s" name="%s" isCodable="true">%s</Code>`,
		guid("code"+name+inner), name, inner)
}

func TestWhatIsExported(t *testing.T) {
	t.Parallel()
	e := setup(t)
	i := e.upload(t, e.Project, "Lea", "Interviewer: How?\nLea: On paper, in the office.\nLea: Then by mail.\n")
	kept, archived := e.theme(t, e.Project, "Kept", nil), e.theme(t, e.Project, "Gone", nil)
	e.Exec(t, `update themes set status = 'archived' where id = $1`, archived)
	e.quote(t, e.Project, i, "On paper", kept, archived)
	e.Exec(t, `update evidence set review = 'rejected' where id = $1`, e.quote(t, e.Project, i, "by mail", kept))
	e.Exec(t, `insert into evidence (project_id, quote, review)
		values ($1, 'From a call', 'accepted')`, e.Project)
	e.Exec(t, `insert into questions (project_id, text) values ($1, 'And then?')`, e.Project)
	e.Exec(t, `update profiles set display_name = 'Kim' where id = $1`, e.Editor)
	files := entries(t, e.export(t, e.Viewer, e.Project))
	project := string(files["project.qde"])
	validate(t, "Project.xsd", files["project.qde"])
	for _, text := range []string{`name="Kept"`, "From a call", "And then?", `name="Kim"`, `name="Lea"`} {
		require.Contains(t, project, text)
	}
	for _, text := range []string{"Gone", "by mail", "@example.com"} {
		require.NotContains(t, project, text)
	}
	require.Equal(t, []string{"On paper"}, readAs(t, e.export(t, e.Viewer, e.Project)))
	for name, text := range files {
		if strings.HasSuffix(name, ".txt") {
			require.Equal(t, "\ufeffInterviewer: How?\nLea: On paper, in the office.\nLea: Then by mail.",
				string(text))
		}
	}
}

func TestCodesThatAnotherProgramAdds(t *testing.T) {
	t.Parallel()
	e := setup(t)
	i := e.upload(t, e.Project, "Lea", "Interviewer: How?\nLea: On paper, in the office.\n")
	e.quote(t, e.Project, i, "On paper", e.theme(t, e.Project, "Paper", nil))
	files := entries(t, e.export(t, e.Viewer, e.Project))
	project := strings.Replace(string(files["project.qde"]), `</Codes></CodeBook>`,
		`<Code guid="`+guid("new")+`" name="Office" isCodable="true"/></Codes></CodeBook>`, 1)
	more := selection("Interviewer: How?\nLea: On paper, in the office.", "in the office", false, false,
		coding("new"))
	project = strings.Replace(project, `</PlainTextSelection>`, coding("new")+`</PlainTextSelection>`+more, 1)
	parts := []string{"project.qde", project}
	for name, text := range files {
		if strings.HasPrefix(name, "Sources/") {
			parts = append(parts, name, string(text))
		}
	}
	r := e.load(t, e.Project, zipped(t, parts...))
	require.Equal(t, []int{0, 1, 1}, []int{r.Imported, r.Themes, r.Quotes})
	require.Equal(t, []string{"Lea: On paper = Office, Paper", "Lea: in the office = Office"},
		e.coded(t, e.Project))
}

func TestSlowFilesDoNotStopOthers(t *testing.T) {
	t.Parallel()
	e := setup(t)
	var slow sync.WaitGroup
	var writers []*io.PipeWriter
	for _, user := range []uuid.UUID{e.Editor, e.Admin} {
		body, w := io.Pipe()
		writers = append(writers, w)
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/project/"+e.Project.String()+"/refi", body)
		r.Header.Set("apikey", tokentest.AnonKey)
		r.Header.Set("Authorization", "Bearer "+e.tokens.AccessToken(t, user))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		slow.Go(func() { e.handler.ServeHTTP(httptest.NewRecorder(), r) })
		_, err := w.Write([]byte("--x\r\n")) // returns when the handler reads the body
		require.NoError(t, err)
	}
	status, r := e.send(t, e.Owner, e.Project, "", atlas(t))
	require.Equal(t, 201, status, "%+v", r)
	status, r = e.send(t, e.Editor, e.Project, "", atlas(t))
	require.Equal(t, []any{429, "too_many_requests"}, []any{status, r.Error}, "one at a time")
	for _, w := range writers {
		require.NoError(t, w.Close())
	}
	slow.Wait()
}
