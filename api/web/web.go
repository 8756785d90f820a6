// Package web serves the page at /. The page is a client of the public APIs like any other.
//
// The package serves index.html at every address of the page, the files under /assets/<version>/, and
// /config.json, which contains the public API key. The version is a hash of all files, so that browsers can
// cache them for ever. The page loads nothing from other servers, and the content security policy forbids it.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed assets
var embedded embed.FS

// Config is the configuration of the page.
type Config struct {
	AnonKey string // ANON_KEY, required; the public API key that every client sends
}

// policy is the content security policy. It allows the files and APIs of the own origin. With Trusted Types,
// browsers do not let scripts turn text into HTML.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// lazy lists the modules that the page imports after its first view has loaded.
var lazy = []string{
	"bytes.js", "export.js", "views/export.js", "views/import.js", "views/settings.js", "views/transcript.js",
	"views/workspace.js", "virtual.js",
}

// sections lists the first segments of the addresses of the page.
var sections = []string{"", "imports", "projects", "settings", "workspaces"}

// A file is a response, plain and compressed.
type file struct {
	contentType string
	etag        string
	plain, zip  []byte // zip is nil if it would not be smaller
}

type server struct {
	version string
	assets  map[string]file
	shell   file
	config  file
}

// New returns the handler of the page. It fails if the key is missing or the type of an asset is unknown.
func New(c Config) (http.Handler, error) {
	if c.AnonKey == "" {
		return nil, errors.New("web: the anon key is missing")
	}
	config, err := json.Marshal(map[string]string{"anonKey": c.AnonKey})
	if err != nil {
		return nil, err
	}
	s := &server{assets: map[string]file{}, config: newFile("application/json; charset=utf-8", config)}
	contents := map[string][]byte{}
	err = fs.WalkDir(embedded, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
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
		s.assets[name] = newFile(contentType, content)
	}
	s.shell = newFile("text/html; charset=utf-8", s.link(shell))
	return s, nil
}

// link adds the version to the addresses in index.html, and links the modules of the first view, so that
// browsers load them in parallel.
func (s *server) link(shell []byte) []byte {
	var preload strings.Builder
	for _, name := range s.names() {
		if strings.HasSuffix(name, ".js") && !slices.Contains(lazy, name) {
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
	default:
		return ""
	}
}

func newFile(contentType string, content []byte) file {
	sum := sha256.Sum256(content)
	f := file{contentType: contentType, etag: base64.RawURLEncoding.EncodeToString(sum[:12]), plain: content}
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil && zipped.Len() < len(content) {
		f.zip = zipped.Bytes()
	}
	return f
}

// documentHeaders lists the headers that scripts and style sheets are sent without.
var documentHeaders = []string{
	"Content-Security-Policy", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy",
	"Permissions-Policy",
}

// ServeHTTP answers GET and HEAD requests.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
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
		if ext := path.Ext(name); ext == ".js" || ext == ".css" {
			// These headers only matter for documents, and would be half of the bytes of a small module.
			for _, header := range documentHeaders {
				h.Del(header)
			}
		}
		asset.send(w, r, http.StatusOK)
	case r.URL.Path == "/config.json":
		h.Set("Cache-Control", "no-cache")
		s.config.send(w, r, http.StatusOK)
	case slices.Contains(sections, first):
		h.Set("Cache-Control", "no-cache")
		s.shell.send(w, r, http.StatusOK)
	default:
		// The page itself says that nothing is here.
		h.Set("Cache-Control", "no-store")
		s.shell.send(w, r, http.StatusNotFound)
	}
}

// send writes the file, compressed if the client accepts that, or 304 if the client's copy is up to date.
func (f file) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	body, etag := f.plain, `"`+f.etag+`"`
	if f.zip != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = f.zip, `"`+f.etag+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", etag)
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client may have disconnected
	}
}

// matches reports whether If-None-Match (RFC 9110 §13.1.2) contains the tag, also as a weak one, or *.
func matches(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}

// acceptsGzip reports whether Accept-Encoding (RFC 9110 §12.5.3) allows gzip. A weight of zero forbids it.
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		// A coding has the syntax of a media subtype.
		name, params, err := mime.ParseMediaType("x/" + strings.TrimSpace(one))
		if err != nil || name != "x/gzip" {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		return params["q"] == "" || (err == nil && weight > 0)
	}
	return false
}
