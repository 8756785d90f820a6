package dev_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
	"research/dev"
)

// `make chaos` sets these higher.
var (
	chaosImports = flag.Int("chaos-imports", 8, "how many imports TestChaos parses")
	chaosKills   = flag.Int("chaos-kills", 4, "how often TestChaos kills something")
	chaosSeed    = flag.Uint64("chaos-seed", 1, "of TestChaos' random choices")
)

const (
	chaosTexts  = 4               // different interviews
	chaosSettle = 4 * time.Minute // how long imports may go on after the last kill: the heartbeat time-out of a call, the grace of a claim, and a busy machine
)

// Any process can be killed at any moment: each import is parsed, its evidence is that of a run that nobody disturbed, and a model call that was answered is not made again.
func TestChaos(t *testing.T) {
	t.Parallel()
	s := startServers(t)
	t.Logf("seed %d", *chaosSeed)
	random := rand.New(rand.NewPCG(*chaosSeed, 0))

	calm := s.newProject(t)
	for i := range chaosTexts {
		calm.parse(t, calm.add(t, i))
	}
	for _, id := range calm.imports {
		s.waitFor(t, id, time.Minute)
	}
	expected := map[int]string{}
	for i, id := range calm.imports {
		expected[i] = s.evidence(t, id)
		require.NotEmpty(t, expected[i])
	}
	require.Equal(t, 0, s.paidTwice(t), "nobody was killed")

	storm := s.newProject(t)
	began := time.Now()
	var requests sync.WaitGroup
	for kill := range *chaosKills {
		// So many imports that some are under way at each kill.
		for len(storm.imports) < (kill+1)**chaosImports / *chaosKills {
			id := storm.add(t, len(storm.imports))
			requests.Go(func() { storm.parse(t, id) })
		}
		s.pause(t, random, 2*time.Second)
		victims := s.choose(random, kill)
		s.kill(t, victims, random)
		t.Logf("%s: kill %d, %v", time.Since(began).Round(time.Second), kill+1, victims)
	}
	requests.Wait()
	for _, id := range storm.imports {
		s.waitFor(t, id, chaosSettle)
	}

	for i, id := range storm.imports {
		require.Equal(t, expected[i%chaosTexts], s.evidence(t, id), "import %s", id)
	}
	require.Equal(t, "0", s.text(t, `select count(*)::text from (select entity_id from activity_events where entity_type = 'import' and verb = 'parsed' group by 1 having count(*) > 1) x`))
	require.Equal(t, "0", s.text(t, `select count(*)::text from imports where status <> 'parsed'`))
	require.Zero(t, s.paidTwice(t), "calls were made again after their answers were stored")
	t.Logf("%d imports, %d kills of %s in %s: %d calls for %d questions, %d were made again",
		len(storm.imports), *chaosKills, s.victims(), time.Since(began).Round(time.Second), s.model.count(), s.model.questions(), s.model.count()-s.model.questions())
}

// servers are the four processes of an installation, each for itself.
type servers struct {
	dir      string
	url      string // of the API
	database string
	temporal string // its address
	parts    map[string]*dev.Part
	model    *slowModel
	db       *dbtest.DB
	another  func(name string, settings ...string) *dev.Part // a further serve or worker

	mu    sync.Mutex
	kills []outage
}

// An outage is from a kill until everything was back.
type outage struct {
	parts      []string
	from, till time.Time
}

func startServers(t *testing.T, settings ...string) *servers {
	t.Helper()
	s := &servers{dir: openFolder(t), parts: map[string]*dev.Part{}, model: newSlowModel(t)}
	postgres, url, err := dev.NewPostgres(t.Context(), s.dir)
	require.NoError(t, err)
	temporal, address, err := dev.NewTemporal(t.Context(), s.dir)
	require.NoError(t, err)
	s.database, s.temporal, s.url, s.db = url, address, "http://127.0.0.1:"+freePort(t), &dbtest.DB{URL: url}
	settings = append([]string{
		"DATABASE_URL=" + url, "TEMPORAL_ADDRESS=" + address, "HTTP_ADDR=" + strings.TrimPrefix(s.url, "http://"), "STATE_DIR=" + s.dir,
		"ANON_KEY=anon-key", "SERVICE_ROLE_KEY=service-key", "CRON_SECRET=cron-secret-cron-secret", "RECONCILE_INTERVAL=2s",
		"OPENAI_BASE_URL=" + s.model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=test",
	}, settings...)
	command := func(name string, more ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := research(t, name)
			cmd.Env = append(append(cmd.Env, settings...), more...)
			return cmd
		}
	}
	s.another = func(name string, more ...string) *dev.Part {
		return dev.NewProgram("another-"+name, s.dir, command(name, more...))
	}
	s.parts["postgres"], s.parts["temporal"] = postgres, temporal
	s.start(t, "postgres", "temporal")
	migrate := command("migrate")()
	out, err := migrate.CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.parts["serve"], s.parts["worker"] = dev.NewProgram("serve", s.dir, command("serve")), dev.NewProgram("worker", s.dir, command("worker"))
	s.start(t, "serve", "worker")
	s.ready(t)
	return s
}

