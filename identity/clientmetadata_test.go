package identity_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity"
)

// A documentServer serves the metadata document of an app by https, with a certificate authority of its own.
type documentServer struct {
	*httptest.Server
	fetches atomic.Int32
	closing chan struct{} // for handlers that do not answer
}

// serveDocuments starts a server, and returns the configuration with which its address, though private, is
// allowed. If handle is nil, each path has a document about itself.
func serveDocuments(t *testing.T, handle http.HandlerFunc) (*documentServer, func(*identity.Config)) {
	t.Helper()
	s := &documentServer{closing: make(chan struct{})}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		if handle == nil {
			s.write(w, r, nil)
			return
		}
		handle(w, r)
	}))
	t.Cleanup(func() {
		close(s.closing)
		s.Close()
	})
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, func(c *identity.Config) {
		c.ClientDocuments.Roots = roots
		c.ClientDocuments.Hosts = []string{strings.TrimPrefix(s.URL, "https://")}
	}
}

// write writes the document of the request's path, with other values for some fields.
func (s *documentServer) write(w http.ResponseWriter, r *http.Request, other map[string]any) {
	document := map[string]any{
		"client_id": s.URL + r.URL.RequestURI(), "client_name": "App",
		"redirect_uris": []string{"https://app.example/cb", "http://localhost/cb"},
		"scope":         "research:read",
	}
	for field, value := range other {
		document[field] = value
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	_ = json.NewEncoder(w).Encode(document)
}

// requireRejected requires that a metadata document is rejected, and returns the reason.
func (f *fixture) requireRejected(t testing.TB, clientID string) string {
	t.Helper()
	_, err := f.OAuthClient(t.Context(), client, clientID)
	var wrong *identity.ClientMetadataError
	require.ErrorAs(t, err, &wrong, clientID)
	return wrong.Reason
}

func TestMetadataDocuments(t *testing.T) {
	t.Parallel()

	t.Run("describe a client, which is stored", func(t *testing.T) {
		t.Parallel()
		server, allowed := serveDocuments(t, nil)
		f := setup(t, allowed)
		address := server.URL + "/oauth/client.json?v=1"
		found, err := f.OAuthClient(t.Context(), client, address)
		require.NoError(t, err)
		require.Equal(t, address, found.ID())
		require.Equal(t, identity.ClientMetadataDocument, found.RegistrationType)
		require.Equal(t, identity.AuthMethodNone, found.TokenEndpointAuthMethod)
		require.Equal(t, "App", found.ClientName)
		require.Equal(t, strings.TrimPrefix(server.URL, "https://"), found.Host("elsewhere.example"))
		require.True(t, found.AllowsRedirect("http://localhost:49152/cb"))

		server.Close()
		f.clock.advance(48 * time.Hour)
		stored, err := f.AuthenticateOAuthClient(t.Context(), identity.ClientCredentials{
			ID: address, Method: identity.AuthMethodNone,
		})
		require.NoError(t, err, "the token endpoint needs no document")
		require.Equal(t, found.AuthOauthClient.ID, stored.AuthOauthClient.ID)
		require.EqualValues(t, 1, server.fetches.Load())
		require.Equal(t, 1, f.audited(t, "oauth_client_registered"))
		_, err = f.UpdateOAuthClient(t.Context(), client, stored.AuthOauthClient.ID, identity.ClientChange{})
		require.ErrorContains(t, err, "metadata document")
	})

	t.Run("are kept as long as their server says, within bounds", func(t *testing.T) {
		t.Parallel()
		for header, want := range map[string]time.Duration{
			"": time.Minute, "no-store": time.Minute, "max-age=1": time.Minute, "max-age=x": time.Minute,
			"public, max-age=600": 10 * time.Minute, "max-age=600, s-maxage=300": 5 * time.Minute,
			"max-age=99999999999999999999": 24 * time.Hour, "no-cache, max-age=600": time.Minute,
		} {
			var server *documentServer
			server, allowed := serveDocuments(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", header)
				server.write(w, r, nil)
			})
			f := setup(t, allowed)
			ask := func() {
				_, err := f.OAuthClient(t.Context(), client, server.URL+"/client.json")
				require.NoError(t, err)
			}
			ask()
			f.clock.advance(want - time.Second)
			ask()
			require.EqualValues(t, 1, server.fetches.Load(), header)
			f.clock.advance(time.Second)
			ask()
			require.EqualValues(t, 2, server.fetches.Load(), header)
		}
	})

	t.Run("change the stored client when they change", func(t *testing.T) {
		t.Parallel()
		var name atomic.Value
		name.Store("First")
		var server *documentServer
		server, allowed := serveDocuments(t, func(w http.ResponseWriter, r *http.Request) {
			server.write(w, r, map[string]any{"client_name": name.Load(), "redirect_uris": []string{
				"https://" + strings.ToLower(name.Load().(string)) + ".example/cb",
			}})
		})
		f := setup(t, allowed)
		first, err := f.OAuthClient(t.Context(), client, server.URL+"/client.json")
		require.NoError(t, err)
		name.Store("Second")
		f.clock.advance(time.Minute)
		second, err := f.OAuthClient(t.Context(), client, server.URL+"/client.json")
		require.NoError(t, err)
		require.Equal(t, first.AuthOauthClient.ID, second.AuthOauthClient.ID)
		require.Equal(t, "Second", second.ClientName)
		require.False(t, second.AllowsRedirect("https://first.example/cb"))
		require.True(t, second.AllowsRedirect("https://second.example/cb"))

		require.NoError(t, f.DeleteOAuthClient(t.Context(), client, first.AuthOauthClient.ID))
		again, err := f.OAuthClient(t.Context(), client, server.URL+"/client.json")
		require.NoError(t, err, "the cache does not keep a deleted client")
		require.NotEqual(t, first.AuthOauthClient.ID, again.AuthOauthClient.ID)
	})

	t.Run("are fetched once for concurrent requests", func(t *testing.T) {
		t.Parallel()
		arrived, release := make(chan struct{}, 100), make(chan struct{})
		var server *documentServer
		server, allowed := serveDocuments(t, func(w http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-release
			server.write(w, r, nil)
		})
		f := setup(t, allowed, func(c *identity.Config) { c.ClientDocuments.Timeout = time.Minute })
		// The request that began the fetch ends before the others.
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := f.OAuthClient(ctx, client, server.URL+"/client.json")
			left <- err
		}()
		<-arrived
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		var asking sync.WaitGroup
		errs := make(chan error, 10)
		for range 10 {
			asking.Go(func() {
				_, err := f.OAuthClient(t.Context(), client, server.URL+"/client.json")
				errs <- err
			})
		}
		close(release)
		asking.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		require.EqualValues(t, 1, server.fetches.Load())
	})

	t.Run("of apps that are not known yet are limited for a network", func(t *testing.T) {
		t.Parallel()
		server, allowed := serveDocuments(t, nil)
		f := setup(t, allowed, func(c *identity.Config) { c.Limits.AddressClients = 2 })
		ask := func(requester identity.Client, path string) error {
			_, err := f.OAuthClient(t.Context(), requester, server.URL+path)
			return err
		}
		require.NoError(t, ask(client, "/1"))
		require.NoError(t, ask(client, "/2"))
		require.ErrorIs(t, ask(client, "/3"), identity.ErrTooManyClients)
		require.NoError(t, ask(identity.Client{Address: "198.51.100.1"}, "/3"))
		require.NoError(t, ask(client, "/3"), "somebody else has introduced it")
		f.clock.advance(2 * time.Minute)
		for _, path := range []string{"/1", "/2", "/3"} {
			require.NoError(t, ask(client, path), "a known app")
		}
		require.EqualValues(t, 6, server.fetches.Load())
	})
}

