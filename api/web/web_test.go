package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/web"
)

// maxFirstView limits the compressed bytes of the first view, with its fonts.
const maxFirstView = 150_000

func handler(t testing.TB) http.Handler {
	t.Helper()
	h, err := web.New(web.Config{AnonKey: "sb_publishable_test"})
	require.NoError(t, err)
	return h
}

// get sends a request. The header is pairs of names and values.
func get(t testing.TB, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPage(t *testing.T) {
	t.Parallel()
	h := handler(t)

	t.Run("requires and serves the public key", func(t *testing.T) {
		t.Parallel()
		_, err := web.New(web.Config{})
		require.Error(t, err)
		r := get(t, h, "/config.json")
		require.Equal(t, http.StatusOK, r.Code)
		require.JSONEq(t, `{"anonKey": "sb_publishable_test", "usesModel": false, "mcp": ""}`, r.Body.String())
		require.Equal(t, "no-cache", r.Header().Get("Cache-Control"))
	})

	t.Run("names the address for assistants", func(t *testing.T) {
		t.Parallel()
		connected, err := web.New(web.Config{AnonKey: "key", MCP: "https://research.example/mcp"})
		require.NoError(t, err)
		require.Contains(t, get(t, connected, "/config.json").Body.String(), `"mcp":"https://research.example/mcp"`)
	})

	t.Run("shows the question about an app in no frame, and leaves it the window that opened it",
		func(t *testing.T) {
			t.Parallel()
			r := get(t, h, "/oauth/consent?authorization_id=1")
			require.Equal(t, http.StatusOK, r.Code)
			require.Contains(t, r.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
			require.Equal(t, "DENY", r.Header().Get("X-Frame-Options"))
			require.Equal(t, "no-store", r.Header().Get("Cache-Control"))
			require.Equal(t, "no-referrer", r.Header().Get("Referrer-Policy"))
			require.Empty(t, r.Header().Get("Cross-Origin-Opener-Policy"))
			require.Equal(t, "same-origin", get(t, h, "/").Header().Get("Cross-Origin-Opener-Policy"))
		})

	t.Run("serves index.html at every known address, and with 404 at others", func(t *testing.T) {
		t.Parallel()
		for path, status := range map[string]int{
			"/": 200, "/projects/00000000-0000-4000-8000-000000000020/evidence": 200, "/imports/1": 200,
			"/workspaces/demo": 200, "/settings": 200, "/oauth/consent": 200,
			"/nothing": 404, "/oauth": 404, "/oauth/x": 404, "/api/nothing": 404, "/index.html": 404, "/assets": 404,
			"/assets/x/main.js": 404,
			"/assets/../web.go": 404,
		} {
			require.Equal(t, status, get(t, h, path).Code, path)
		}
	})

	t.Run("only allows its own files to run", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{
			"/", "/nothing", "/nothing.js", "/assets/nothing.js", "/config.json", asset(t, h, "icon.svg"),
		} {
			r := get(t, h, path)
			policy := r.Header().Get("Content-Security-Policy")
			for _, part := range []string{
				"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
				"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
			} {
				require.Contains(t, policy, part, path)
			}
			require.NotContains(t, policy, "unsafe", path)
			require.Equal(t, "nosniff", r.Header().Get("X-Content-Type-Options"), path)
		}
		shell := get(t, h, "/").Body.String()
		require.NotRegexp(t, `<script>|<script type="module">|<style|style=|onclick|https?://`, shell)
	})

	t.Run("answers HEAD without a body", func(t *testing.T) {
		t.Parallel()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/", nil))
		require.Equal(t, http.StatusOK, w.Code)
		require.Zero(t, w.Body.Len())
		require.NotEmpty(t, w.Header().Get("Content-Length"))
	})
}

// asset returns the address of a file in index.html.
func asset(t testing.TB, h http.Handler, name string) string {
	t.Helper()
	found := regexp.MustCompile(`"(/assets/[^"/]+/` + regexp.QuoteMeta(name) + `)"`).
		FindStringSubmatch(get(t, h, "/").Body.String())
	require.Len(t, found, 2, name)
	return found[1]
}

func TestCaching(t *testing.T) {
	t.Parallel()
	h := handler(t)

	t.Run("files are cached for ever at the address of their version", func(t *testing.T) {
		t.Parallel()
		r := get(t, h, asset(t, h, "main.js"))
		require.Equal(t, http.StatusOK, r.Code)
		require.Equal(t, "public, max-age=31536000, immutable", r.Header().Get("Cache-Control"))
		require.Equal(t, "text/javascript; charset=utf-8", r.Header().Get("Content-Type"))
	})

	t.Run("index.html is revalidated, and sent again if it changed", func(t *testing.T) {
		t.Parallel()
		first := get(t, h, "/")
		require.Equal(t, "no-cache", first.Header().Get("Cache-Control"))
		etag := first.Header().Get("ETag")
		for _, header := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
			r := get(t, h, "/", "If-None-Match", header)
			require.Equal(t, http.StatusNotModified, r.Code, header)
			require.Empty(t, r.Body.String())
		}
		require.Equal(t, http.StatusOK, get(t, h, "/", "If-None-Match", `"other"`).Code)
	})

	t.Run("clients that accept gzip get it", func(t *testing.T) {
		t.Parallel()
		plain := get(t, h, "/").Body.String()
		for header, zipped := range map[string]bool{
			"gzip": true, "br, gzip;q=0.8": true, "deflate, GZIP": true,
			"": false, "br": false, "gzip;q=0": false, "gzip; q=0.0": false, "xgzip": false,
		} {
			r := get(t, h, "/", "Accept-Encoding", header)
			require.Equal(t, "Accept-Encoding", r.Header().Get("Vary"))
			body := r.Body.String()
			if !zipped {
				require.Empty(t, r.Header().Get("Content-Encoding"), header)
				require.Equal(t, plain, body)
				continue
			}
			require.Equal(t, "gzip", r.Header().Get("Content-Encoding"), header)
			reader, err := gzip.NewReader(bytes.NewReader([]byte(body)))
			require.NoError(t, err)
			unzipped, err := io.ReadAll(reader)
			require.NoError(t, err)
			require.Equal(t, plain, string(unzipped))
			require.NotEqual(t, get(t, h, "/").Header().Get("ETag"), r.Header().Get("ETag"))
		}
	})
}

