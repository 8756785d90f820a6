package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/dev/procmem"
)

// What one account can send that cost everybody time, memory or disk, beside its honest use. Each is refused
// or bounded, and the honest use beside it works.
func TestAttacks(t *testing.T) {
	t.Parallel()
	in := startInstallation(t, "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "WEBHOOK_ALLOWED_HOSTS=198.51.100.7")
	for name, test := range map[string]func(*testing.T, *account){
		"endpoints of webhooks":     attackEndpoints,
		"a quote of a megabyte":     attackQuote,
		"a pattern of wildcards":    attackPattern,
		"embeds in circles":         attackEmbeds,
		"texts of blanks":           attackBlanks,
		"speakers of a file":        attackSpeakers,
		"a public link":             attackPublicLink,
		"requests that are dropped": attackDroppedRequests,
		"bodies that never end":     attackSlowBodies,
		"an old session":            attackOldSession,
		"a removed inviter":         attackRemovedInviter,
	} {
		t.Run(name, func(t *testing.T) { test(t, in.signUp(t)) })
	}
}

// An account is one that anybody can make, with a workspace, a project and a hypothesis of its own.
type account struct {
	*installation
	email, token                                     string
	user, workspace, project, hypothesis, transcript string // ids; addTranscript sets the last
}

const attackersPassphrase = "the attacker's passphrase"

// signUp makes an account as anybody can.
func (in *installation) signUp(t testing.TB) *account {
	t.Helper()
	a := &account{installation: in, email: uuid.NewString() + "@attack.example"}
	status, session := in.post(t, "/auth/v1/signup", "", "application/json",
		fmt.Appendf(nil, `{"email": %q, "password": %q}`, a.email, attackersPassphrase))
	require.Equal(t, http.StatusOK, status, "%v", session)
	a.token = session["access_token"].(string)
	a.user = session["user"].(map[string]any)["id"].(string)
	a.workspace = a.insert(t, "workspaces", map[string]any{"name": "Attack", "slug": "a" + uuid.NewString()})
	a.project = a.insert(t, "projects", map[string]any{"workspace_id": a.workspace, "name": "Attack"})
	a.hypothesis = a.insert(t, "hypotheses",
		map[string]any{"project_id": a.project, "statement": "Closing the books takes days"})
	return a
}

// An answer is what an attacker sees.
type answer struct {
	status int // 0 where the connection was closed
	body   []byte
}

// send sends a request. It reads what comes back, and keeps at most 64 KB of it.
func (a *account) send(ctx context.Context, method, path, contentType string, body io.Reader) answer {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return answer{}
	}
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Prefer", "return=representation")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}
	}
	defer func() { _ = resp.Body.Close() }()
	kept, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	_, _ = io.Copy(io.Discard, resp.Body)
	return answer{status: resp.StatusCode, body: kept}
}

func (a *account) get(ctx context.Context, path string) answer {
	return a.send(ctx, http.MethodGet, path, "", nil)
}

// write inserts rows of a table, or calls another path with a body of JSON.
func (a *account) write(ctx context.Context, path string, body any) answer {
	raw, err := json.Marshal(body)
	if err != nil {
		return answer{}
	}
	return a.send(ctx, http.MethodPost, path, "application/json", bytes.NewReader(raw))
}

// insert inserts a row that is accepted, and returns its id.
func (a *account) insert(t testing.TB, table string, row map[string]any) (id string) {
	t.Helper()
	made := a.write(t.Context(), "/rest/v1/"+table+"?select=id", row)
	require.Equal(t, http.StatusCreated, made.status, "%s", made.body)
	var rows []struct{ ID string }
	require.NoError(t, json.Unmarshal(made.body, &rows))
	return rows[0].ID
}

// upload uploads a transcript.
func (a *account) upload(ctx context.Context, filename string, content []byte) answer {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("project_id", a.project) // a buffer takes all that is written
	part, _ := w.CreateFormFile("file", filename)
	_, _ = part.Write(content)
	_ = w.Close()
	return a.send(ctx, http.MethodPost, "/api/import", w.FormDataContentType(), &form)
}

