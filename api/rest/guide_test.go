package rest_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

func TestGuide(t *testing.T) {
	t.Parallel()
	e := begin(t, func(_ *rest.Config, d *dbtest.DB) {
		d.Exec(t, `create table odd (a int not null, b text default 'x', hidden text)`)
		d.Exec(t, `comment on column odd.a is E'this | that\nand more'`)
		d.Exec(t, `grant select (a, b), insert (a), delete on odd to authenticated`)
		d.Exec(t, `create table secret (a int); grant select on secret to service_role`)
	})
	read := func() string {
		w := httptest.NewRecorder()
		e.handler.ServeGuide(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs/tables.md", nil))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Equal(t, "text/markdown; charset=utf-8", w.Header().Get("Content-Type"))
		return w.Body.String()
	}
	guide := read()
	require.Contains(t, guide, "\n## odd\n\n\n\n`GET`, `POST`, `DELETE`.\n\n| column | type | on insert | |\n"+
		"|---|---|---|---|\n| `a` | integer | required | this \\| that and more |\n"+
		"| `b` | text or null | filled |  |\n\n## ")
	require.Contains(t, guide,
		"| `status` | untested, testing, validated, invalidated, inconclusive, parked | optional |")
	require.Contains(t, guide, "\n### search_project\n")
	require.Contains(t, guide, "`GET`, `POST` `/rpc/search_project`\n\n"+
		"| parameter | type | |\n|---|---|---|\n| `project` | uuid | required |")
	require.NotContains(t, guide, "hidden")
	require.NotContains(t, guide, "secret |")
	require.NotRegexp(t, regexp.MustCompile(`(?m)^## secret$`), guide, "it is for signed-in users")

	e.Exec(t, `comment on table odd is 'Much changed'`)
	require.Equal(t, guide, read(), "it is made once")
	require.NoError(t, e.handler.Reload(t.Context()))
	require.Contains(t, read(), "Much changed")
}
