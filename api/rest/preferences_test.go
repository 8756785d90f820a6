package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	for path, allow := range map[string]string{
		"/books": "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE", "/rpc/add": "OPTIONS,GET,HEAD,POST",
		"/": "OPTIONS,GET,HEAD",
	} {
		a := e.asAnon(t).do(http.MethodOptions, path, "")
		require.Equal(t, http.StatusOK, a.status, path)
		require.Equal(t, allow, a.header.Get("Allow"), path)
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	added := user.get("/books?select=added&id=eq.1", "Prefer", "timezone=America/Los_Angeles")
	require.JSONEq(t, `[{"added":"2026-01-01T19:04:05-08:00"}]`, added.body)
	require.Equal(t, "timezone=America/Los_Angeles", added.header.Get("Preference-Applied"))
	require.JSONEq(t, `[{"added":"2026-01-02T03:04:05+00:00"}]`, user.get("/books?select=added&id=eq.1").body,
		"the time zone of another request is not kept")

	both := user.get("/books?select=id&id=eq.1", "Prefer", "count=exact, handling=strict")
	require.Equal(t, "count=exact, handling=strict", both.header.Get("Preference-Applied"))
	require.Equal(t, "PGRST122", user.get("/books", "Prefer", "handling=strict, foo=bar").code())
	require.Equal(t, http.StatusOK, user.get("/books", "Prefer", "foo=bar").status)
}
