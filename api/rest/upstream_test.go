package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

// A PostgREST is played by a server that tells what it was asked.
func TestUpstream(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "https://elsewhere.example")
		w.Header().Set("Content-Range", "0-0/*")
		w.Header().Set("Location", "/books?id=eq.1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.Join([]string{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("apikey"), r.Header.Get("Prefer"), r.Header.Get("X-Forwarded-For"), string(body)}, "|"))
	}))
	t.Cleanup(upstream.Close)
	e := begin(t, func(cfg *rest.Config, _ *dbtest.DB) {
		cfg.Upstream, cfg.MaxBodyBytes = upstream.URL+"/base", 1000
	})
	user := e.as(t, e.Owner)

	a := user.do(http.MethodPost, "/books?select=a%20b&x=eq.1;y", `{"a":1}`, "Prefer", "return=minimal")
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "POST|/base/books?select=a%20b&x=eq.1;y|Bearer "+user.bearer+"||return=minimal|127.0.0.1|{\"a\":1}", a.body, "it goes on as it came, without the API key")
	require.Equal(t, "0-0/*", a.header.Get("Content-Range"))
	require.Equal(t, "/rest/v1/books?id=eq.1", a.header.Get("Location"))
	require.Empty(t, a.header.Get("Access-Control-Allow-Origin"), "whom browsers may trust is said by us")

	require.Equal(t, "GET|/base/books||||127.0.0.1|", (&caller{e, anonKey, t}).get("/books").body, "the public key is no token")
	require.Equal(t, http.StatusForbidden, e.asService(t).get("/books").status)

	t.Run("our checks come first", func(t *testing.T) {
		require.Equal(t, http.StatusUnauthorized, (&caller{e, "a.b.c", t}).get("/books").status)
		require.Equal(t, "21000", user.do(http.MethodDelete, "/books", "").code())
		require.Equal(t, "21000", user.do(http.MethodPatch, "/books?select=id", `{}`).code())
		require.Equal(t, http.StatusOK, user.do(http.MethodDelete, "/books?id=eq.1", "").status)
		require.Equal(t, http.StatusRequestEntityTooLarge, user.do(http.MethodPost, "/books", strings.Repeat("x", 1001)).status)
	})

	t.Run("nothing leads beside its address", func(t *testing.T) {
		for _, path := range []string{"/../admin", "/books/../../admin", "/..%2fadmin", "/%2e%2e/admin"} {
			require.Equal(t, http.StatusNotFound, user.get(path).status, path)
		}
	})

	t.Run("readiness is the upstream's", func(t *testing.T) {
		require.NoError(t, e.handler.Ready(t.Context()))
		status = http.StatusServiceUnavailable
		require.Error(t, e.handler.Ready(t.Context()))
		upstream.Close()
		require.Error(t, e.handler.Ready(t.Context()))
		a := user.get("/books")
		require.Equal(t, http.StatusServiceUnavailable, a.status)
		require.Equal(t, "PGRST001", a.code())
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.NotContains(t, a.body, "127.0.0.1")
	})
}

func TestUpstreamAddress(t *testing.T) {
	t.Parallel()
	e := begin(t)
	_, err := rest.New(t.Context(), rest.Config{Schemas: []string{"public"}, Upstream: "no address"}, rest.Deps{Store: e.store, Log: discard})
	require.Error(t, err)
}