func TestMetadataDocumentsThatAreRejected(t *testing.T) {
	t.Parallel()

	t.Run("at addresses that are no client ids", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		for _, address := range []string{
			"https://app.example", "https://app.example/", "https://app.example//", "https:///client.json",
			"https://ada@app.example/client.json", "https://ada:pw@app.example/client.json",
			"https://app.example/client.json#x", "https://app.example/a/../client.json",
			"https://app.example/./client.json", "https://app.example/a/%2e%2E/client.json",
			`https://app.example/..\client.json`, "https://app.example/client json", "https://app.example/\x00",
			"https://app.example/" + strings.Repeat("x", 2000), "https://app.example:x/client.json",
			"https://äpp.example/client.json", "https://cl%D0%B0ude.ai/client.json", "https://x%E2%80%AE.example/c",
			"https://[fe80::1%25eth0]/client.json",
		} {
			f.requireRejected(t, address)
		}
	})

	t.Run("at addresses that are not public", func(t *testing.T) {
		t.Parallel()
		server, _ := serveDocuments(t, nil)
		_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "https://"), ":")
		f := setup(t)
		for _, host := range []string{
			"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1", "192.168.0.1",
			"0.0.0.0", "[fd00:ec2::254]", "100.100.100.200",
		} {
			require.Contains(t, f.requireRejected(t, "https://"+host+":"+port+"/client.json"), "private address", host)
		}
		require.Zero(t, server.fetches.Load())
	})

	t.Run("at hosts that OAUTH_CLIENT_HOSTS does not have", func(t *testing.T) {
		t.Parallel()
		server, _ := serveDocuments(t, nil)
		f := setup(t, func(c *identity.Config) { c.ClientDocuments.Hosts = []string{"claude.ai", "127.0.0.1:1"} })
		require.Contains(t, f.requireRejected(t, server.URL+"/client.json"), "OAUTH_CLIENT_HOSTS")
		require.Contains(t, f.requireRejected(t, "https://claude.ai.example/client.json"), "OAUTH_CLIENT_HOSTS")
		require.Zero(t, server.fetches.Load())
	})

	var elsewhere *documentServer
	elsewhere, _ = serveDocuments(t, nil)
	for name, tt := range map[string]struct {
		handle func(*documentServer, http.ResponseWriter, *http.Request)
		want   string
	}{
		"that are elsewhere": {func(_ *documentServer, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/client.json", http.StatusFound)
		}, "is a redirect"},
		"that redirect": {func(_ *documentServer, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other.json", http.StatusMovedPermanently)
		}, "is a redirect"},
		"that are not found": {func(_ *documentServer, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
		}, "status 404"},
		"that are pages": {func(s *documentServer, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			s.write(w, r, nil)
		}, "content type"},
		"that are larger than 64 KB": {func(s *documentServer, w http.ResponseWriter, r *http.Request) {
			s.write(w, r, map[string]any{"padding": strings.Repeat("x", 64<<10)})
		}, "larger than 64 KB"},
		"that have 10 MB": {func(_ *documentServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.Copy(w, io.LimitReader(endless{}, 10<<20))
		}, "larger than 64 KB"},
		"that do not arrive": {func(s *documentServer, _ http.ResponseWriter, _ *http.Request) {
			<-s.closing
		}, "in time"},
		"that arrive in drops": {func(s *documentServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()
			<-s.closing
		}, "in time"},
		"that are no JSON": {func(_ *documentServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{")
		}, "not JSON"},
		"that are a list": {func(_ *documentServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "[]")
		}, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireDocumentRejected(t, tt.handle, tt.want)
		})
	}
	for name, tt := range map[string]struct {
		field string
		value any
		want  string
	}{
		"of another client":         {"client_id", "https://claude.ai/oauth/client.json", "not its URL"},
		"without an id":             {"client_id", nil, "not its URL"},
		"with a secret":             {"client_secret", "x", "secret"},
		"with a method of secrets":  {"token_endpoint_auth_method", "client_secret_basic", "secret"},
		"with a signed secret":      {"token_endpoint_auth_method", "client_secret_jwt", "secret"},
		"with a script":             {"redirect_uris", []string{"javascript:alert(1)"}, "redirect_uris[0]"},
		"with plain http elsewhere": {"redirect_uris", []string{"http://a.example"}, "redirect_uris[0]"},
		"without redirect URIs":     {"redirect_uris", []string{}, "at least one"},
		"with another type":         {"redirect_uris", "https://a.example", "not JSON"},
		"with a long name":          {"client_name", strings.Repeat("x", 201), "client_name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireDocumentRejected(t, func(s *documentServer, w http.ResponseWriter, r *http.Request) {
				s.write(w, r, map[string]any{tt.field: tt.value})
			}, tt.want)
		})
	}
}

// requireDocumentRejected requires that a document is rejected for a reason, and that the failure is kept for
// a minute and nothing is stored.
func requireDocumentRejected(
	t *testing.T, handle func(*documentServer, http.ResponseWriter, *http.Request), want string,
) {
	t.Helper()
	var server *documentServer
	server, allowed := serveDocuments(t, func(w http.ResponseWriter, r *http.Request) { handle(server, w, r) })
	f := setup(t, allowed, func(c *identity.Config) {
		if want == "in time" {
			c.ClientDocuments.Timeout = 100 * time.Millisecond
		} else {
			c.ClientDocuments.Timeout = time.Minute
		}
	})
	for range 2 {
		require.Contains(t, f.requireRejected(t, server.URL+"/client.json"), want)
	}
	require.EqualValues(t, 1, server.fetches.Load())
	f.clock.advance(time.Minute)
	f.requireRejected(t, server.URL+"/client.json")
	require.EqualValues(t, 2, server.fetches.Load())
	page, err := f.ListOAuthClients(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Empty(t, page.Clients)
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