// addTranscript uploads a transcript that is accepted.
func (a *account) addTranscript(t testing.TB, filename string, content []byte) {
	t.Helper()
	uploaded := a.upload(t.Context(), filename, content)
	require.Equal(t, http.StatusCreated, uploaded.status, "%s", uploaded.body)
	var added struct{ ImportID string }
	require.NoError(t, json.Unmarshal(uploaded.body, &added))
	a.transcript = added.ImportID
}

// refused requires an answer that blames the client.
func refused(t testing.TB, got answer) {
	t.Helper()
	require.GreaterOrEqual(t, got.status, http.StatusBadRequest, "%s", got.body)
	require.Less(t, got.status, http.StatusInternalServerError, "%s", got.body)
}

func accepted(t testing.TB, got answer) {
	t.Helper()
	require.Contains(t, []int{http.StatusOK, http.StatusCreated}, got.status, "%s", got.body)
}

// endpoints are n webhook endpoints.
func (a *account) endpoints(n int) []map[string]any {
	return slices.Repeat([]map[string]any{{
		"workspace_id": a.workspace, "url": "https://198.51.100.7/h", "events": []string{"question.*"},
	}}, n)
}

// questions are n questions, each of which is an event.
func (a *account) questions(n int) []map[string]any {
	return slices.Repeat([]map[string]any{{"project_id": a.project, "text": "Why?"}}, n)
}

func attackEndpoints(t *testing.T, a *account) {
	accepted(t, a.write(t.Context(), "/rest/v1/webhook_endpoints", a.endpoints(1)))
	refused(t, a.write(t.Context(), "/rest/v1/webhook_endpoints", a.endpoints(5000)))
	other := a.signUp(t)
	accepted(t, a.write(t.Context(), "/rest/v1/questions", a.questions(1000)))
	stream := other.openEvents(t)
	accepted(t, other.write(t.Context(), "/rest/v1/questions", other.questions(1)))
	stream.awaitQuestion(t)
	require.Equal(t, "0", a.query(t, `
		select count(*)::text from webhook_deliveries
		where workspace_id = $1 and type like 'question.%'`, a.workspace),
		"the receiver has not accepted a test delivery")
}

func attackQuote(t *testing.T, a *account) {
	a.addTranscript(t, "long.txt", longTurn())
	refused(t, a.quote(t.Context(), strings.Repeat("a", 1_300_000)+"b"))
	accepted(t, a.quote(t.Context(), strings.Repeat("a", 100)))
}

// longTurn is a transcript of one turn without a break.
func longTurn() []byte { return []byte("Ann: " + strings.Repeat("a", 2_600_000) + "\n") }

// quote adds evidence by hand.
func (a *account) quote(ctx context.Context, quote string) answer {
	return a.write(ctx, "/rest/v1/evidence",
		map[string]any{"project_id": a.project, "import_id": a.transcript, "quote": quote})
}

func attackPattern(t *testing.T, a *account) {
	a.addTranscript(t, "long.txt", longTurn())
	for _, operator := range []string{"like", "ilike"} {
		refused(t, a.get(t.Context(), a.utterancesPath()+"&text="+operator+".*"+strings.Repeat("a_", 4000)+"b"))
		accepted(t, a.get(t.Context(), a.utterancesPath()+"&text="+operator+".*books*"))
	}
	refused(t, a.get(t.Context(), a.utterancesPath()+"&text=match."+strings.Repeat("(a*)*", 1000)+"b"))
	accepted(t, a.get(t.Context(), a.utterancesPath()+"&text=match.book.*days"))
}

func (a *account) utterancesPath() string {
	return "/rest/v1/utterances?select=ordinal&import_id=eq." + a.transcript
}

