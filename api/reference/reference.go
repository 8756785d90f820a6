package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"

	"research/api/static"
	"research/docs"
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

// Routes are the document, the page and the guides, by path.
type Routes map[string]http.HandlerFunc

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
		"/api/openapi.json": serve(static.New("application/json; charset=utf-8", document)),
		"/docs":             serve(static.New("text/html; charset=utf-8", html)),
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
		routes["/docs/"+address] = serve(file)
	}
	return routes, routes.addGuides()
}

// addGuides adds the guides, and the programs that they link to.
func (routes Routes) addGuides() error {
	return fs.WalkDir(docs.Guides, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := docs.Guides.ReadFile(name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			routes["/docs/"+name] = routes.guide(serve(static.New("text/markdown; charset=utf-8", content)))
		} else {
			routes["/docs/"+name] = serve(static.New("text/plain; charset=utf-8", content))
		}
		return nil
	})
}

// guide answers browsers with the page, which asks again for the Markdown and shows it, and others with the
// Markdown.
func (routes Routes) guide(markdown http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			routes["/docs"](w, r)
		} else {
			markdown(w, r)
		}
	}
}

// Mount adds the routes to a router, and the guide to the tables of the data API, which the data API writes.
// Their handlers answer GET and HEAD; readOnly rejects other methods.
func (routes Routes) Mount(
	r chi.Router, tables http.HandlerFunc, readOnly func(http.Handler) http.Handler,
) {
	r.Handle("/docs/tables.md", readOnly(routes.guide(tables)))
	for address, file := range routes {
		r.Handle(address, readOnly(file))
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
