//go:build cluster

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/dev"
)

const (
	loadClients  = 16
	loadFor      = 10 * time.Second
	loadImports  = 100 // without a model
	modelImports = 32
	loadDigests  = 1000

	modelDelay = time.Second
	modelCalls = 4 // at once, of one worker
)

// Requests, imports and digests a second of one process (`research dev`), and of clusters with one, two and
// four workers. Digests have no limit of mails a second here, and mails become files. The table is for
// docs/cluster.md.
func TestClusterLoad(t *testing.T) {
	// A busy machine makes Temporal slow; no request is answered with 503 for that.
	unlimited := settings{"MAIL_RATE": "0", "TEMPORAL_TIMEOUT": "10s"}
	// With a model that takes its time, what bounds a worker is the calls that it may have in flight.
	model := modeltest.New(t).Always(modeltest.Delay(modelDelay, modeltest.Nothing()))
	slow := unlimited.with(settings{
		"OPENAI_BASE_URL": model.URL, "OPENAI_API_KEY": "key", "OPENAI_MODEL": "test",
		"MODEL_CALLS_IN_FLIGHT": strconv.Itoa(modelCalls),
	})
	sizes := []int{1, 2, 4}
	results := []result{{stack: "one process"}}
	for _, size := range sizes {
		results = append(results, result{stack: fmt.Sprintf("cluster, workers: %d", size)})
	}

	t.Run("one process", func(t *testing.T) { results[0].measure(t, startOneProcess(t, unlimited)) })
	t.Run("one process, slow model", func(t *testing.T) {
		results[0].modelImports = startOneProcess(t, slow).importRate(t, modelImports)
	})
	t.Run("cluster", func(t *testing.T) {
		c := startCluster(t, unlimited)
		for i, size := range sizes {
			c.useWorkers(t, size)
			results[i+1].measure(t, c.installation())
		}
	})
	t.Run("cluster, slow model", func(t *testing.T) {
		c := startCluster(t, slow)
		for i, size := range sizes {
			c.useWorkers(t, size)
			results[i+1].modelImports = c.installation().importRate(t, modelImports)
		}
	})
	var table strings.Builder
	table.WriteString("| | requests/s | imports/s, no model | imports/s, slow model | digests/s | " +
		"load average |\n")
	table.WriteString("|---|---:|---:|---:|---:|---:|\n")
	for _, r := range results {
		fmt.Fprintf(&table, "| %s | %.0f | %.1f | %.1f | %.0f | %s |\n",
			r.stack, r.requests, r.imports, r.modelImports, r.digests, r.load)
	}
	t.Logf("\n%s", &table)
}

// A result is a row of the table: how many a second.
type result struct {
	stack                                    string
	requests, imports, modelImports, digests float64
	load                                     string // of the machine before, over a minute
}

// measure puts each kind of load on an installation, one after the other.
func (r *result) measure(t *testing.T, i *installation) {
	t.Helper()
	r.load = loadAverage()
	r.requests, r.imports, r.digests = i.requestRate(t), i.importRate(t, loadImports), i.digestRate(t)
}

// loadAverage is the machine's load average over a minute, or "" where it has no /proc.
func loadAverage() string {
	content, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(content), " ")
	return load
}

func (c *cluster) installation() *installation {
	return &installation{api: c.api(), cronSecret: c.secrets["CRON_SECRET"], databaseURL: c.databaseURL}
}

// useWorkers leaves n workers running.
func (c *cluster) useWorkers(t *testing.T, count int) {
	t.Helper()
	for _, worker := range c.workers {
		require.NoError(t, worker.Stop())
	}
	c.workers = nil
	for i := range count {
		c.workers = append(c.workers, c.newWorker(i, nil))
	}
	require.NoError(t, startAll(t.Context(), c.workers...))
}

// An installation is what a load is put on.
type installation struct {
	*api
	cronSecret, databaseURL string
}