func attackEmbeds(t *testing.T, a *account) {
	a.addTranscript(t, "turns.txt", turns(40))
	path := a.utterancesPath()
	circle := "imports(id,utterances(ordinal))"
	selected := func(more string) string { return strings.Replace(path, "ordinal", "ordinal,"+more, 1) }
	accepted(t, a.get(t.Context(), selected(circle)))
	for range 3 {
		circle = "imports(id,utterances(ordinal," + circle + "))"
	}
	refused(t, a.get(t.Context(), selected(circle)))
}

// turns is a transcript of n short turns.
func turns(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "Speaker %d: In week %d we closed the books.\n\n", i%2, i)
	}
	return b.Bytes()
}

func attackBlanks(t *testing.T, a *account) {
	statement := map[string]any{"project_id": a.project, "statement": "x"}
	accepted(t, a.write(t.Context(), "/rest/v1/hypotheses", statement))
	statement["statement"] = "x" + strings.Repeat(" ", 9_000_000)
	refused(t, a.write(t.Context(), "/rest/v1/hypotheses", statement))
}

func attackSpeakers(t *testing.T, a *account) {
	accepted(t, a.upload(t.Context(), "panel.vtt", voices(30)))
	refused(t, a.upload(t.Context(), "crowd.vtt", voices(100_000)))
}

// voices is a transcript with n speakers.
func voices(n int) []byte {
	var b bytes.Buffer
	b.WriteString("WEBVTT\n")
	for i := range n {
		fmt.Fprintf(&b, "\n00:%02d:%02d.000 --> 00:%02d:%02d.500\n<v Name%c%c%c%c Sur>Yes.\n",
			i/60%60, i%60, i/60%60, i%60, 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	return b.Bytes()
}

// A link to findings needs no account. Those who read it all at once do not stop others.
func attackPublicLink(t *testing.T, a *account) {
	a.addTranscript(t, "panel.vtt", voices(200))
	link := a.shareFindings(t)
	accepted(t, link.get(t.Context(), "/api/findings/shared"))
	var readers sync.WaitGroup
	for range 40 {
		readers.Go(func() { link.get(t.Context(), "/api/findings/shared") })
	}
	other := a.signUp(t)
	accepted(t, other.get(t.Context(), "/rest/v1/hypotheses?limit=1"))
	readers.Wait()
}

// shareFindings returns what a person without an account has: the token of a link to the findings.
func (a *account) shareFindings(t testing.TB) *account {
	t.Helper()
	made := a.write(t.Context(), "/api/findings/shares", map[string]any{"hypothesisId": a.hypothesis})
	accepted(t, made)
	var share struct{ Token string }
	require.NoError(t, json.Unmarshal(made.body, &share))
	return &account{installation: a.installation, token: share.Token}
}

// A client that hangs up leaves no work behind.
func attackDroppedRequests(t *testing.T, a *account) {
	a.addTranscript(t, "turns.txt", turns(20_000))
	const slow = "&text=match.(In|in).*week.*(closed|open).*books.*never"
	var clients sync.WaitGroup
	for range 30 {
		clients.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			a.get(ctx, a.utterancesPath()+slow)
		})
	}
	clients.Wait()
	eventually(t, "no backend works for a client that has gone", func() bool {
		return a.query(t, `select count(*)::text from pg_stat_activity
			where state = 'active' and application_name like 'research serve%' and query like '%utterances%'`) == "0"
	})
	accepted(t, a.get(t.Context(), "/rest/v1/hypotheses?limit=1"))
}

// Bodies that are sent up to their last bytes are not kept for ever.
func attackSlowBodies(t *testing.T, a *account) {
	connections := a.pauseBodies(t.Context(), 8, 10_400_000)
	other := a.signUp(t)
	accepted(t, other.write(t.Context(), "/rest/v1/questions", other.questions(1)))
	eventually(t, "the connections are closed or answered", func() bool {
		open := 0
		for _, c := range connections {
			if !ended(c) {
				open++
			}
		}
		return open == 0
	})
}

