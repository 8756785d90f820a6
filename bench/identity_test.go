package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"research/api/auth"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
	"research/identity"
)

const (
	password = "correct horse"
	// window is the duration of one measurement. compare takes the median of three.
	window = 4 * time.Second
)

type noMail struct{}

func (noMail) SendAccountMail(context.Context, uuid.UUID) error { return nil }

// identityServer serves api/auth over HTTP. Like `research serve`, it hashes one password per core at a time
// and runs twice as many threads (docs/decisions/0173).
type identityServer struct {
	*dbtest.DB
	url   string
	cores int
}

func startIdentity(b *testing.B) *identityServer {
	b.Helper()
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * cores)
	b.Cleanup(func() { runtime.GOMAXPROCS(cores) })
	d := dbtest.New(b)
	keys, err := token.NewKeys(b.Context(), d.Store, token.KeysConfig{
		Issuer: "https://research.example/auth/v1",
	})
	require.NoError(b, err)
	authenticator, err := token.NewAuthenticator(keys, token.AuthenticatorConfig{
		AnonKey: "anon", ServiceKey: "service",
	})
	require.NoError(b, err)
	h, err := auth.New(b.Context(), auth.Config{
		Identity: identity.Config{PublicURL: "https://research.example", ConcurrentHashes: cores},
	}, auth.Deps{
		Store: d.Store, Keys: keys, Authenticator: authenticator, Mail: noMail{},
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	return &identityServer{d, s.URL, cores}
}

// user adds a user whose password is hashed at the cost of production.
func (i *identityServer) user(b *testing.B, email string) {
	b.Helper()
	hashed, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	require.NoError(b, err)
	i.Exec(b, `update auth.users set encrypted_password = $2 where id = $1`, i.User(b, email), string(hashed))
}

// token requests a session and returns the status and the refresh token of the answer.
func (i *identityServer) token(b *testing.B, grant string, body map[string]string) (int, string) {
	raw, err := json.Marshal(body)
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	url := i.url + "/token?grant_type=" + grant
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	r.Header.Set("apikey", "anon")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		b.Error(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, answer.RefreshToken
}

// signIn signs a user in with a password and returns what token returns.
func (i *identityServer) signIn(b *testing.B, email, password string) (int, string) {
	return i.token(b, "password", map[string]string{"email": email, "password": password})
}

// rate returns how many times a second the workers together call do.
func rate(workers int, do func(worker int)) float64 {
	var done atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for w := range workers {
		all.Go(func() {
			for time.Since(began) < window {
				do(w)
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds()
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// compare measures both in turns and fails if ours is below the given ratio of the bound.
func compare(b *testing.B, name string, least float64, bound, ours func() float64) {
	b.Helper()
	var bounds, rates []float64
	for range 3 {
		bounds, rates = append(bounds, bound()), append(rates, ours())
	}
	ratio := median(rates) / median(bounds)
	b.ReportMetric(median(rates), name+"/s")
	b.ReportMetric(median(bounds), "bound/s")
	b.ReportMetric(ratio, "of-bound")
	if ratio < least {
		b.Errorf("%.1f %s a second are %.2f of the bound of %.1f; expected at least %.2f",
			median(rates), name, ratio, median(bounds), least)
	}
}

// BenchmarkSignIn compares sign-ins a second over HTTP with bcrypt alone on all cores: at least 0.90.
func BenchmarkSignIn(b *testing.B) {
	s := startIdentity(b)
	s.user(b, "ada@example.com")
	hashed, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	require.NoError(b, err)
	for b.Loop() {
		compare(b, "sign-ins", 0.90, func() float64 {
			return rate(s.cores, func(int) { _ = bcrypt.CompareHashAndPassword(hashed, []byte(password)) })
		}, func() float64 {
			return rate(4*s.cores, func(int) {
				if status, _ := s.signIn(b, "ada@example.com", password); status != http.StatusOK {
					b.Errorf("a sign-in got status %d", status)
				}
			})
		})
	}
}

// BenchmarkRefresh compares refreshes a second over HTTP with the bare rotation of a token in the database:
// at least 0.50.
func BenchmarkRefresh(b *testing.B) {
	s := startIdentity(b)
	const clients = 8
	refresh := make([]string, clients) // the refresh tokens that the clients hold
	hashes := make([][]byte, clients)  // the hashes of the tokens that are rotated without HTTP
	for c := range clients {
		email := fmt.Sprintf("u%d@example.com", c)
		s.user(b, email)
		_, refresh[c] = s.signIn(b, email, password)
		_, second := s.signIn(b, email, password)
		sum := sha256.Sum256([]byte(second))
		hashes[c] = sum[:]
	}
	for b.Loop() {
		compare(b, "refreshes", 0.50, func() float64 {
			return rate(clients, func(w int) {
				next := sha256.Sum256(hashes[w])
				err := s.AsService(b.Context(), func(q *db.Queries) error {
					_, err := q.RotateRefreshToken(b.Context(), db.RotateRefreshTokenParams{
						TokenHash: hashes[w], SuccessorHash: next[:],
					})
					return err
				})
				if err != nil {
					b.Error(err)
				}
				hashes[w] = next[:]
			})
		}, func() float64 {
			return rate(clients, func(w int) {
				status, next := s.token(b, "refresh_token", map[string]string{"refresh_token": refresh[w]})
				if status != http.StatusOK {
					b.Errorf("a refresh got status %d", status)
				}
				refresh[w] = next
			})
		})
	}
}

// BenchmarkRefusals checks that refusing a known and an unknown user takes the same time: the medians of 50
// attempts each differ by at most 10 %.
func BenchmarkRefusals(b *testing.B) {
	s := startIdentity(b)
	s.user(b, "ada@example.com")
	for b.Loop() {
		var known, unknown []float64
		try := func(email string) float64 {
			began := time.Now()
			if status, _ := s.signIn(b, email, "wrong"); status != http.StatusBadRequest {
				b.Errorf("a wrong password got status %d", status)
			}
			return float64(time.Since(began).Microseconds()) / 1000
		}
		for n := range 50 {
			known = append(known, try("ada@example.com"))
			unknown = append(unknown, try(fmt.Sprintf("nobody%d@example.com", n)))
		}
		k, u := median(known), median(unknown)
		b.ReportMetric(k, "known-ms")
		b.ReportMetric(u, "unknown-ms")
		b.ReportMetric(k/u, "known/unknown")
		if k/u < 0.9 || k/u > 1.1 {
			b.Errorf("known users take %.1f ms, unknown users %.1f ms", k, u)
		}
	}
}
