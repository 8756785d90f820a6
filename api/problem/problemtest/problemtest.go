// Package problemtest checks the errors that HTTP handlers return.
package problemtest

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// RequireError fails the test unless the response has this status, and a body with this error code.
func RequireError(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var body struct{ Error string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body)
	require.Equal(t, code, body.Error, w.Body)
	require.Equal(t, status, w.Code)
}