// pauseBodies opens connections, each of which sends all of a body but its end.
func (a *account) pauseBodies(ctx context.Context, connections, size int) (open []net.Conn) {
	chunk := bytes.Repeat([]byte(" "), 64<<10)
	for range connections {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(a.url, "http://"))
		if err != nil {
			continue
		}
		_, err = fmt.Fprintf(c, "POST /rest/v1/questions HTTP/1.1\r\nHost: localhost\r\napikey: %s\r\n"+
			"Authorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			anonKey, a.token, size)
		for sent := 0; err == nil && sent < size-100_000; sent += len(chunk) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // where the service reads no more
			_, err = c.Write(chunk)
		}
		open = append(open, c)
		context.AfterFunc(ctx, func() { _ = c.Close() })
	}
	return open
}

// ended reports whether the service has answered or closed a connection.
func ended(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// The access token of an old session, which was stolen, does not become the account.
func attackOldSession(t *testing.T, a *account) {
	enroll := func() answer {
		return a.write(t.Context(), "/auth/v1/factors",
			map[string]any{"factor_type": "totp", "friendly_name": "phone"})
	}
	a.query(t, `with old as (
			update auth.sessions set created_at = now() - interval '3 days' where user_id = $1 returning id
		) select count(*)::text from old`, a.user)
	refused(t, enroll())
	status, session := a.post(t, "/auth/v1/token?grant_type=password", "", "application/json",
		fmt.Appendf(nil, `{"email": %q, "password": %q}`, a.email, attackersPassphrase))
	require.Equal(t, http.StatusOK, status, "%v", session)
	a.token = session["access_token"].(string)
	accepted(t, enroll())
}

// An invitation ends with the membership of the admin who gave it.
func attackRemovedInviter(t *testing.T, owner *account) {
	admin, friend, second := owner.signUp(t), owner.signUp(t), owner.signUp(t)
	owner.query(t, `with proven as (update auth.users set email_confirmed_at = now() returning id)
		select count(*)::text from proven`)
	join := func(inviter, invited *account, role string) (accept func() answer) {
		id := inviter.insert(t, "workspace_invitations",
			map[string]any{"workspace_id": owner.workspace, "email": invited.email, "role": role})
		return func() answer {
			return invited.write(t.Context(), "/rest/v1/rpc/accept_invitation", map[string]any{"invitation": id})
		}
	}
	require.Equal(t, "true", string(join(owner, admin, "admin")().body))
	require.Equal(t, "true", string(join(admin, second, "viewer")().body))
	late := join(admin, friend, "viewer")
	removed := owner.send(t.Context(), http.MethodDelete,
		"/rest/v1/workspace_members?workspace_id=eq."+owner.workspace+"&user_id=eq."+admin.user, "", nil)
	accepted(t, removed)
	require.NotEqual(t, "true", string(late().body), "the inviter is no member any more")
	seen := friend.get(t.Context(), "/rest/v1/projects?workspace_id=eq."+owner.workspace)
	require.Equal(t, "[]", string(seen.body))
}

// An eventStream is a connection to the events of an account.
type eventStream struct{ lines *bufio.Scanner }

// openEvents opens the stream, and waits until it has begun.
func (a *account) openEvents(t testing.TB) *eventStream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+"/api/events", nil)
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+a.token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusOK, resp.StatusCode)
	s := &eventStream{lines: bufio.NewScanner(resp.Body)}
	require.True(t, s.lines.Scan(), "the stream has not begun")
	return s
}

// awaitQuestion waits for an event about a question.
func (s *eventStream) awaitQuestion(t testing.TB) {
	t.Helper()
	for s.lines.Scan() {
		if strings.HasPrefix(s.lines.Text(), "data:") && strings.Contains(s.lines.Text(), `"question.`) {
			return
		}
	}
	t.Fatal("the stream has ended: ", s.lines.Err())
}

