package rest_test

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/api/token"
	"research/db/dbtest"
)

var discard = slog.New(slog.DiscardHandler)

// The tests of this file are for faults that other servers of this wire have had. Two more are elsewhere:
// TestSchemas is about profiles of other schemas, and TestClientsThatGoAway about leaked connections.

var badTokens = flag.Int("bad-tokens", 60_000,
	"how many tokens TestFloodOfBadTokens sends; make fuzz sends 300,000")

// Invalid tokens leave nothing in memory, however many there are. The test is not parallel: it would count
// the memory of others.
func TestFloodOfBadTokens(t *testing.T) {
	e := begin(t)
	good := e.tokens.AccessToken(t, e.Owner)
	parts := strings.Split(good, ".")
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	before := heap()
	for i := range *badTokens {
		id := uuid.NewString()
		bad := id
		switch {
		case i%30 == 0: // the signature of another token
			bad = parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])-8) + id[:8]
		case i%3 == 0:
			bad = encode(`{"alg":"ES256","kid":"`+id+`"}`) + "." + parts[1] + "." + parts[2]
		case i%3 == 1:
			bad = encode(`{"alg":"none"}`) + "." + encode(`{"role":"service_role","jti":"`+id+`"}`) + "."
		}
		_, err := e.tokens.Keys.Verify(t.Context(), bad)
		require.ErrorIs(t, err, token.ErrInvalid)
	}
	require.Less(t, heap()-before, int64(4<<20))
	require.Equal(t, http.StatusOK, (&caller{e, good, t}).get("/projects").status)
	require.Equal(t, http.StatusUnauthorized,
		(&caller{e, parts[0] + "." + parts[1] + ".AAAA", t}).get("/projects").status)
}

// A filter with a semicolon is a filter: net/url's own parser drops it, and a DELETE would have none.
func TestSemicolonInAFilter(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	for _, query := range []string{
		"name=eq.nothing;x", "name=eq.nothing;", "name=eq.a;name=eq.b", "name=like.*%3B*", "name;x=eq.1",
		";name=eq.nothing", "name=eq.nothing&;", "name=eq.nothing%", "name=eq.no%zzthing",
	} {
		for method, body := range map[string]string{http.MethodDelete: "", http.MethodPatch: `{"name":"x"}`} {
			a := user.do(method, "/labels?"+query, body)
			require.Less(t, a.status, 500, query)
		}
		require.Equal(t, 3, dbtest.Value[int](t, e.DB, `select count(*) from library.labels where name <> 'x'`),
			query)
	}
}

// The victim of a deadlock is run again. A sequence is not rolled back, so it counts the attempts.
func TestVictimsOfDeadlocksAreRunAgain(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t), func(_ *rest.Config, d *dbtest.DB) {
		d.Exec(t, `
			create sequence library.attempts;
			grant usage on sequence library.attempts to authenticated;
			create function library.deadlocks(times int) returns bigint language plpgsql as $$
			begin
				if nextval('library.attempts') <= times then
					raise deadlock_detected;
				end if;
				return currval('library.attempts');
			end $$;
			grant execute on function library.deadlocks(int) to authenticated`)
	})
	user := e.as(t, e.Owner)
	a := user.do(http.MethodPost, "/rpc/deadlocks", `{"times": 2}`)
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	a = user.do(http.MethodPost, "/rpc/deadlocks", `{"times": 1000}`)
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.Equal(t, "40P01", a.code())
	require.Equal(t, 6, dbtest.Value[int](t, e.DB, `select last_value from library.attempts`),
		"three attempts each")
}

