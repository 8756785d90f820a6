// Package web serves the page at /. The page is a client of the public APIs like any other.
//
// It serves index.html at every address of the page, the files under /assets/<version>/, and /config.json,
// which contains the public API key, whether there is a model, and the address for assistants. The version is
// a hash of all files, so that browsers can cache them for ever. The page loads nothing from other servers,
// and the content security policy forbids it.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"research/api/static"
)

//go:embed assets
var embedded embed.FS

// Config is the configuration of the page.
type Config struct {
	AnonKey   string // ANON_KEY, required; the public API key that every client sends
	UsesModel bool   // parses are read by a language model, not by keyword matching
	MCP       string // the address that assistants connect to; "" if they cannot
}

// policy is the content security policy. It allows the files and APIs of the own origin. With Trusted Types,
// browsers do not let scripts turn text into HTML. A recording is played from a file of the user, whose
// address begins with blob:.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; " +
	"media-src blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// first lists the folders whose modules the first view imports. The page imports those of other folders
// later.
var first = []string{".", "client", "page", "vendor", "views/frame", "views/hypotheses"}

// later lists the modules of these folders that only other views import.
var later = []string{"client/themes.js"}

// sections lists the first segments of the addresses of the page.
var sections = []string{"", "imports", "projects", "settings", "workspaces"}

type server struct {
	version string
	assets  map[string]static.File
	shell   static.File
	config  static.File
}

// New returns the handler of the page. It fails if the key is missing or the type of an asset is unknown.
func New(c Config) (http.Handler, error) {
	if c.AnonKey == "" {
		return nil, errors.New("web: the anon key is missing")
	}
	config, err := json.Marshal(map[string]any{
		"anonKey": c.AnonKey, "usesModel": c.UsesModel, "mcp": c.MCP,
	})
	if err != nil {
		return nil, err
	}
	s := &server{assets: map[string]static.File{}, config: static.New("application/json; charset=utf-8", config)}
	contents := map[string][]byte{}
	err = fs.WalkDir(embedded, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".d.ts") { // the types are for checking only
			return err
		}
		contents[strings.TrimPrefix(name, "assets/")], err = embedded.ReadFile(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.version = digest(contents)
	shell := contents["index.html"]
	delete(contents, "index.html")
	for name, content := range contents {
		contentType := typeOf(name)
		if contentType == "" {
			return nil, fmt.Errorf("web: no content type for %s", name)
		}
		s.assets[name] = static.New(contentType, content)
	}
	s.shell = static.New("text/html; charset=utf-8", s.link(shell))
	return s, nil
}

// link adds the version to the addresses in index.html, and links the modules of the first view, so that
// browsers load them in parallel.
func (s *server) link(shell []byte) []byte {
	var preload strings.Builder
	for _, name := range s.names() {
		if path.Ext(name) == ".js" && slices.Contains(first, path.Dir(name)) &&
			!slices.Contains(later, name) {
			fmt.Fprintf(&preload, "<link rel=\"modulepreload\" href=\"/assets/%s\">\n", name)
		}
	}
	shell = bytes.Replace(shell, []byte("<!-- modules -->\n"), []byte(preload.String()), 1)
	return bytes.ReplaceAll(shell, []byte(`"/assets/`), []byte(`"/assets/`+s.version+`/`))
}

func (s *server) names() []string {
	names := make([]string, 0, len(s.assets))
	for name := range s.assets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// digest returns a hash of all names and contents.
func digest(contents map[string][]byte) string {
	names := make([]string, 0, len(contents))
	for name := range contents {
		names = append(names, name)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n", name, len(contents[name]))
		sum.Write(contents[name])
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}

// typeOf returns the content type of a file. It does not use package mime, whose types depend on the machine.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	default:
		return ""
	}
}

// documentHeaders lists the headers that are omitted for scripts, style sheets and fonts.
var documentHeaders = []string{
	"Content-Security-Policy", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy",
	"Permissions-Policy",
}

// ServeHTTP handles requests with the methods GET and HEAD, and gets no others.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case first == "assets":
		version, name, _ := strings.Cut(rest, "/")
		asset, ok := s.assets[name]
		if !ok || version != s.version {
			h.Set("Cache-Control", "no-store")
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		if ext := path.Ext(name); ext == ".js" || ext == ".css" || ext == ".woff2" {
			// These headers matter for documents only, and would double the size of a small module.
			for _, header := range documentHeaders {
				h.Del(header)
			}
		}
		asset.Send(w, r, http.StatusOK)
	case r.URL.Path == "/shared", r.URL.Path == "/oauth/consent":
		// The findings that a link shows, by a token in the fragment, and the question whether an app gets access.
		// Apps open that in a window of theirs, and go on in it: a policy for openers would separate the two
		// (docs/decisions/0424-consent-names-where-the-answer-goes.md).
		if first == "oauth" {
			h.Del("Cross-Origin-Opener-Policy")
		}
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		s.shell.Send(w, r, http.StatusOK)
	case r.URL.Path == "/config.json":
		h.Set("Cache-Control", "no-cache")
		s.config.Send(w, r, http.StatusOK)
	case slices.Contains(sections, first) && !strings.HasPrefix(r.URL.Path, "//"):
		h.Set("Cache-Control", "no-cache")
		s.shell.Send(w, r, http.StatusOK)
	default:
		// The page itself reports that the address does not exist.
		h.Set("Cache-Control", "no-store")
		s.shell.Send(w, r, http.StatusNotFound)
	}
}
