package bench

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"research/db/dbtest"
	"research/dev/devtest"
)

// Servers of others that answer the same requests, from builds of their own: they are measured in the same
// run, in turns with ours, on the same PostgreSQL. The result of a comparison has no limit.
var (
	smoothdbBinary = flag.String("smoothdb", "", "a binary of github.com/sted/smoothdb, for "+
		"BenchmarkDataAPIPeer")
	gotrueBinary = flag.String("gotrue", "", "a binary of github.com/supabase/auth, beside its folder "+
		"migrations, for BenchmarkIdentityPeer")
)

// peerSecret signs the access tokens of peers with HS256.
const peerSecret = "a secret for the peers of the bench"

// spent is what a turn of a contender took.
type spent struct {
	rate float64 // a second
	cost float64 // CPU time of one request in ms: of PostgreSQL, this process and its children
}

// turnOf measures a turn that returns how many requests were answered.
func turnOf(b *testing.B, postgres int, turn func() (answered int, took time.Duration)) spent {
	b.Helper()
	before := familyTime(b, os.Getpid()) + familyTime(b, postgres)
	answered, took := turn()
	used := familyTime(b, os.Getpid()) + familyTime(b, postgres) - before
	return spent{float64(answered) / took.Seconds(), used.Seconds() * 1000 / float64(answered)}
}

// comparePeer measures both in turns. It reports both rates, and of each pair of turns the median of the
// ratio of rates, and of the peer's CPU time for a request as a share of ours.
func comparePeer(b *testing.B, turns int, ours, peer func() spent) {
	b.Helper()
	var rates, peerRates, costs, peerCosts, ofPeer, cpuOfPeer []float64
	for range turns {
		mine, theirs := ours(), peer()
		rates, peerRates = append(rates, mine.rate), append(peerRates, theirs.rate)
		costs, peerCosts = append(costs, mine.cost), append(peerCosts, theirs.cost)
		ofPeer, cpuOfPeer = append(ofPeer, mine.rate/theirs.rate), append(cpuOfPeer, theirs.cost/mine.cost)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(rates), "requests/s")
	b.ReportMetric(median(peerRates), "peer/s")
	b.ReportMetric(median(ofPeer), "of-peer")
	b.ReportMetric(median(costs), "ms-cpu")
	b.ReportMetric(median(peerCosts), "peer-ms-cpu")
	b.ReportMetric(median(cpuOfPeer), "cpu-of-peer")
}

// BenchmarkDataAPIPeer compares the data API with smoothdb: the same rows and policies, the same requests and
// claims. Its first setting is its default: a connection belongs to an access token, and keeps the token's
// role and claims between requests, without a transaction. With the second one, each request has a
// transaction and sets role and claims, as the data API does.
func BenchmarkDataAPIPeer(b *testing.B) {
	if *smoothdbBinary == "" {
		b.Skip("without -smoothdb")
	}
	d := dbtest.New(b)
	n := fillWorkspaces(b, d)
	service := startServe(b, d.URL)
	bearer := service.signIn(b, d, n.Owner)
	postgres := postgresProcess(b, d)
	for _, mode := range []struct{ name, session, transaction string }{
		{"default", "role", "none"}, {"transactions", "none", "commit"},
	} {
		b.Run(mode.name, func(b *testing.B) {
			peer, address := startSmoothdb(b, d.URL, mode.session, mode.transaction)
			for _, question := range dataQuestions(n) {
				b.Run(question.name, func(b *testing.B) {
					request := service.request("/rest/v1/"+question.path, bearer)
					theirs := strings.Replace(request, "/rest/v1/", "/", 1)
					theirs = strings.Replace(theirs, bearer, peerToken(b, bearer), 1)
					turn := func(c contender) func() spent {
						c(b, time.Second) // warm
						return func() spent {
							return turnOf(b, postgres, func() (int, time.Duration) {
								return int(c(b, pairTurn) * pairTurn.Seconds()), pairTurn
							})
						}
					}
					ours := turn(load(service.address, request, question.rows))
					other := turn(load(address, theirs, question.rows))
					for b.Loop() {
						comparePeer(b, pairs, ours, other)
						b.ReportMetric(peakMB(b, service.program), "serve-MB")
						b.ReportMetric(peakMB(b, peer), "peer-MB")
					}
				})
			}
		})
	}
}

