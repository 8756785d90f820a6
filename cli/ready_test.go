package cli_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadyCommand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		code   int
		stderr string
	}{
		"a program that is ready": {http.StatusOK, 0, ""},
		"one that is not":         {http.StatusServiceUnavailable, 1, "not ready: /readyz answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/readyz" {
					w.WriteHeader(tt.status)
				}
			}))
			defer program.Close()
			address := strings.TrimPrefix(program.URL, "http://127.0.0.1") // the port, at every address
			r := run(t, []string{"METRICS_ADDR=" + address}, "", "ready")
			require.Equal(t, tt.code, r.code, r.stderr)
			require.Contains(t, r.stderr, tt.stderr)
		})
	}
	r := run(t, []string{"METRICS_ADDR=127.0.0.1:1"}, "", "ready")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.stderr, "nothing answers at METRICS_ADDR=127.0.0.1:1")
}