func (s *servers) start(t *testing.T, names ...string) {
	t.Helper()
	var starting sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		starting.Go(func() { errs[i] = s.parts[name].Start(t.Context()) })
		t.Cleanup(s.parts[name].End)
	}
	starting.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func (s *servers) ready(t *testing.T) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("serve: %s\nworker: %s", s.parts["serve"].Output(), s.parts["worker"].Output())
		}
	}()
	eventually(t, "the API is ready", func() bool { return status(t, s.url+"/readyz") == http.StatusOK })
}

// choose takes each part alone first, then all of them together, and from then on what chance says.
func (s *servers) choose(random *rand.Rand, kill int) []string {
	names := []string{"worker", "postgres", "temporal", "serve"}
	switch {
	case *chaosKills <= len(names) && kill == *chaosKills-1:
		return names
	case kill < len(names):
		return names[kill : kill+1]
	case random.IntN(6) == 0:
		return names
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+random.IntN(2)]
}

// kill ends parts at once and starts them again after a while.
func (s *servers) kill(t *testing.T, names []string, random *rand.Rand) {
	t.Helper()
	o := outage{parts: names, from: time.Now()}
	var dying sync.WaitGroup
	for _, name := range names {
		dying.Go(s.parts[name].Kill)
	}
	dying.Wait()
	s.pause(t, random, time.Second)
	isServer := func(name string) bool { return name == "postgres" || name == "temporal" }
	s.start(t, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isServer(name) })...)
	s.start(t, slices.DeleteFunc(slices.Clone(names), isServer)...) // a program without its database ends, and whoever keeps it starts it again
	s.ready(t)
	o.till = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kills = append(s.kills, o)
}

// pause lets the others work for a random time.
func (s *servers) pause(t *testing.T, random *rand.Rand, most time.Duration) {
	t.Helper()
	select {
	case <-time.After(time.Duration(random.Int64N(int64(most)))):
	case <-t.Context().Done():
	}
}

func (s *servers) victims() string {
	counts := map[string]int{}
	for _, o := range s.kills {
		counts[strings.Join(o.parts, "+")]++
	}
	var b []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		b = append(b, fmt.Sprintf("%s %d×", name, counts[name]))
	}
	return strings.Join(b, ", ")
}

// text reads a value as the database's owner, also while the database is just coming back.
func (s *servers) text(t *testing.T, sql string, args ...any) (value string) {
	t.Helper()
	eventually(t, sql, func() bool {
		conn, err := pgx.Connect(t.Context(), s.database)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		return conn.QueryRow(t.Context(), sql, args...).Scan(&value) == nil
	})
	return value
}

// evidence is all that an import came to, but for its ids.
func (s *servers) evidence(t *testing.T, id string) string {
	t.Helper()
	return s.text(t, `select coalesce(string_agg(concat_ws('|', e.byte_start, e.byte_end, e.quote, e.speaker, e.match, e.review, h.stance, h.strength, i.result, i.supports_count, i.contradicts_count,
			m.progress_done, m.progress_total, m.coverage, m.rejected_count, m.evidence_count), e'\n' order by e.byte_start, i.statement), '')
		from imports m join evidence e on e.import_id = m.id join evidence_hypotheses h on h.evidence_id = e.id
		join import_hypotheses i on i.import_id = m.id and i.hypothesis_id = h.hypothesis_id where m.id = $1`, id)
}

// waitFor waits until an import is parsed; no other end will do.
func (s *servers) waitFor(t *testing.T, id string, patience time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		status := s.text(t, `select concat_ws(' ', status, error_code) from imports where id = $1`, id)
		if status == "parsed" {
			return
		}
		require.Contains(t, []string{"uploaded", "queued", "parsing"}, status, "import %s", id)
		require.True(t, time.Now().Before(deadline), "import %s hangs: %s", id, status)
		time.Sleep(50 * time.Millisecond)
	}
}

// A project is where interviews are uploaded to.
type project struct {
	*servers
	tenant  dbtest.Tenant
	token   string
	wanted  []uuid.UUID
	imports []string
}

func (s *servers) newProject(t *testing.T) *project {
	t.Helper()
	p := &project{servers: s, tenant: s.db.Tenant(t)}
	for _, statement := range []string{"Closing the books takes days because receipts are missing", "Companies pay for a tool per seat"} {
		p.wanted = append(p.wanted, s.db.Hypothesis(t, p.tenant, statement))
	}
	email := dbtest.Value[string](t, s.db, `select email from auth.users where id = $1`, p.tenant.Editor)
	code, answer := s.post(t, "/auth/v1/token?grant_type=password", "", "application/json", fmt.Appendf(nil, `{"email": %q, "password": "correct horse"}`, email))
	require.Equal(t, http.StatusOK, code, "%v", answer)
	p.token = answer["access_token"].(string)
	return p
}