// peerToken signs the claims of an access token with the peers' secret.
func peerToken(b *testing.B, bearer string) string {
	b.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(bearer, ".")[1])
	require.NoError(b, err)
	var claims jwt.MapClaims
	require.NoError(b, json.Unmarshal(raw, &claims))
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(peerSecret))
	require.NoError(b, err)
	return signed
}

func startSmoothdb(b *testing.B, databaseURL, session, transaction string) (peer *program, address string) {
	b.Helper()
	target, err := url.Parse(databaseURL)
	require.NoError(b, err)
	address = "127.0.0.1:" + devtest.FreePort(b)
	config, err := json.Marshal(map[string]any{
		"Address": address, "JWTSecret": peerSecret, "LoginMode": "db", "SessionMode": session, "BaseAPIURL": "",
		"ShortAPIURL": true, "Database": map[string]any{
			"URL": databaseURL, "AllowedDatabases": []string{strings.TrimPrefix(target.Path, "/")},
			"SchemaSearchPath": []string{"public"}, "TransactionMode": transaction,
		}, "Logging": map[string]any{"FileLogging": false, "Level": "warn"},
	})
	require.NoError(b, err)
	file := filepath.Join(b.TempDir(), "config.jsonc")
	require.NoError(b, os.WriteFile(file, config, 0o600))
	peer = startBinary(b, *smoothdbBinary, "--config="+file)
	waitReady(b, "http://"+address+"/ready", peer.ended)
	return peer, address
}

// BenchmarkIdentityPeer compares sign-ins with a password, and refreshes of a session, with GoTrue, which is
// supabase/auth: both over HTTP, with processes and databases of their own, bcrypt at the same cost, and the
// defaults of both.
func BenchmarkIdentityPeer(b *testing.B) {
	if *gotrueBinary == "" {
		b.Skip("without -gotrue")
	}
	d := dbtest.New(b)
	service := startServe(b, d.URL)
	ours := newIdentityClient(b, d, "http://"+service.address+"/auth/v1")
	peer, theirs := startGoTrue(b)
	postgres := postgresProcess(b, d)
	email := func(n int) string { return string(rune('a'+n)) + "@example.com" }
	for n := range clients {
		ours.user(b, email(n))
		theirs.signUp(b, email(n))
	}
	memory := func(b *testing.B) {
		b.ReportMetric(peakMB(b, service.program), "serve-MB")
		b.ReportMetric(peakMB(b, peer), "peer-MB")
	}
	b.Run("sign-in", func(b *testing.B) {
		turn := func(server *identityServer) func() spent {
			return func() spent {
				return turnOf(b, postgres, func() (int, time.Duration) {
					return together(clients, func(w int) { server.mustSignIn(b, email(w)) })
				})
			}
		}
		for b.Loop() {
			comparePeer(b, turns, turn(ours), turn(theirs))
			memory(b)
		}
	})
	b.Run("refresh", func(b *testing.B) {
		turn := func(server *identityServer) func() spent {
			tokens := make([]string, clients)
			for w := range tokens {
				tokens[w] = server.mustSignIn(b, email(w))
			}
			return func() spent {
				return turnOf(b, postgres, func() (int, time.Duration) {
					return together(clients, func(w int) { tokens[w] = server.mustRefresh(b, tokens[w]) })
				})
			}
		}
		for b.Loop() {
			comparePeer(b, turns, turn(ours), turn(theirs))
			memory(b)
		}
	})
}

