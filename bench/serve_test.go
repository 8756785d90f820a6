package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token/tokentest"
	"research/db/dbtest"
)

const (
	anonKey    = tokentest.AnonKey
	serviceKey = tokentest.ServiceKey
	cronSecret = "a secret for the bench"
	issuer     = "http://bench.example/auth/v1"
)

// serve is the program `research serve`, with its defaults, in a process of its own.
type serve struct {
	*program
	address string
}

func startServe(b *testing.B, databaseURL string) *serve {
	b.Helper()
	_, temporal := newNamespace(b)
	return startServeWith(b, databaseURL, temporal)
}

// startServeWith starts serve with settings beside those of the database and of HTTP.
func startServeWith(b *testing.B, databaseURL string, settings []string) *serve {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := &serve{address: listener.Addr().String()}
	require.NoError(b, listener.Close())
	s.program = startProgram(b, "serve", append(slices.Clone(settings),
		"DATABASE_URL="+databaseURL, "HTTP_ADDR="+s.address,
		"PUBLIC_URL="+strings.TrimSuffix(issuer, "/auth/v1"), "ANON_KEY="+anonKey, "SERVICE_ROLE_KEY="+serviceKey,
		"CRON_SECRET="+cronSecret, "DRAIN_DELAY=0s")...)
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
	b.Helper()
	email := dbtest.Value[string](b, d, `select email from auth.users where id = $1`, user)
	token, err := s.trySignIn(email)
	require.NoError(b, err)
	return token
}

func (s *serve) trySignIn(email string) (string, error) {
	body, err := json.Marshal(map[string]string{"email": email, "password": "correct horse"})
	if err != nil {
		return "", err
	}
	path := "http://" + s.address + "/auth/v1/token?grant_type=password"
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("sign in: status %d: %w", resp.StatusCode, err)
	}
	if answer.Token == "" {
		return "", fmt.Errorf("sign in: status %d, and no token", resp.StatusCode)
	}
	return answer.Token, nil
}

// request returns a request as supabase-js sends it.
func (s *serve) request(path, bearer string) string {
	lines := []string{
		"GET " + path + " HTTP/1.1", "Host: " + s.address, "Accept: application/json", "Accept-Profile: public",
		"X-Client-Info: supabase-js-node/2.119.0", "apikey: " + anonKey, "Authorization: Bearer " + bearer,
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}
