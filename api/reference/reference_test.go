package reference_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"research/api/reference"
	"research/docs"
)

// newSite returns what gets a path as a client that accepts a type.
func newSite(t *testing.T) (get func(path, accept string) *httptest.ResponseRecorder) {
	t.Helper()
	routes, err := reference.New()
	require.NoError(t, err)
	router := chi.NewRouter()
	routes.Mount(router, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("# Tables")) },
		func(h http.Handler) http.Handler { return h })
	return func(path, accept string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Accept", accept)
		router.ServeHTTP(w, r)
		return w
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	get := func(path string) *httptest.ResponseRecorder { return newSite(t)(path, "*/*") }
	page := get("/docs")
	require.Equal(t, http.StatusOK, page.Code)
	require.NotContains(t, page.Header().Get("Content-Security-Policy"), "unsafe")
	linked := regexp.MustCompile(`(?:src|href)="(/docs/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	require.NotEmpty(t, linked)
	for _, link := range linked {
		require.Equal(t, http.StatusOK, get(link[1]).Code, link[1])
	}
	require.Equal(t, "application/json; charset=utf-8", get("/api/openapi.json").Header().Get("Content-Type"))
}

const acceptOfBrowsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestGuides(t *testing.T) {
	t.Parallel()
	get := newSite(t)
	page := get("/docs", acceptOfBrowsers).Body.String()
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	for _, name := range append(guides(t), "tables.md") {
		address := "/docs/" + name
		require.Contains(t, page, `href="`+address+`"`, "the page links to every guide")
		require.Equal(t, page, get(address, acceptOfBrowsers).Body.String())
		markdown := get(address, "*/*")
		require.Equal(t, "Accept", markdown.Header().Get("Vary"))
		require.Regexp(t, "^# ", markdown.Body.String())
		if path.Dir(name) != "quickstart" {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(markdown.Body.String(), -1) {
			require.Equal(t, http.StatusOK, get(path.Join("/docs/quickstart", found[1]), "*/*").Code, found[1])
		}
	}
}

// guides are the names of the guides in Markdown.
func guides(t *testing.T) (names []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(docs.Guides, ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	}))
	require.NotEmpty(t, names)
	return names
}