// startOneProcess is `research dev`: API and worker in one process, beside a PostgreSQL and Temporal's
// development server.
func startOneProcess(t *testing.T, more settings) *installation {
	t.Helper()
	folder, err := dev.OpenFolder(t.Context(), openFolder(t), os.Stderr)
	require.NoError(t, err)
	t.Cleanup(folder.Close)
	first := freePorts(t)
	binary, err := filepath.Abs(filepath.Join("..", "..", "bin", "research"))
	require.NoError(t, err)
	state := filepath.Join(folder.Path, "dev")
	require.NoError(t, os.Mkdir(state, 0o711))
	set := settings{
		"STATE_DIR": state, "HTTP_ADDR": local(first.api()), "POSTGRES_PORT": strconv.Itoa(first.postgres()),
		"TEMPORAL_PORT": strconv.Itoa(first.temporal()), "TEMPORAL_UI_PORT": strconv.Itoa(first.temporalUI()),
	}.with(more)
	env := filepath.Join(state, "dev.env")
	process := folder.NewService(dev.ServiceConfig{
		Name: "dev", Grace: time.Minute,
		Command: func() *exec.Cmd {
			cmd := newCommand(binary, "dev")
			cmd.Dir = filepath.Join("..", "..") // the module, where the temporal CLI may have to be built
			cmd.Env = append(os.Environ(), set.environ()...)
			return cmd
		},
	})
	require.NoError(t, process.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, process.Stop()) })
	eventually(t, "dev.env is there", func() bool {
		_, err := os.Stat(env)
		return err == nil
	})
	values, err := godotenv.Read(env)
	require.NoError(t, err)
	return &installation{
		api:        newAPI(values["API_URL"], values["ANON_KEY"]),
		cronSecret: values["CRON_SECRET"], databaseURL: values["DATABASE_URL"],
	}
}

// requestRate is how often a second clients read a list of twenty hypotheses.
func (i *installation) requestRate(t *testing.T) float64 {
	t.Helper()
	m := signUp(t, i.api)
	for n := range 19 {
		statement := fmt.Sprint("Statement ", n)
		m.insert(t, "hypotheses", map[string]string{"project_id": m.project, "statement": statement})
	}
	read := get("/rest/v1/hypotheses?select=id,statement,status,importance&order=created_at&limit=20")
	var done atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, loadClients)
	began := time.Now()
	for range loadClients {
		group.Go(func() {
			for time.Since(began) < loadFor {
				if err := m.expect(t.Context(), m.token, http.StatusOK, read, nil); err != nil {
					failures <- err
					return
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	return float64(done.Load()) / took.Seconds()
}

// importRate is how many interviews of two chunks are parsed in a second, from the first request on.
func (i *installation) importRate(t *testing.T, count int) float64 {
	t.Helper()
	m := signUp(t, i.api)
	ids := m.uploadAll(t, count, interview(420))
	began := time.Now()
	m.parseAll(t, ids)
	eventually(t, "all imports are parsed", func() bool {
		return count == value[int](t, i.databaseURL,
			`select count(*) from imports where project_id = $1 and status = 'parsed'`, m.project)
	})
	return float64(count) / time.Since(began).Seconds()
}

// digestRate is how many digests are sent in a second, from the request to the endpoint until the last mail.
func (i *installation) digestRate(t *testing.T) float64 {
	t.Helper()
	before := i.digestsSent(t)
	fillMembers(t, i.databaseURL, loadDigests)
	began := time.Now()
	go func() { // the answer may come before the last mail, or after
		_, _ = i.send(t.Context(), i.cronSecret, post("/api/notifications/digest?frequency=daily", nil))
	}()
	eventually(t, "all digests are sent", func() bool { return i.digestsSent(t) == before+loadDigests })
	return loadDigests / time.Since(began).Seconds()
}

func (i *installation) digestsSent(t *testing.T) int {
	t.Helper()
	return value[int](t, i.databaseURL, `select count(*) from digest_deliveries where status = 'sent'`)
}

// fillMembers adds workspaces of ten members, each with a hypothesis for which three quotes were found
// yesterday.
func fillMembers(t *testing.T, databaseURL string, members int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range []string{
		fmt.Sprintf(`create temporary table m as
			select gen_random_uuid() as id, (n - 1) / 10 as w from generate_series(1, %d) n`, members),
		`create temporary table w as
			select n, gen_random_uuid() as workspace, gen_random_uuid() as project, gen_random_uuid() as hypothesis
			from (select distinct w as n from m) x`,
		`insert into auth.users (id, email, email_confirmed_at) select id, id || '@example.com', now() from m`,
		`insert into workspaces (id, name) select workspace, 'Workspace ' || n from w`,
		`insert into workspace_members (workspace_id, user_id, role)
			select w.workspace, m.id, 'editor' from m join w on w.n = m.w`,
		`insert into projects (id, workspace_id, name) select project, workspace, 'Project ' || n from w`,
		`insert into hypotheses (id, project_id, statement)
			select hypothesis, project, 'Closing the books takes days' from w`,
		`insert into evidence (project_id, quote, speaker)
			select project, 'We closed October on the ninth.', 'Maya' from w, generate_series(1, 3)`,
		`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			select e.id, w.hypothesis, 'supports' from evidence e join w on w.project = e.project_id`,
		`update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours'
			where project_id in (select project from w)`,
		`update digest_preferences set frequency = 'daily' where user_id in (select id from m)`,
		`analyze`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}
