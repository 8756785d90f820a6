// Package web serves the page at /: embedded files, a client of the public APIs alone, with no private door.
//
// What it answers is the page's shell at every address the page knows, the files under /assets/<version>/ and /config.json, which tells the
// page the public key that every client shows. The version is a digest of all files, so that they can be cached for good, and a new
// release is a new address. Nothing is loaded from elsewhere, and the content security policy lets nothing be.
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

// Config is what the page has to be told.
type Config struct {
	AnonKey string // ANON_KEY, required: public, every client shows it
}

// policy allows the page's own files and its own origin's APIs. Scripts may not make HTML of text: browsers that know Trusted Types refuse it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// later are the modules that the page imports when its first view stands, and what these need beyond it.
var later = []string{"bytes.js", "export.js", "views/export.js", "views/import.js", "views/settings.js", "views/transcript.js", "views/workspace.js", "virtual.js"}

// sections are the first parts of the addresses that the page knows.
var sections = []string{"", "imports", "projects", "settings", "workspaces"}

// A file is ready to be sent.
type file struct {
	contentType string
	etag        string
	plain, zip  []byte // zip is nil where compressing does not help
}

type server struct {
	version string
	assets  map[string]file
	shell   file
	config  file
}

// New makes the page's handler. It fails on a missing key, and on an asset whose type is unknown.
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

// link gives the shell's addresses the version, and names the first view's modules, so that browsers load them at once and not one after the other.
func (s *server) link(shell []byte) []byte {
	var preload strings.Builder
	for _, name := range s.names() {
		if strings.HasSuffix(name, ".js") && !slices.Contains(later, name) {
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

// digest is of all names and contents.
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

// typeOf does not ask the machine, whose tables differ.
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

// ServeHTTP answers GET and HEAD.
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
		if ext := path.Ext(name); ext == ".js" || ext == ".css" { // shown as a page they are mere text: half the bytes of a small module would be these
			for _, header := range []string{"Content-Security-Policy", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy"} {
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
		// The page says in its own words that nothing is here.
		h.Set("Cache-Control", "no-store")
		s.shell.send(w, r, http.StatusNotFound)
	}
}

// send writes the file, compressed where the client can read that, or only says that the client's copy is still right.
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
		_, _ = w.Write(body) // the client may be gone
	}
}

// matches reads If-None-Match (RFC 9110 §13.1.2): a list of tags, weak ones included, or *.
func matches(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding (RFC 9110 §12.5.3); a weight of zero is a refusal.
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, params, err := mime.ParseMediaType("x/" + strings.TrimSpace(one)) // a coding has the grammar of a subtype
		if err != nil || name != "x/gzip" {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		return params["q"] == "" || (err == nil && weight > 0)
	}
	return false
}
