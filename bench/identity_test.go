package bench

import (
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
	"strings"
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
)

const (
	password = "correct horse"
	window   = 4 * time.Second // of one measurement; three of each are taken, in turns, and the medians compared
)

type noMail struct{}

func (noMail) SendAccountMail(context.Context, uuid.UUID) error { return nil }

// An identity server over HTTP, with hashes and threads as `research serve` has them (docs/decisions/0173).
type identity struct {
	*dbtest.DB
	url   string
	cores int
}

func startIdentity(b *testing.B) *identity {
	b.Helper()
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * cores)
	b.Cleanup(func() { runtime.GOMAXPROCS(cores) })
	d := dbtest.New(b)
	keys, err := token.NewKeys(b.Context(), d.Store, token.KeysConfig{Issuer: "https://research.example/auth/v1"})
	require.NoError(b, err)
	gate, err := token.NewGate(keys, token.GateConfig{AnonKey: "anon", ServiceKey: "service"})
	require.NoError(b, err)
	h, err := auth.New(b.Context(), auth.Config{PublicURL: "https://research.example", HashesAtOnce: cores},
		auth.Deps{Store: d.Store, Keys: keys, Gate: gate, Mail: noMail{}, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	return &identity{d, s.URL, cores}
}

// user adds one whose hash has the cost of production.
func (i *identity) user(b *testing.B, email string) {
	b.Helper()
	hashed, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	require.NoError(b, err)
	i.Exec(b, `update auth.users set encrypted_password = $2 where id = $1`, i.User(b, email), string(hashed))
}

func (i *identity) token(b *testing.B, grant string, body map[string]string) (status int, refresh string) {
	raw, err := json.Marshal(body)
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, i.url+"/token?grant_type="+grant, strings.NewReader(string(raw)))
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

// rate is how often a second so many workers do it.
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

// compare measures both in turns, and fails where ours is below its part of the bound.
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
		b.Errorf("%s: %.1f a second are %.2f of the bound of %.1f; at least %.2f is wanted", name, median(rates), ratio, median(bounds), least)
	}
}

// Sign-ins a second, beside what bcrypt alone allows on all cores: at least 0.90.
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
				if status, _ := s.token(b, "password", map[string]string{"email": "ada@example.com", "password": password}); status != http.StatusOK {
					b.Errorf("a sign-in is answered %d", status)
				}
			})
		})
	}
}

// Refreshes a second over HTTP, beside the bare rotation of a token through the same pool: at least 0.50.
func BenchmarkRefresh(b *testing.B) {
	s := startIdentity(b)
	const clients = 8
	shown := make([]string, clients)
	for c := range shown {
		email := fmt.Sprintf("u%d@example.com", c)
		s.user(b, email)
		_, shown[c] = s.token(b, "password", map[string]string{"email": email, "password": password})
	}
	// The same statement through the same pool, without HTTP, JSON and signatures.
	held := make([][]byte, clients)
	for c := range held {
		_, first := s.token(b, "password", map[string]string{"email": fmt.Sprintf("u%d@example.com", c), "password": password})
		sum := sha256.Sum256([]byte(first))
		held[c] = sum[:]
	}
	for b.Loop() {
		compare(b, "refreshes", 0.50, func() float64 {
			return rate(clients, func(w int) {
				next := sha256.Sum256(held[w])
				err := s.AsService(b.Context(), func(q *db.Queries) error {
					_, err := q.RotateRefreshToken(b.Context(), db.RotateRefreshTokenParams{ShownHash: held[w], SuccessorHash: next[:]})
					return err
				})
				if err != nil {
					b.Error(err)
				}
				held[w] = next[:]
			})
		}, func() float64 {
			return rate(clients, func(w int) {
				status, next := s.token(b, "refresh_token", map[string]string{"refresh_token": shown[w]})
				if status != http.StatusOK {
					b.Errorf("a refresh is answered %d", status)
				}
				shown[w] = next
			})
		})
	}
}

// Refusals of known and unknown users take as long: medians of 50 each, within 10 %.
func BenchmarkRefusals(b *testing.B) {
	s := startIdentity(b)
	s.user(b, "ada@example.com")
	for b.Loop() {
		var known, unknown []float64
		try := func(email string) float64 {
			began := time.Now()
			if status, _ := s.token(b, "password", map[string]string{"email": email, "password": "wrong"}); status != http.StatusBadRequest {
				b.Errorf("a wrong password is answered %d", status)
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
			b.Errorf("known users take %.1f ms, unknown ones %.1f", k, u)
		}
	}
}
