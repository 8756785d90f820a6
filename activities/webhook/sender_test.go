package webhook

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	of := func(secrets ...string) string {
		signatures, err := sign(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
			[]byte(`{"test": 2432232314}`))
		require.NoError(t, err)
		return signatures
	}
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", of(exampleSecret))
	require.Equal(t, of(anotherSecret)+" "+of(exampleSecret), of(anotherSecret, exampleSecret),
		"while a secret is being replaced")
	_, err := sign([]string{"another secret"}, "msg", time.Now(), nil)
	require.Error(t, err)
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// receive starts a receiver.
func receive(t *testing.T, handle http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// hostOf returns the "host:port" of a URL.
func hostOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed.Host
}

func TestSend(t *testing.T) {
	t.Parallel()
	send := func(t *testing.T, cfg Config, address string) (Response, error) {
		t.Helper()
		cfg.Timeout = cmp.Or(cfg.Timeout, 5*time.Minute)
		message := Message{URL: address, Secrets: []string{secret}, ID: "event-1", Body: []byte(`{}`)}
		return NewSender(cfg).Send(t.Context(), message)
	}
	reason := func(t *testing.T, err error) string {
		t.Helper()
		var known *Error
		require.ErrorAs(t, err, &known)
		return known.Reason
	}
	unreached := func(t *testing.T) string {
		t.Helper()
		return receive(t, func(http.ResponseWriter, *http.Request) { t.Error("the receiver was reached") })
	}

	t.Run("posts the body with the three headers", func(t *testing.T) {
		t.Parallel()
		address := receive(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			want, err := sign([]string{secret}, "event-1", time.Now(), body)
			if err != nil || r.Method != http.MethodPost || string(body) != "{}" ||
				r.Header.Get("Webhook-Id") != "event-1" || len(r.Header.Get("Webhook-Signature")) != len(want) {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, "thanks\x00\xff")
		})
		response, err := send(t, Config{AllowedHosts: []string{hostOf(t, address)}}, address)
		require.NoError(t, err)
		require.Equal(t, Response{Status: http.StatusOK, Excerpt: "thanks"}, response)
	})

	t.Run("connects to no private address", func(t *testing.T) {
		t.Parallel()
		address := strings.Replace(unreached(t), "http://", "https://", 1)
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"} {
			_, err := send(t, Config{}, strings.Replace(address, "127.0.0.1", host, 1))
			require.Equal(t, ReasonPrivate, reason(t, err), host)
		}
		_, err := send(t, Config{AllowedHosts: []string{"127.0.0.1:1", "other.example"}}, address)
		require.Equal(t, ReasonPrivate, reason(t, err))
	})

	t.Run("requires TLS, unless the host is allowed", func(t *testing.T) {
		t.Parallel()
		_, err := send(t, Config{}, unreached(t))
		require.Equal(t, ReasonNoTLS, reason(t, err))
	})

	t.Run("follows no redirect", func(t *testing.T) {
		t.Parallel()
		target := unreached(t)
		address := receive(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target, http.StatusTemporaryRedirect)
		})
		response, err := send(t, Config{AllowedHosts: []string{"127.0.0.1"}}, address)
		require.NoError(t, err)
		require.Equal(t, http.StatusTemporaryRedirect, response.Status)
		require.False(t, response.Accepted())
	})

	t.Run("waits a limited time", func(t *testing.T) {
		t.Parallel()
		released := make(chan struct{})
		address := receive(t, func(http.ResponseWriter, *http.Request) { <-released })
		defer close(released)
		_, err := send(t, Config{AllowedHosts: []string{"127.0.0.1"}, Timeout: 50 * time.Millisecond}, address)
		require.Equal(t, ReasonTimeout, reason(t, err))
	})

	t.Run("reads the beginning of an answer", func(t *testing.T) {
		t.Parallel()
		address := receive(t, func(w http.ResponseWriter, _ *http.Request) {
			for chunk := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		})
		response, err := send(t, Config{AllowedHosts: []string{"127.0.0.1"}}, address)
		require.NoError(t, err)
		require.Len(t, response.Excerpt, excerptBytes)
	})

	t.Run("says that nobody listens, without the address", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		_, err := send(t, Config{AllowedHosts: []string{"127.0.0.1"}}, server.URL)
		require.Equal(t, ReasonBroken, reason(t, err))
	})

	t.Run("ends with its context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := NewSender(Config{AllowedHosts: []string{"127.0.0.1"}}).Send(ctx,
			Message{URL: unreached(t), Secrets: []string{secret}})
		require.ErrorIs(t, err, context.Canceled)
	})
}