// startGoTrue starts GoTrue over a database of its own.
func startGoTrue(b *testing.B) (*program, *identityServer) {
	b.Helper()
	d := dbtest.Empty(b)
	d.Exec(b, `create schema auth`)
	target, err := url.Parse(d.URL)
	require.NoError(b, err)
	query := target.Query()
	query.Set("search_path", "auth")
	target.RawQuery = query.Encode()
	grantToPostgres(b, d)
	port := devtest.FreePort(b)
	settings := []string{
		"GOTRUE_DB_DRIVER=postgres", "DATABASE_URL=" + target.String(), "DB_NAMESPACE=auth",
		"GOTRUE_DB_MIGRATIONS_PATH=" + filepath.Join(filepath.Dir(*gotrueBinary), "migrations"),
		"GOTRUE_JWT_SECRET=" + peerSecret, "GOTRUE_JWT_EXP=3600", "GOTRUE_JWT_AUD=authenticated",
		"GOTRUE_JWT_DEFAULT_GROUP_NAME=authenticated", "GOTRUE_SITE_URL=http://bench.example",
		"API_EXTERNAL_URL=http://bench.example", "GOTRUE_API_HOST=127.0.0.1", "PORT=" + port,
		// Without these it has two idle connections, and opens others again and again; 20 are our default.
		"GOTRUE_DB_MAX_POOL_SIZE=20", "GOTRUE_DB_MAX_IDLE_POOL_SIZE=20",
		"GOTRUE_MAILER_AUTOCONFIRM=true", "GOTRUE_EXTERNAL_EMAIL_ENABLED=true", "GOTRUE_LOG_LEVEL=error",
	}
	migrate := exec.CommandContext(b.Context(), *gotrueBinary, "migrate")
	migrate.Dir = b.TempDir()
	migrate.Env = append(os.Environ(), settings...)
	output, err := migrate.CombinedOutput()
	require.NoError(b, err, "%s", output)
	peer := startBinary(b, *gotrueBinary, "serve", settings...)
	waitReady(b, "http://127.0.0.1:"+port+"/health", peer.ended)
	return peer, newIdentityClient(b, d, "http://127.0.0.1:"+port)
}

// grantToPostgres makes the role to which GoTrue's migrations grant rights, where the server lacks it.
func grantToPostgres(b *testing.B, d *dbtest.DB) {
	b.Helper()
	d.AsOwner(b, func(c *pgx.Conn) {
		var exists bool
		const sql = `select exists (select from pg_roles where rolname = 'postgres')`
		require.NoError(b, c.QueryRow(context.Background(), sql).Scan(&exists))
		if !exists {
			_, err := c.Exec(context.Background(), `create role postgres`)
			require.NoError(b, err)
		}
	})
}

// signUp adds a user of GoTrue, whose password has the cost of bcrypt that ours has.
func (i *identityServer) signUp(b *testing.B, email string) {
	b.Helper()
	body := `{"email":"` + email + `","password":"` + password + `"}`
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, i.url+"/signup", strings.NewReader(body))
	require.NoError(b, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := i.client.Do(r)
	require.NoError(b, err)
	require.NoError(b, resp.Body.Close())
	require.Equal(b, http.StatusOK, resp.StatusCode)
	hash := dbtest.Value[string](b, i.DB, `select encrypted_password from auth.users where email = $1`, email)
	cost, err := bcrypt.Cost([]byte(hash))
	require.NoError(b, err)
	require.Equal(b, bcrypt.DefaultCost, cost)
}

// mustSignIn signs a user in, and returns the refresh token.
func (i *identityServer) mustSignIn(b *testing.B, email string) string {
	status, token := i.signIn(b, email, password)
	if status != http.StatusOK {
		b.Errorf("a sign-in at %s got status %d", i.url, status)
	}
	return token
}

// mustRefresh refreshes a session, and returns the next refresh token.
func (i *identityServer) mustRefresh(b *testing.B, token string) string {
	status, next := i.token(b, "refresh_token", map[string]string{"refresh_token": token})
	if status != http.StatusOK {
		b.Errorf("a refresh at %s got status %d", i.url, status)
	}
	return next
}