// interview is one of a few texts, of three chunks. What is not evidence differs, so that no two interviews are the same question.
func interview(project uuid.UUID, number int) []byte {
	n := number % chaosTexts
	var b strings.Builder
	for i := range 420 {
		fmt.Fprintf(&b, "%s: In week %d of %s-%06d we exported the card statement and pasted it in, and somebody sorted one column.\n\n", []string{"Dana", "Omar"}[i%2], i, project, number)
		switch i % 100 {
		case 50 + n:
			fmt.Fprintf(&b, "Omar: Closing the books takes us %d days because receipts are missing.\n\n", i)
		case 80 - n:
			fmt.Fprintf(&b, "Omar: We would never pay for a tool per seat, not even %d of them.\n\n", i)
		}
	}
	return []byte(b.String())
}

// add uploads an interview.
func (p *project) add(t *testing.T, number int) string {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("project_id", p.tenant.Project.String()))
	part, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(t, err)
	_, err = part.Write(interview(p.tenant.Project, number))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	code, answer := p.post(t, "/api/import", p.token, w.FormDataContentType(), form.Bytes())
	require.Equal(t, http.StatusCreated, code, "%v", answer)
	id := answer["importId"].(string)
	p.imports = append(p.imports, id)
	return id
}

// parse asks for a parse until it is under way, as a client does that gets no answer or is told to come again.
func (p *project) parse(t *testing.T, id string) {
	body, err := json.Marshal(map[string]any{"hypothesisIds": p.wanted})
	require.NoError(t, err)
	eventually(t, "import "+id+" is under way", func() bool {
		code, answer := p.post(t, "/api/import/"+id+"/parse", p.token, "application/json", body)
		return code == http.StatusOK || code == http.StatusUnprocessableEntity && strings.HasPrefix(answer["error"].(string), "import_already_")
	})
}

// post returns the status, 0 where there was no answer, and what was said.
func (s *servers) post(t *testing.T, path, token, contentType string, body []byte) (int, map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", "anon-key")
	req.Header.Set("Content-Type", contentType)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var answer map[string]any
	raw, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// A slowModel answers honestly, after a while, and keeps account of what it is asked.
type slowModel struct {
	*modeltest.Server

	mu    sync.Mutex
	calls []modelCall
}

// week is in almost every sentence of an interview, and in no other.
var week = regexp.MustCompile(`In week \d+ of [0-9a-f-]+`)

type modelCall struct {
	about      string    // the first week that is asked about: an interview and a chunk of it
	from, till time.Time // till is zero where the client hung up
}

func newSlowModel(t *testing.T) *slowModel {
	m := &slowModel{Server: modeltest.New(t)}
	m.Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		m.mu.Lock()
		n := len(m.calls)
		m.calls = append(m.calls, modelCall{about: week.FindString(x.User), from: time.Now()})
		m.mu.Unlock()
		select {
		case <-time.After(time.Duration(500+n%7*250) * time.Millisecond):
		case <-x.Gone:
			return
		}
		modeltest.Honest()(w, x)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls[n].till = time.Now()
	})
	return m
}

func (m *slowModel) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.calls)
}

// questions is how many different ones were asked.
func (m *slowModel) questions() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	different := map[string]bool{}
	for _, c := range m.calls {
		different[c.about] = true
	}
	return len(different)
}

// paidTwice counts the calls that were made again after their answer was stored, while nothing was killed from the call on until then. A call that is made again
// before its answer is stored, because a busy machine kept its heartbeats back, is none.
func (s *servers) paidTwice(t *testing.T) int {
	t.Helper()
	var rows []struct {
		About string
		At    time.Time
	}
	require.NoError(t, json.Unmarshal([]byte(s.text(t, `select coalesce(jsonb_agg(jsonb_build_object('about', x.about, 'at', x.at)), '[]')::text from (
		select (select substring(u.text from 'In week \d+ of [0-9a-f-]+') from utterances u
			where u.import_id = c.import_id and u.ordinal >= c.utterance_from and u.text like 'In week%' order by u.ordinal limit 1) as about, a.created_at as at
		from private.chunk_answers a join private.import_chunks c on c.import_id = a.import_id and a.key = any(c.answer_keys)) x`)), &rows))
	stored := map[string]time.Time{}
	for _, r := range rows {
		stored[r.About] = r.At
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	again := 0
	for i, c := range s.model.calls {
		require.Contains(t, stored, c.about)
		repeated := slices.ContainsFunc(s.model.calls[i+1:], func(later modelCall) bool { return later.about == c.about && later.from.After(stored[c.about]) })
		if c.till.IsZero() || !repeated {
			continue
		}
		excused := slices.ContainsFunc(s.kills, func(o outage) bool {
			return !slices.Equal(o.parts, []string{"serve"}) && o.from.Before(stored[c.about]) && o.till.After(c.from)
		})
		if !excused {
			again++
		}
	}
	return again
}