func TestFirstView(t *testing.T) {
	t.Parallel()
	h := handler(t)
	shell := get(t, h, "/").Body.String()
	total := 0
	linked := regexp.MustCompile(`/assets/[^"]+`).FindAllString(shell, -1)
	// The style sheets name the other fonts. Browsers only load those of letters in the text.
	linked = append(linked, strings.Replace(asset(t, h, "fonts/inter.woff2"), "inter", "source-serif", 1))
	for _, path := range append([]string{"/", "/config.json"}, linked...) {
		r := get(t, h, path, "Accept-Encoding", "gzip")
		require.Equal(t, http.StatusOK, r.Code, path)
		total += len(r.Body.String())
	}
	t.Logf("first view: %d bytes compressed", total)
	require.Less(t, total, maxFirstView)
}

// index.html preloads exactly the modules of the first view. Every module is imported by another.
func TestModules(t *testing.T) {
	t.Parallel()
	h := handler(t)
	shell := get(t, h, "/").Body.String()
	named := map[string]bool{}
	for _, one := range regexp.MustCompile(`modulepreload" href="([^"]+)"`).FindAllStringSubmatch(shell, -1) {
		named[one[1]] = true
	}
	root := strings.TrimSuffix(asset(t, h, "main.js"), "main.js")
	static := regexp.MustCompile(`(?:from\s*|import\s+)['"](\.[^'"]+)['"]`)
	dynamic := regexp.MustCompile(`import\(['"](\.[^'"]+)['"]\)`)
	first, all := map[string]bool{}, map[string]bool{}
	var walk func(name string, seen map[string]bool, patterns ...*regexp.Regexp)
	walk = func(name string, seen map[string]bool, patterns ...*regexp.Regexp) {
		if seen[name] {
			return
		}
		seen[name] = true
		r := get(t, h, name)
		code := r.Body.String()
		require.Equal(t, http.StatusOK, r.Code, name)
		require.NotContains(t, code, "innerHTML =", name)
		for _, pattern := range patterns {
			for _, target := range pattern.FindAllStringSubmatch(code, -1) {
				walk(resolve(name, target[1]), seen, patterns...)
			}
		}
	}
	walk(root+"main.js", first, static)
	walk(root+"main.js", all, static, dynamic)
	require.Equal(t, first, named)
	require.Greater(t, len(all), len(first))
	for name := range modules(t) {
		require.True(t, all[root+name], name)
	}
}

func resolve(from, target string) string {
	dir := from[:strings.LastIndex(from, "/")]
	for {
		switch {
		case strings.HasPrefix(target, "./"):
			target = target[2:]
		case strings.HasPrefix(target, "../"):
			target, dir = target[3:], dir[:strings.LastIndex(dir, "/")]
		default:
			return dir + "/" + target
		}
	}
}
