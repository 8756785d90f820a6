package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

// clients is how many connections send one request after the other.
const clients = 8

// A contender answers the same request for a while, and returns how many it answered per second.
type contender func(testing.TB, time.Duration) float64

// A dataQuestion is a request that BenchmarkDataAPI compares, with the lower limits of the data API's rate as
// a share of pgbench's, and of the handler's CPU time for a request as a share of the data API's.
type dataQuestion struct {
	name, path        string
	rows              int
	ofPgbench, ofHand float64
}

func dataQuestions(n filled) []dataQuestion {
	return []dataQuestion{
		{"one row by id", "hypotheses?id=eq." + n.hypothesis.String(), 1, 0.60, 0.75},
		{"50 rows with an embed", "hypotheses?select=id,statement,status,personas(id,name)&project_id=eq." +
			n.Project.String() + "&order=created_at.desc&limit=50", 50, 0.75, 1.00},
	}
}

// The data API and the handler take turns that are short, and many of them: other work on the machine then
// slows down both of a pair. A turn is 25 of the ticks in which Linux counts CPU time, on each core.
const (
	pairs    = 16
	pairTurn = 250 * time.Millisecond
)

// BenchmarkDataAPI compares the data API with pgbench, which runs the same SQL with the same role and claims,
// and with a handler written by hand. "of-pgbench" and "of-hand" are the API's rate as a share of theirs.
// "cpu-of-hand" is the handler's CPU time for a request, PostgreSQL and client included, as a share of the
// API's: on an idle machine it is the same as "of-hand", and other work changes it less. Both are the median
// of pairs.
func BenchmarkDataAPI(b *testing.B) {
	d := dbtest.New(b)
	n := fillWorkspaces(b, d)
	service := startServe(b, d.URL)
	bearer := service.signIn(b, d, n.Owner)
	hand := startByHand(b, d.URL)
	postgres := postgresProcess(b, d)
	for _, question := range dataQuestions(n) {
		b.Run(question.name, func(b *testing.B) {
			request := service.request("/rest/v1/"+question.path, bearer)
			api, byHand := load(service.address, request, question.rows), load(hand, request, question.rows)
			sql := pgbench(d.URL, statements(b, d.URL, question.path, bearer, service))
			for _, c := range []contender{api, byHand, sql} {
				c(b, time.Second) // warm
			}
			// turn returns the rate of a contender, and the CPU time that a request took.
			turn := func(c contender, d time.Duration) (rate, cost float64) {
				before := familyTime(b, os.Getpid()) + familyTime(b, postgres)
				rate = c(b, d)
				used := familyTime(b, os.Getpid()) + familyTime(b, postgres) - before
				return rate, used.Seconds() / (rate * d.Seconds())
			}
			var apiRates, handRates, sqlRates, ofHand, cpuOfHand []float64
			for b.Loop() {
				for range pairs {
					apiRate, apiCost := turn(api, pairTurn)
					handRate, handCost := turn(byHand, pairTurn)
					apiRates, handRates = append(apiRates, apiRate), append(handRates, handRate)
					ofHand, cpuOfHand = append(ofHand, apiRate/handRate), append(cpuOfHand, handCost/apiCost)
				}
				sqlRate, _ := turn(sql, 2*time.Second) // pgbench counts in seconds
				sqlRates = append(sqlRates, sqlRate)
			}
			rate, sqlRate, handRate := median(apiRates), median(sqlRates), median(handRates)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(rate, "requests/s")
			b.ReportMetric(sqlRate, "pgbench/s")
			b.ReportMetric(handRate, "hand/s")
			b.ReportMetric(rate/sqlRate, "of-pgbench")
			b.ReportMetric(question.ofPgbench, "limit-of-pgbench")
			b.ReportMetric(median(ofHand), "of-hand")
			b.ReportMetric(median(cpuOfHand), "cpu-of-hand")
			b.ReportMetric(question.ofHand, "limit-cpu-of-hand")
			report := b.Logf
			if rate/sqlRate < question.ofPgbench || median(cpuOfHand) < question.ofHand {
				report = b.Errorf
			}
			report("%s: %.0f requests a second are %.2f of pgbench's %.0f (limit %.2f), and %.2f of the %.0f of a "+
				"handler written by hand, whose CPU time is %.2f of ours (limit %.2f)", question.name, rate,
				rate/sqlRate, sqlRate, question.ofPgbench, median(ofHand), handRate, median(cpuOfHand), question.ofHand)
		})
	}
}

// A filled database has 100,000 hypotheses, in 100 workspaces of 20 projects each.
type filled struct {
	dbtest.Tenant
	hypothesis uuid.UUID
}

