package reference_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"research/api/reference"
)

func TestPage(t *testing.T) {
	t.Parallel()
	routes, err := reference.New()
	require.NoError(t, err)
	router := chi.NewRouter()
	routes.Mount(router, func(h http.Handler) http.Handler { return h })
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
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
