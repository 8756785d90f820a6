package reference

import (
	"embed"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"

	"research/api/static"
)

//go:embed page
var page embed.FS

// policy is the content security policy of the page. It allows the files of the own origin, and images in
// style sheets. It has no Trusted Types: the viewer turns descriptions into HTML, after DOMPurify has removed
// scripts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes are the files of the page. Those of vendor are compressed.
var contentTypes = map[string]string{
	"docs.css":                       "text/css; charset=utf-8",
	"docs.js":                        "text/javascript; charset=utf-8",
	"vendor/LICENSE.txt":             "text/plain; charset=utf-8",
	"vendor/swagger-ui-bundle.js.gz": "text/javascript; charset=utf-8",
	"vendor/swagger-ui.css.gz":       "text/css; charset=utf-8",
}

// Routes are the document and the page, by path.
type Routes map[string]static.File

// New reads the files that are embedded.
func New() (Routes, error) {
	document, err := Document()
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	html, err := page.ReadFile("page/docs.html")
	if err != nil {
		return nil, err
	}
	routes := Routes{
		"/api/openapi.json": static.New("application/json; charset=utf-8", document),
		"/docs":             static.New("text/html; charset=utf-8", html),
	}
	for name, contentType := range contentTypes {
		content, err := page.ReadFile(path.Join("page", name))
		if err != nil {
			return nil, err
		}
		address, isCompressed := strings.CutSuffix(name, ".gz")
		file := static.New(contentType, content)
		if isCompressed {
			if file, err = static.Compressed(contentType, content); err != nil {
				return nil, fmt.Errorf("reference: %s: %w", name, err)
			}
		}
		routes["/docs/"+address] = file
	}
	return routes, nil
}

// Mount adds the routes to a router. Their handlers answer GET and HEAD; readOnly rejects other methods.
func (routes Routes) Mount(r chi.Router, readOnly func(http.Handler) http.Handler) {
	for address, file := range routes {
		r.Handle(address, readOnly(serve(file)))
	}
}

// serve sends a file. Browsers must revalidate their copy.
func serve(file static.File) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		file.Send(w, r, http.StatusOK)
	}
}