func fillWorkspaces(b testing.TB, d *dbtest.DB) filled {
	f := filled{Tenant: d.Tenant(b)}
	d.AsOwner(b, func(c *pgx.Conn) {
		// Without triggers: an event for every row is not what is measured.
		_, err := c.Exec(context.Background(), `set session_replication_role = replica;
insert into workspaces (id, name, slug, created_by)
  select md5('w' || w)::uuid, 'Workspace ' || w, 'w' || w, id
  from generate_series(1, 99) w, (select id from auth.users limit 1) u;
insert into projects (id, workspace_id, name)
  select md5('p' || w.id || i)::uuid, w.id, 'Project ' || i from workspaces w, generate_series(1, 20) i;
delete from projects
  where name = 'Project 1' and workspace_id = (select workspace_id from projects where name = 'Project');
insert into personas (workspace_id, project_id, name)
  select workspace_id, p.id, 'Persona ' || i from projects p, generate_series(1, 5) i;
insert into hypotheses (workspace_id, project_id, persona_id, statement, created_at)
  select p.workspace_id, p.id,
    (select id from personas where project_id = p.id and name = 'Persona ' || 1 + i % 5),
    'People of segment ' || i || ' would pay for this if it saved them an hour a week',
    now() - i * interval '1 hour'
  from projects p, generate_series(1, 50) i;
set session_replication_role = default; analyze`)
		require.NoError(b, err)
	})
	require.Equal(b, 100_000, dbtest.Value[int](b, d, `select count(*) from hypotheses`))
	one := `select id from hypotheses where project_id = $1 limit 1`
	f.hypothesis = dbtest.Value[uuid.UUID](b, d, one, f.Project)
	return f
}

// byHandEnv has the database's URL for the process of the handler that is written by hand.
const byHandEnv = "BENCH_BY_HAND"

// startByHand starts the handler that is written by hand, in a process of its own like `research serve`. In
// the process of the clients it would answer without the kernel's switches between processes.
func startByHand(b testing.TB, databaseURL string) (address string) {
	cmd := exec.CommandContext(context.Background(), os.Args[0], "-test.run", "^TestServeByHand$")
	cmd.Env = append(os.Environ(), byHandEnv+"="+databaseURL)
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	require.NoError(b, err)
	input, err := cmd.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = input.Close() // ends the process
		_ = cmd.Wait()
	})
	address, err = bufio.NewReader(output).ReadString('\n')
	require.NoError(b, err)
	return strings.TrimSpace(address)
}

// TestServeByHand is the process of startByHand. It writes its address, and ends with its standard input.
func TestServeByHand(t *testing.T) {
	t.Parallel()
	databaseURL := os.Getenv(byHandEnv)
	if databaseURL == "" {
		t.Skip("only the benchmark of the data API starts it")
	}
	_, err := fmt.Fprintln(os.Stdout, serveByHand(t, databaseURL))
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, os.Stdin)
	require.NoError(t, err)
}

// serveByHand serves what one would write without a data API: a handler for each request, which checks key,
// token and session, prepares its query, makes one round trip, and scans rows into structs.
func serveByHand(b testing.TB, databaseURL string) (address string) {
	ctx := context.Background()
	pc, err := pgxpool.ParseConfig(databaseURL)
	require.NoError(b, err)
	pc.MaxConns = 20
	pc.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, `set role authenticator`)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	store, err := db.Open(ctx, db.Config{URL: databaseURL})
	require.NoError(b, err)
	b.Cleanup(store.Close)
	authenticator := tokentest.New(b, store, token.KeysConfig{Issuer: issuer}).Authenticator
	refuse := func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusUnauthorized)
	}

	type persona struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	}
	type brief struct {
		ID        uuid.UUID `json:"id"`
		Statement string    `json:"statement"`
		Status    string    `json:"status"`
		Persona   *persona  `json:"personas"`
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		subject := token.From(r.Context())
		batch := &pgx.Batch{}
		batch.Queue(`select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
			subject.Role, string(subject.Claims))
		var answer any
		if id := query.Get("id"); id != "" {
			byID := batch.Queue(`select * from hypotheses where id = $1`, strings.TrimPrefix(id, "eq."))
			byID.Query(func(rows pgx.Rows) (err error) {
				answer, err = pgx.CollectRows(rows, pgx.RowToMap)
				return err
			})
		} else {
			ofProject := batch.Queue(`select h.id, h.statement, h.status::text, p.id, p.name
				from hypotheses h left join personas p on p.id = h.persona_id
				where h.project_id = $1 order by h.created_at desc limit 50`,
				strings.TrimPrefix(query.Get("project_id"), "eq."))
			ofProject.Query(func(rows pgx.Rows) error {
				list := []brief{}
				for rows.Next() {
					var one brief
					var id *uuid.UUID
					var name *string
					if err := rows.Scan(&one.ID, &one.Statement, &one.Status, &id, &name); err != nil {
						return err
					}
					if id != nil {
						one.Persona = &persona{*id, *name}
					}
					list = append(list, one)
				}
				answer = list
				return rows.Err()
			})
		}
		if err := pool.SendBatch(r.Context(), batch).Close(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, err := json.Marshal(answer)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body)
	})
	server := httptest.NewServer(authenticator.APIKey(refuse)(authenticator.Bearer(refuse)(handler)))
	b.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	require.NoError(b, err)
	return u.Host
}
