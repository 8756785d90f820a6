package api

import (
	"net/http"

	"github.com/go-chi/cors"
)

// maxRequestHeaders bounds the names of headers that a preflight may ask for. Clients with tracing and their
// own headers ask for about twenty, in some hundred bytes.
const maxRequestHeaders = 8 << 10

// requestHeaders is where a browser lists the headers that a script wants to send.
const requestHeaders = "Access-Control-Request-Headers"

// crossOrigin allows browsers to use the API from any origin, with any request header. The API uses no
// cookies, so a list of origins or headers would protect nothing.
func crossOrigin(next http.Handler) http.Handler {
	handler := cors.Handler(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders: []string{"*"}, // reflects those that are asked for
		ExposedHeaders: []string{
			"Allow", "Content-Disposition", "Content-Encoding", "Content-Location", "Content-Range", "Date", "ETag",
			"Idempotent-Replayed", "Link", "Location", "Preference-Applied", "Proxy-Status", "Range-Unit",
			"Retry-After", "WWW-Authenticate", "X-Request-Id", "X-Rows-Cut", "X-Sb-Error-Code",
			"X-Supabase-Api-Version", "X-Total-Count",
		},
		MaxAge: 86400,
	})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header.Get(requestHeaders)) > maxRequestHeaders {
			r.Header.Del(requestHeaders) // the browser then rejects its own request
		}
		handler.ServeHTTP(w, r)
	})
}
