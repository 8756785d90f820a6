package api_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// parameter matches a parameter of a route.
var parameter = regexp.MustCompile(`\{[^}]*\}|\*`)

// answersAnyway are the routes that change or answer something whatever the body is, which they do not read,
// with the reason.
var answersAnyway = map[string]string{
	"GET /docs/tables.md":  "the data API of newHandler has no schema",
	"HEAD /docs/tables.md": "the data API of newHandler has no schema",
}

// Every route that the router has ends soon, whatever the size of its body and query, and a method that
// changes something answers 4xx.
func TestRoutesEndForHostileInputs(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	tokens := tokentest.New(t, d.Store, token.KeysConfig{})
	handler := newHandlerOf(t, d, tokens)
	router, ok := handler.(chi.Routes)
	require.True(t, ok)
	long := strings.Repeat("a", 9<<20)
	bodies := map[string]string{
		"application/json":                  `{"email":"` + long + `"}`,
		"application/x-www-form-urlencoded": "token=" + long,
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	require.NoError(t, writer.WriteField("project_id", long))
	require.NoError(t, writer.Close())
	bodies[writer.FormDataContentType()] = form.String()
	bearer := "Bearer " + tokens.AccessToken(t, tenant.Owner)

	answered := map[string]bool{}
	require.NoError(t, chi.Walk(router, func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		route = strings.ReplaceAll(route, "/*/", "/")
		if strings.HasPrefix(route, "/rest/v1") { // package rest has a test of its own
			return nil
		}
		path := parameter.ReplaceAllString(route, uuid.NewString())
		for contentType, body := range bodies {
			r := httptest.NewRequestWithContext(t.Context(), method, path+"?q="+long[:200_000],
				strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			r.Header.Set("apikey", tokentest.AnonKey)
			if !strings.HasSuffix(route, "/events") { // streams do not end
				r.Header.Set("Authorization", bearer)
			}
			w := httptest.NewRecorder()
			start := time.Now()
			handler.ServeHTTP(w, r)
			require.Less(t, time.Since(start), 30*time.Second, "%s %s", method, route)
			isSafe := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
			if w.Code >= 500 || w.Code < 400 && !isSafe {
				assert.NotEmpty(t, answersAnyway[method+" "+route], "%s %s with %s: %d %.200s", method, route,
					contentType, w.Code, w.Body)
				answered[method+" "+route] = true
			}
		}
		return nil
	}))
	require.Len(t, answered, len(answersAnyway), "answersAnyway has routes that answer 4xx")
}
