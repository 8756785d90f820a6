package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

const (
	anonKey    = "sb_publishable_bench"
	serviceKey = "sb_secret_bench"
	issuer     = "http://bench.example/auth/v1"
)

// serve is the program `research serve`, with its defaults, in a process of its own.
type serve struct{ address string }

func startServe(b *testing.B, databaseURL string) *serve {
	_, temporal := newNamespace(b)
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := &serve{address: listener.Addr().String()}
	require.NoError(b, listener.Close())
	startProgram(b, buildBinary(b), "serve", append(temporal, "DATABASE_URL="+databaseURL, "HTTP_ADDR="+s.address, "PUBLIC_URL="+strings.TrimSuffix(issuer, "/auth/v1"),
		"ANON_KEY="+anonKey, "SERVICE_ROLE_KEY="+serviceKey, "CRON_SECRET=a secret for the bench", "DRAIN_DELAY=0s")...)
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", s.address)
		if err == nil {
			_ = c.Close()
			return s
		}
		require.True(b, time.Now().Before(until), "serve does not listen: %v", err)
	}
}

// signIn returns an access token.
func (s *serve) signIn(b testing.TB, d *dbtest.DB, user uuid.UUID) string {
	email := dbtest.Value[string](b, d, `select email from auth.users where id = $1`, user)
	body, err := json.Marshal(map[string]string{"email": email, "password": "correct horse"})
	require.NoError(b, err)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+s.address+"/auth/v1/token?grant_type=password", bytes.NewReader(body))
	require.NoError(b, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(b, err)
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	require.NoError(b, json.NewDecoder(resp.Body).Decode(&answer))
	require.NotEmpty(b, answer.Token, "status %d", resp.StatusCode)
	return answer.Token
}

// request is one as supabase-js sends it.
func (s *serve) request(path, bearer string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + s.address + "\r\nAccept: application/json\r\nAccept-Profile: public\r\nX-Client-Info: supabase-js-node/2.119.0\r\napikey: " + anonKey +
		"\r\nAuthorization: Bearer " + bearer + "\r\n\r\n"
}
