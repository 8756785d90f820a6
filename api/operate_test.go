package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetricsWithoutATokenAreForThisMachine(t *testing.T) {
	t.Parallel()
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for name, c := range map[string]struct {
		token, peer, host, header, value string
		status                           int
	}{
		"by an address":                       {peer: "127.0.0.1:4000", host: "127.0.0.1:8080", status: 200},
		"by IPv6":                             {peer: "[::1]:4000", host: "[::1]:8080", status: 200},
		"by IPv6, at the usual port":          {peer: "[::1]:4000", host: "[::1]", status: 200},
		"IPv4 through a socket of IPv6":       {peer: "[::ffff:127.0.0.1]:4000", host: "127.0.0.1", status: 200},
		"by localhost":                        {peer: "127.0.0.1:4000", host: "LocalHost:8080", status: 200},
		"a name that leads here by rebinding": {peer: "127.0.0.1:4000", host: "rebound.example.com:8080", status: 401},
		"a name that begins like an address":  {peer: "127.0.0.1:4000", host: "127.0.0.1.example.com", status: 401},
		"a name that ends like ours":          {peer: "127.0.0.1:4000", host: "not.localhost.example:8080", status: 401},
		"no name":                             {peer: "127.0.0.1:4000", host: "", status: 401},
		"another machine":                     {peer: "192.0.2.7:4000", host: "127.0.0.1:8080", status: 401},
		"another machine, by localhost":       {peer: "[2001:db8::7]:4000", host: "localhost", status: 401},
		"through a proxy here":                {peer: "127.0.0.1:4000", host: "localhost", header: "X-Forwarded-For", value: "192.0.2.7", status: 401},
		"no token where one is set":           {token: "of-sixteen-letters", peer: "127.0.0.1:4000", host: "127.0.0.1:8080", status: 401},
		"another token":                       {token: "of-sixteen-letters", peer: "127.0.0.1:4000", host: "localhost", header: "Authorization", value: "Bearer of-sixteen-lettern", status: 401},
		"the token, from anywhere":            {token: "of-sixteen-letters", peer: "192.0.2.7:4000", host: "research.example.com", header: "Authorization", value: "Bearer of-sixteen-letters", status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			r.RemoteAddr, r.Host = c.peer, c.host
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			guardMetrics(c.token)(metrics).ServeHTTP(w, r)
			require.Equal(t, c.status, w.Code)
		})
	}
}
