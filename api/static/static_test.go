package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/static"
)

func TestFilesAreCompressedForThoseWhoAccept(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("Receipts are missing. ", 100)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	compressed, err := static.Compressed("text/plain", zipped.Bytes())
	require.NoError(t, err)
	_, err = static.Compressed("text/plain", []byte(content))
	require.Error(t, err)

	for name, file := range map[string]static.File{
		"compressed when it is needed": static.New("text/plain", []byte(content)), "compressed before": compressed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := send(t, file, "Accept-Encoding: gzip;q=0, br")
			require.Empty(t, plain.Header().Get("Content-Encoding"))
			require.Equal(t, content, plain.Body.String())

			zip := send(t, file, "Accept-Encoding: br, gzip")
			require.Equal(t, "gzip", zip.Header().Get("Content-Encoding"))
			require.Less(t, zip.Body.Len(), len(content))
			r, err := gzip.NewReader(zip.Body)
			require.NoError(t, err)
			read, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Equal(t, content, string(read))

			again := send(t, file, "If-None-Match: W/"+plain.Header().Get("ETag"))
			require.Equal(t, http.StatusNotModified, again.Code)
			require.Empty(t, again.Body.String())
		})
	}
}

func send(t *testing.T, file static.File, header string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	name, value, _ := strings.Cut(header, ": ")
	r.Header.Set(name, value)
	w := httptest.NewRecorder()
	file.Send(w, r, http.StatusOK)
	return w
}