// Five accounts attack in every way at once, for some time. Somebody else's reads and events must stay quick,
// and memory and disk bounded.
func BenchmarkAttacks(b *testing.B) {
	const (
		attackers    = 5
		duration     = time.Minute
		maxRead      = time.Second     // the 95th percentile
		maxEvent     = 3 * time.Second // the slowest
		maxServeMB   = 512
		maxBackendMB = 300
		maxDiskMB    = 200 // in a minute
	)
	in := startInstallation(b, "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "WEBHOOK_ALLOWED_HOSTS=198.51.100.7")
	victim := in.signUp(b)
	stream := victim.openEvents(b)
	gang := make([]*account, attackers)
	for i := range gang {
		gang[i] = in.signUp(b)
		gang[i].addTranscript(b, "long.txt", slices.Concat(turns(40), longTurn()))
	}
	links := gang[0].shareFindings(b)
	grown := in.databaseMB(b)

	ctx, stop := context.WithTimeout(b.Context(), duration)
	defer stop()
	var attacks sync.WaitGroup
	counts := newAnswerCounts()
	for _, a := range gang {
		for name, strike := range a.strikes(links) {
			attacks.Go(func() {
				for ctx.Err() == nil {
					counts.add(name, strike(ctx))
				}
			})
		}
	}
	memory := in.watchMemory(ctx, b)
	var reads, events []time.Duration
	for n := 0; ctx.Err() == nil; n++ {
		reads = append(reads, took(func() { accepted(b, victim.get(b.Context(), "/rest/v1/hypotheses?limit=1")) }))
		if n%10 == 0 {
			events = append(events, took(func() {
				accepted(b, victim.write(b.Context(), "/rest/v1/questions", victim.questions(1)))
				stream.awaitQuestion(b)
			}))
		}
		time.Sleep(50 * time.Millisecond) // as a person's page does
	}
	attacks.Wait()
	grown = in.databaseMB(b) - grown
	slices.Sort(reads)
	read, event := reads[len(reads)*95/100], slices.Max(events)
	serveMB, backendMB := memory()
	b.Logf("%d reads, %d events; answers by attack: %v", len(reads), len(events), counts)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(read.Seconds()*1000, "read-p95-ms")
	b.ReportMetric(event.Seconds()*1000, "event-max-ms")
	b.ReportMetric(serveMB, "serve-MB")
	b.ReportMetric(backendMB, "backend-MB")
	b.ReportMetric(grown/duration.Minutes(), "disk-MB/min")
	require.Positive(b, serveMB, "memory is not measured")
	require.Positive(b, backendMB, "memory is not measured")
	require.Less(b, read, maxRead)
	require.Less(b, event, maxEvent)
	require.Less(b, serveMB, float64(maxServeMB))
	require.Less(b, backendMB, float64(maxBackendMB))
	require.Less(b, grown, maxDiskMB*duration.Minutes())
}

// strikes are the attacks of one account, which it repeats. Each returns the status of its answer.
func (a *account) strikes(link *account) map[string]func(context.Context) int {
	statements := map[string]any{"project_id": a.project, "statement": "x" + strings.Repeat(" ", 9_000_000)}
	circle := "imports(id,utterances(ordinal,imports(id,utterances(ordinal,imports(id,utterances(ordinal))))))"
	crowd, panel := voices(100_000), voices(200)
	several := func(n int, strike func(context.Context) int) func(context.Context) int {
		return func(ctx context.Context) (status int) {
			var all sync.WaitGroup
			for range n {
				all.Go(func() { _ = strike(ctx) })
			}
			status = strike(ctx)
			all.Wait()
			return status
		}
	}
	return map[string]func(context.Context) int{
		"endpoints": func(ctx context.Context) int {
			return a.write(ctx, "/rest/v1/webhook_endpoints", a.endpoints(5000)).status
		},
		"questions": func(ctx context.Context) int {
			return a.write(ctx, "/rest/v1/questions", a.questions(1000)).status
		},
		"quote": func(ctx context.Context) int { return a.quote(ctx, strings.Repeat("a", 1_300_000)+"b").status },
		"like": func(ctx context.Context) int {
			return a.get(ctx, a.utterancesPath()+"&text=like.*"+strings.Repeat("a_", 4000)+"b").status
		},
		"pattern within the bounds": func(ctx context.Context) int {
			return a.get(ctx, a.utterancesPath()+"&text=ilike.*"+strings.Repeat("a*", 60)+"b").status
		},
		"circle": several(3, func(ctx context.Context) int {
			return a.get(ctx, strings.Replace(a.utterancesPath(), "ordinal", "ordinal,"+circle, 1)).status
		}),
		"list within the bounds": several(3, func(ctx context.Context) int {
			return a.get(ctx, "/rest/v1/imports?select=*,utterances(*)&id=eq."+a.transcript).status
		}),
		"blanks": func(ctx context.Context) int { return a.write(ctx, "/rest/v1/hypotheses", statements).status },
		"estimate": func(ctx context.Context) int {
			return a.write(ctx, "/api/import/"+a.transcript+"/estimate",
				map[string]any{"hypothesisIds": []string{a.hypothesis}}).status
		},
		"crowd": func(ctx context.Context) int { return a.upload(ctx, "crowd.vtt", crowd).status },
		"panel": func(ctx context.Context) int { return a.upload(ctx, "panel.vtt", panel).status },
		"large": func(ctx context.Context) int { return a.upload(ctx, "large.txt", turns(150_000)).status },
		"link": several(7, func(ctx context.Context) int {
			return link.get(ctx, "/api/findings/shared").status
		}),
		"dropped": several(5, func(ctx context.Context) int {
			ctx, cancel := context.WithTimeout(ctx, 400*time.Millisecond)
			defer cancel()
			return a.quote(ctx, strings.Repeat("a", 9_000)+"b").status
		}),
		"slow bodies": func(ctx context.Context) int {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			for _, c := range a.pauseBodies(ctx, 8, 10_400_000) {
				for !ended(c) {
					continue
				}
			}
			return 0
		},
		"export": func(ctx context.Context) int { return a.get(ctx, "/api/account/export").status },
		"parse": func(ctx context.Context) int {
			return a.write(ctx, "/api/import/"+a.transcript+"/parse",
				map[string]any{"hypothesisIds": []string{a.hypothesis}}).status
		},
	}
}

// took measures a call.
func took(call func()) time.Duration {
	began := time.Now()
	call()
	return time.Since(began)
}

// answerCounts counts the statuses of answers to each attack.
type answerCounts struct {
	mu     sync.Mutex
	counts map[string]map[int]int
}

func newAnswerCounts() *answerCounts { return &answerCounts{counts: map[string]map[int]int{}} }

func (c *answerCounts) add(attack string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[attack] == nil {
		c.counts[attack] = map[int]int{}
	}
	c.counts[attack][status]++
}

func (c *answerCounts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.counts)
}