// A pooler that lends connections for one transaction loses prepared statements, or gives those of another
// client. That is no fault of a request.
func TestPreparedStatementsThatAPoolerLost(t *testing.T) {
	t.Parallel()
	for state, lose := range map[string]string{
		"26000": `execute 'deallocate all';`,
		"42P05": `
			for i in 1..99 loop
				begin
					execute format('prepare research_%s as select 1', i);
				exception when duplicate_prepared_statement then null;
				end;
			end loop;`,
		"08P01": `
			for name in select p.name from pg_prepared_statements p loop
				execute format('deallocate %I', name);
				execute format('prepare %I as select 1', name);
			end loop;`,
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			e := begin(t, library(t), func(_ *rest.Config, d *dbtest.DB) {
				d.Exec(t, `
					create function library.lose() returns int language plpgsql security definer as $$
					declare name text;
					begin
						`+lose+`
						return 1;
					end $$;
					grant execute on function library.lose() to authenticated`)
			})
			user := e.as(t, e.Owner)
			losses, faults := 0, 0
			for range 3 * poolSize {
				for _, a := range []answer{user.do(http.MethodPost, "/rpc/lose", `{}`), user.get("/books")} {
					switch {
					case a.status != http.StatusOK:
						require.Equal(t, http.StatusServiceUnavailable, a.status, "%s", a.body)
						require.Equal(t, "PGRST001", a.code())
						faults++
					case a.body == "1":
						losses++
					}
				}
			}
			require.NotZero(t, faults)
			require.LessOrEqual(t, faults, losses, "a connection is not used again after its first fault")
		})
	}
}

// An expired token is rejected even if it is in use and was valid a moment ago.
func TestExpiredTokenInUse(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	user := e.as(t, e.Owner)
	for range 3 {
		require.Equal(t, http.StatusOK, user.get("/books").status)
	}
	e.advance(2 * time.Hour)
	for range 3 {
		a := user.get("/books")
		require.Equal(t, http.StatusUnauthorized, a.status)
		require.Equal(t, "PGRST303", a.code())
		require.Contains(t, a.header.Get("Www-Authenticate"), "invalid_token")
	}
	e.advance(-2 * time.Hour)
	require.Equal(t, http.StatusOK, user.get("/books").status)
}

// A request never runs with the role or the claims of the one before it on the same connection.
func TestNothingStaysOnAConnection(t *testing.T) {
	t.Parallel()
	e := begin(t, library(t))
	owner, anon, service := e.as(t, e.Owner), e.asAnon(t), e.asService(t)
	var wg sync.WaitGroup
	problems := make(chan string, 1000)
	for range 2 * poolSize {
		wg.Go(func() {
			for range 30 {
				for want, c := range map[string]*caller{
					`"role" : "authenticated", "sub" : "` + e.Owner.String() + `"`: owner,
					`"role" : "anon", "sub" : null`:                                anon,
					`"role" : "service_role", "sub" : null`:                        service,
				} {
					a, err := c.try(context.Background(), http.MethodGet, "/rpc/whoami", "")
					if err != nil || a.status != http.StatusOK || len(a.body) < len(want) || a.body[1:1+len(want)] != want {
						problems <- fmt.Sprint(want, a, err)
					}
				}
			}
		})
	}
	wg.Wait()
	close(problems)
	for p := range problems {
		t.Error(p)
	}
	// A token without a role, with an unknown one, or with that of the database's owner is rejected.
	for _, role := range []any{nil, "", "postgres", "authenticator", "none", "pg_read_all_data", 5} {
		claims := jwt.MapClaims{"sub": e.Owner.String()}
		if role != nil {
			claims["role"] = role
		}
		a := (&caller{e, e.tokens.Sign(t, claims), t}).get("/rpc/whoami")
		require.Equal(t, http.StatusUnauthorized, a.status, "%v: %s", role, a.body)
	}
}

// Two hundred users are served over a small pool, and each sees only their own rows.
func TestManyUsersOnASmallPool(t *testing.T) {
	t.Parallel()
	e := begin(t)
	const users = 200
	e.Exec(t,
		`insert into auth.users (id, email)
			select md5(i::text)::uuid, 'user-' || i || '@example.com' from generate_series(0, $1) i`,
		users-1)
	people := make([]*caller, users)
	for i := range people {
		people[i] = e.as(t, uuid.UUID(md5.Sum([]byte(strconv.Itoa(i)))))
	}
	var wg sync.WaitGroup
	answers := make([]answer, users)
	for i, c := range people {
		wg.Go(func() {
			for range 3 {
				a, err := c.try(context.Background(), http.MethodGet, "/profiles?select=email", "")
				if err != nil {
					a = answer{body: err.Error()}
				}
				answers[i] = a
			}
		})
	}
	wg.Wait()
	for i, a := range answers {
		require.JSONEq(t, fmt.Sprintf(`[{"email":"user-%d@example.com"}]`, i), a.body)
	}
	require.LessOrEqual(t, e.store.Stat().TotalConns(), int32(poolSize))
}
