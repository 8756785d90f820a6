package codec_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"

	"research/api/codec"
)

const (
	secret = "a secret of operators"
	uiURL  = "https://temporal.example"
)

// endpoint returns the handler, and a function that sets its clock forward.
func endpoint(t *testing.T, uiURL string) (h http.Handler, advance func(time.Duration)) {
	t.Helper()
	now := time.Unix(1_700_000_000, 0)
	h, err := codec.New(codec.Config{
		Codec: converter.NewZlibCodec(converter.ZlibCodecOptions{}), Secret: secret,
		PublicURL: "https://research.example", UIURL: uiURL,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	})
	require.NoError(t, err)
	return h, func(d time.Duration) { now = now.Add(d) }
}

func send(
	t *testing.T, h http.Handler, method, path string, headers map[string]string,
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(`{"payloads":[]}`))
	r.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// signIn returns the cookie of a browser that signed in.
func signIn(t *testing.T, h http.Handler) *http.Cookie {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.SetBasicAuth("operator", secret)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	cookie, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	require.NoError(t, err)
	return cookie
}

func TestBearer(t *testing.T) {
	t.Parallel()
	h, _ := endpoint(t, uiURL)
	for header, status := range map[string]int{
		"Bearer " + secret:       http.StatusOK,
		"Bearer " + secret + "x": http.StatusUnauthorized,
		"Bearer ":                http.StatusUnauthorized,
		secret:                   http.StatusUnauthorized,
		"":                       http.StatusUnauthorized,
	} {
		for _, path := range []string{"/encode", "/decode"} {
			response := send(t, h, http.MethodPost, path, map[string]string{"Authorization": header})
			require.Equal(t, status, response.Code, "%s %q", path, header)
			require.Equal(t, "no-store", response.Header().Get("Cache-Control"))
		}
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()

	t.Run("requires the secret", func(t *testing.T) {
		t.Parallel()
		h, _ := endpoint(t, uiURL)
		response := send(t, h, http.MethodGet, "/", nil)
		require.Equal(t, http.StatusUnauthorized, response.Code)
		require.Contains(t, response.Header().Get("WWW-Authenticate"), "Basic")
		require.Empty(t, response.Header().Values("Set-Cookie"))
	})

	t.Run("lets the UI decrypt for a working day", func(t *testing.T) {
		t.Parallel()
		h, advance := endpoint(t, uiURL+"/namespaces")
		cookie := signIn(t, h)
		require.True(t, cookie.HttpOnly)
		require.True(t, cookie.Secure)
		decode := func(origin, cookie string) int {
			headers := map[string]string{"Cookie": "research_codec=" + cookie, "Origin": origin}
			return send(t, h, http.MethodPost, "/decode", headers).Code
		}
		require.Equal(t, http.StatusOK, decode(uiURL, cookie.Value))
		require.Equal(t, http.StatusUnauthorized, decode("https://evil.example", cookie.Value))
		require.Equal(t, http.StatusUnauthorized, decode("", cookie.Value))
		_, mac, _ := strings.Cut(cookie.Value, ".")
		require.Equal(t, http.StatusUnauthorized, decode(uiURL, "9999999999."+mac), "a later end")
		require.Equal(t, http.StatusUnauthorized, decode(uiURL, "nonsense"))
		advance(12 * time.Hour)
		require.Equal(t, http.StatusUnauthorized, decode(uiURL, cookie.Value))
	})

	t.Run("is of no use without the address of a UI", func(t *testing.T) {
		t.Parallel()
		h, _ := endpoint(t, "")
		headers := map[string]string{"Cookie": "research_codec=" + signIn(t, h).Value}
		require.Equal(t, http.StatusUnauthorized, send(t, h, http.MethodPost, "/decode", headers).Code)
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := codec.New(codec.Config{})
	require.Error(t, err)
}