// databaseMB is the size of the database on disk.
func (in *installation) databaseMB(t testing.TB) float64 {
	t.Helper()
	size, err := strconv.ParseFloat(in.query(t, `select pg_database_size(current_database())::text`), 64)
	require.NoError(t, err)
	return size / 1e6
}

// watchMemory samples memory until ctx ends. What it returns waits for that, and returns the largest resident
// memory of serve and of a backend of PostgreSQL, without what backends share.
func (in *installation) watchMemory(
	ctx context.Context, t testing.TB,
) (peaks func() (serveMB, backendMB float64)) {
	t.Helper()
	observer, err := pgx.Connect(ctx, in.db.URL)
	require.NoError(t, err)
	serve := in.parts["serve"].PID()
	var serveMB, backendMB float64
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = observer.Close(context.Background()) }()
		for ctx.Err() == nil {
			mb, _ := procmem.MB(serve, "RssAnon")
			serveMB = max(serveMB, mb)
			rows, _ := observer.Query(ctx, `select pid from pg_stat_activity where backend_type = 'client backend'`)
			backends, _ := pgx.CollectRows(rows, pgx.RowTo[int])
			for _, pid := range backends {
				mb, _ := procmem.MB(pid, "RssAnon") // 0 for one that has ended
				backendMB = max(backendMB, mb)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return func() (float64, float64) { <-done; return serveMB, backendMB }
}
