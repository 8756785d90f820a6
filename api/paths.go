package api

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"research/api/mcp"
	"research/api/problem"
)

// reserved are the prefixes whose unknown paths the page never answers: programs would take its HTML for a
// response.
var reserved = []string{"/api", "/auth", "/rest", "/docs", "/.well-known"}

// notOffered are the parts of Supabase that do not exist here, with what to use instead.
var notOffered = map[string]string{
	"/realtime": "There is no Realtime API here. GET /api/events streams changes as server-sent events, and " +
		"webhooks deliver them.",
	"/storage": "There is no Storage API here. POST /api/import uploads transcripts.",
	"/functions": "There are no Edge Functions here. POST /rest/v1/rpc/<name> calls the functions of the " +
		"database.",
	"/graphql": "There is no GraphQL API here. GET /rest/v1/<table>?select=… reads rows with related rows " +
		"in one request.",
}

// absent responds that a part of Supabase is not offered. It is a 404 and not a 501, because clients repeat
// requests after a 5xx, and operators are alarmed by it.
func absent(sentence string) problem.Handler {
	return func(http.ResponseWriter, *http.Request) error {
		return &problem.Error{Status: http.StatusNotFound, Code: "not_offered", Message: sentence}
	}
}

// notFound answers the paths below a reserved prefix that no other route has.
func notFound(edge problem.Edge) http.Handler {
	r := chi.NewRouter()
	edge.Fallbacks(r)
	return r
}

// formatAny is the format of errors that belong to no edge. Below /api it is that of the API. Elsewhere the
// client is any of Supabase's, so that the body has the fields in which they look for a message.
func formatAny(w http.ResponseWriter, r *http.Request, e *problem.Error) any {
	if r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/") {
		return problem.FormatAPI(w, r, e)
	}
	body := struct {
		Error      string         `json:"error"`
		Message    string         `json:"message"`
		Code       string         `json:"code"` // PostgREST's
		Details    any            `json:"details"`
		Hint       any            `json:"hint"`
		ErrorCode  string         `json:"error_code"` // Supabase Auth's
		Msg        string         `json:"msg"`
		Status     int            `json:"status"` // of Supabase Storage's clients
		StatusCode string         `json:"statusCode"`
		Errors     []graphQLError `json:"errors,omitempty"` // GraphQL's
	}{
		Error: e.Code, Message: e.Message, Code: e.Code, Details: e.Details, ErrorCode: e.Code, Msg: e.Message,
		Status: e.Status, StatusCode: strconv.Itoa(e.Status),
	}
	if strings.HasPrefix(r.URL.Path, "/graphql") {
		body.Errors = []graphQLError{{e.Message}}
	}
	return body
}

type graphQLError struct {
	Message string `json:"message"`
}

var slashes = regexp.MustCompile(`//+`)

// cleanPath removes repeated slashes from the paths of the API, as Supabase's gateway does: a base URL may
// end with a slash. Below /api and /docs it removes a slash at the end as well. The page, and the paths of
// operators, are left as they are.
func cleanPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := cleaned(r.URL.Path); path != r.URL.Path {
			address := *r.URL
			address.Path, address.RawPath = path, cleaned(r.URL.RawPath)
			r = r.WithContext(r.Context()) // a copy
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}

// cleaned returns a path, or the escaped form of one, without the slashes that cleanPath removes.
func cleaned(path string) string {
	clean := slashes.ReplaceAllString(path, "/")
	first, _, _ := strings.Cut(strings.TrimPrefix(clean, "/"), "/")
	prefix := "/" + first
	if _, absent := notOffered[prefix]; !absent && prefix != mcp.Path && !slices.Contains(reserved, prefix) {
		return path
	}
	if prefix == "/api" || prefix == "/docs" {
		clean = strings.TrimSuffix(clean, "/")
	}
	return clean
}

// routedMethods routes HEAD requests to the handlers of GET: the server drops the bodies of their responses.
// Methods that the router does not know are routed like TRACE, which no route has, so that they are rejected
// by the same handlers.
func routedMethods(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodHead:
			chi.RouteContext(r.Context()).RouteMethod = http.MethodGet
		case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
			http.MethodOptions:
		default:
			chi.RouteContext(r.Context()).RouteMethod = http.MethodTrace
		}
		next.ServeHTTP(w, r)
	})
}

// plainBodies rejects compressed bodies. No edge decompresses one: a few KB can be gigabytes.
func plainBodies(edge problem.Edge) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			encoding := strings.TrimSpace(r.Header.Get("Content-Encoding"))
			if r.ContentLength == 0 || encoding == "" || strings.EqualFold(encoding, "identity") {
				next.ServeHTTP(w, r)
				return
			}
			edge.Write(w, r, &problem.Error{
				Status: http.StatusUnsupportedMediaType, Code: problem.CodeUnsupportedMedia,
				Message: "Compressed bodies are not accepted: send this one without Content-Encoding.",
				Header:  http.Header{"Accept-Encoding": {"identity"}},
			})
		})
	}
}
