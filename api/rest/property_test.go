package rest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The test sends requests in rounds of a thousand. After each round the victim's rows are compared, and the
// attackers get a new workspace.
const (
	propertyWorkers = 4
	perWorker       = 250 // of a round
)

// Every run of the tests sends the same three thousand requests. `make fuzz` sends 20,000, from a seed of its
// own.
var (
	propertyRounds = flag.Int("property-rounds", 3, "rounds of a thousand requests in TestNothingCrosses")
	propertySeed   = flag.Uint64("property-seed", 0, "the first round's seed")
)

// Members of one workspace send random requests against the rows of another: with its ids in filters, bodies
// and arguments, moving rows there and back, through embedded resources, upserts and functions. They never
// see or change any of them, and no request is answered with a 5xx, shows SQL or leaks a connection.
func TestNothingCrosses(t *testing.T) {
	t.Parallel()
	e := begin(t)
	victim := fill(t, e.DB, "victim")
	shapes := readShapes(t, e)
	before := state(t, e.DB, victim)
	require.Contains(t, e.as(t, victim.Owner).get("/evidence?select=*,projects(*)").body, victim.marker,
		"the victim sees what the others must not")

	statuses := map[int]int{}
	seen, sent := 0, 0
	for i := range *propertyRounds {
		round := *propertySeed + uint64(i)
		attacker := fill(t, e.DB, fmt.Sprintf("attacker%d", round))
		var wg sync.WaitGroup
		found := make([]findings, propertyWorkers)
		for worker, who := range []uuid.UUID{attacker.Owner, attacker.Admin, attacker.Editor, attacker.Viewer} {
			c := e.as(t, who)
			g := &generator{
				Rand: rand.New(rand.NewPCG(round, uint64(worker))), shapes: shapes, own: attacker, other: victim,
			}
			wg.Go(func() { found[worker] = g.attack(c) })
		}
		wg.Wait()
		for _, f := range found {
			for _, problem := range f.problems {
				t.Error(problem)
			}
			for status, n := range f.statuses {
				statuses[status] += n
				sent += n
			}
			seen += f.own
		}
		if t.Failed() {
			t.Fatalf("in round %d (the seed)", round)
		}
		require.Equal(t, before, state(t, e.DB, victim), "round %d (the seed) changed rows of the victim",
			round)
	}
	t.Logf("%d requests, of which %d showed rows of their own workspace: %v", sent, seen, statuses)
	require.Equal(t, *propertyRounds*propertyWorkers*perWorker, sent)
	require.Greater(t, seen, sent/25, "most requests are rejected, so that little is tested")
	for _, status := range []int{200, 201, 204, 206, 400, 403, 404, 406, 409, 416} {
		require.Positive(t, statuses[status], "no answer was %d", status)
	}
}

// findings are what one attacker saw.
type findings struct {
	problems []string
	statuses map[int]int
	own      int // answers with rows of the attacker's own
}

func (g *generator) attack(c *caller) findings {
	f := findings{statuses: map[int]int{}}
	for range perWorker {
		r := g.request()
		a, err := c.try(context.Background(), r.method, r.path, r.body, r.headers...)
		if err != nil {
			f.problems = append(f.problems, fmt.Sprintf("%s: %v", r, err))
			continue
		}
		f.statuses[a.status]++
		if strings.Contains(a.body, g.own.marker) {
			f.own++
		}
		if problem := wrong(a, g.other); problem != "" {
			f.problems = append(f.problems, fmt.Sprintf("%s\n%s: %d %.600s", r, problem, a.status, a.body))
		}
	}
	return f
}

// internals are words of our statements. No error may contain them.
var internals = []string{
	"pgrst_", "set_config", "json_agg", "json_build_object", "to_recordset", "lateral", "_source", "_written",
	"_body", "_page", "request.jwt",
}

// wrong says what is wrong with an answer, or nothing.
func wrong(a answer, victim filled) string {
	switch {
	case a.status >= 500:
		return "an internal error"
	case strings.Contains(a.body, victim.marker) || strings.Contains(fmt.Sprint(a.header), victim.marker):
		return "a row of another workspace"
	}
	if a.status >= 400 {
		for _, word := range internals {
			if strings.Contains(a.body, word) {
				return "our SQL (" + word + ")"
			}
		}
		var body map[string]any
		if a.body != "" && json.Unmarshal([]byte(a.body), &body) != nil {
			return "an error that is not JSON"
		}
	}
	return ""
}

// filled is a tenant with a row in every table. The texts of its rows contain the marker.
type filled struct {
	dbtest.Tenant
	marker string
	rows   []uuid.UUID // ids of rows
	people []uuid.UUID
}

func fill(t testing.TB, d *dbtest.DB, name string) filled {
	t.Helper()
	f := filled{Tenant: d.Tenant(t), marker: "marker-" + name + "-of-" + uuid.NewString()[:8]}
	f.people = []uuid.UUID{f.Owner, f.Admin, f.Editor, f.Viewer}
	add := func(sql string, args ...any) uuid.UUID {
		id := dbtest.Value[uuid.UUID](t, d, sql, args...)
		f.rows = append(f.rows, id)
		return id
	}
	m := f.marker
	f.rows = append(f.rows, f.Workspace, f.Project)
	d.Exec(t, `update workspaces set name = $2, slug = $2 where id = $1`, f.Workspace, m)
	d.Exec(t, `update projects set name = $2, description = $2 where id = $1`, f.Project, m)
	d.Exec(t, `update profiles set display_name = $2, email = id || $2 || '@example.com' where id = any ($1)`,
		f.people, m)
	persona := add(
		`insert into personas (project_id, name, goals, attributes)
			values ($1, $2, array[$2], jsonb_build_object('a', jsonb_build_object('b', $2::text))) returning id`,
		f.Project, m)
	hypothesis := add(
		`insert into hypotheses (project_id, persona_id, statement) values ($1, $2, $3) returning id`, f.Project,
		persona, m)
	add(`insert into hypotheses (project_id, statement, status) values ($1, $2, 'testing') returning id`,
		f.Project, m)
	imported := add(
		`insert into imports (project_id, title, format, size_bytes, sha256, created_by)
			values ($1, $2, 'webvtt', 1, '00', $3) returning id`,
		f.Project, m, f.Owner)
	d.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to($2, 'UTF8'))`, imported,
		m)
	d.Exec(t,
		`insert into utterances
				(import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end)
			values ($1, 0, $4, $2, $3, $3, 0, length($3))`,
		imported, f.Project, m, f.Workspace)
	d.Exec(t,
		`insert into utterance_questions (
				import_id, byte_start, byte_end, ordinal, workspace_id, project_id, words, is_open, is_closed,
				is_past, is_hypothetical, is_leading
			)
			values ($1, 0, length($3), 0, $4, $2, 2, true, false, false, false, false)`,
		imported, f.Project, m, f.Workspace)
	d.Exec(t,
		`insert into import_hypotheses (import_id, hypothesis_id, project_id, statement) values ($1, $2, $3, $4)`,
		imported, hypothesis, f.Project, m)
	participant := add(`insert into participants (project_id, name) values ($1, $2) returning id`, f.Project, m)
	d.Exec(t,
		`insert into import_speakers (import_id, speaker, workspace_id, project_id, display_name, participant_id)
			values ($1, $2, $3, $4, $2, $5)`,
		imported, m, f.Workspace, f.Project, participant)
	d.Exec(t,
		`insert into speaker_stances (
				import_id, hypothesis_id, speaker, workspace_id, project_id,
				supports_count, contradicts_count, neutral_count
			)
			values ($1, $2, $3, $4, $5, 1, 0, 0)`,
		imported, hypothesis, m, f.Workspace, f.Project)
	evidence := add(
		`insert into evidence (project_id, quote, summary, created_by) values ($1, $2, $2, $3) returning id`,
		f.Project, m, f.Owner)
	d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')`,
		evidence, hypothesis)
	d.Exec(t, `insert into finding_quotes (hypothesis_id, evidence_id) values ($1, $2)`, hypothesis, evidence)
	theme := add(`insert into themes (project_id, name, description, memo) values ($1, $2, $2, $2) returning id`,
		f.Project, m)
	d.Exec(t, `insert into evidence_themes (evidence_id, theme_id) values ($1, $2)`, evidence, theme)
	add(`insert into theme_runs (project_id, status, created_by) values ($1, 'done', $2) returning id`,
		f.Project, f.Owner)
	add(`insert into comments (evidence_id, body, created_by) values ($1, $2, $3) returning id`, evidence, m,
		f.Owner)
	add(
		`insert into finding_shares (workspace_id, project_id, hypothesis_id, expires_at, created_by)
			values ($1, $2, $3, now() + interval '1 day', $4) returning id`,
		f.Workspace, f.Project, hypothesis, f.Owner)
	add(`insert into reports (project_id, title) values ($1, $2) returning id`, f.Project, m)
	add(
		`insert into questions (project_id, text, hypothesis_id, persona_id, answer_evidence_id)
			values ($1, $2, $3, $4, $5) returning id`,
		f.Project, m, hypothesis, persona, evidence)
	answer := add(
		`insert into answers (project_id, question, mode, title, created_by) values ($1, $2, 'quick', $2, $3)
			returning id`,
		f.Project, m, f.Owner)
	d.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text) values ($1, 0, $2, $3)`,
		answer, f.Project, m)
	add(
		`insert into answer_quotes (
				answer_id, project_id, sentence_ordinal, ordinal, import_id, quote, byte_start, byte_end, match,
				evidence_id
			)
			values ($1, $2, 0, 0, $3, $4, 0, length($4), 'verbatim', $5) returning id`,
		answer, f.Project, imported, m, evidence)
	add(`insert into workspace_invitations (workspace_id, email, created_by) values ($1, $2, $3) returning id`,
		f.Workspace, m+"@example.com", f.Owner)
	add(
		`insert into digest_deliveries (user_id, frequency, period, window_start, window_end, reason)
			values ($1, 'daily', '2026-11-20', now() - interval '1 day', now(), $2) returning id`,
		f.Owner, m)
	d.Exec(t, `insert into digest_preferences (user_id) values ($1) on conflict do nothing`, f.Owner)
	endpoint := add(`insert into webhook_endpoints (workspace_id, url, created_by) values ($1, $2, $3)
		returning id`,
		f.Workspace, "https://"+m+".example/", f.Owner)
	add(
		`insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq)
			values ($1, $2, gen_random_uuid(), $3, jsonb_build_object('a', $3::text), $1, 1) returning id`,
		f.Workspace, endpoint, m)
	return f
}

// state is every row of a tenant, by table.
func state(t testing.TB, d *dbtest.DB, f filled) map[string]string {
	t.Helper()
	out := map[string]string{}
	tables := dbtest.Value[[]string](t, d,
		`select array_agg(c.relname::text order by 1) from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`)
	require.GreaterOrEqual(t, len(tables), 16)
	for _, name := range tables {
		where := "(to_jsonb(x) ->> 'workspace_id') = $1::text or (to_jsonb(x) ->> 'user_id') = any ($2::text[])"
		switch name {
		case "workspaces":
			where = "x.id::text = $1::text or x.id::text = any ($2::text[])"
		case "profiles":
			where = "x.id::text = any ($2::text[]) or x.id::text = $1::text"
		}
		people := make([]string, len(f.people))
		for i, p := range f.people {
			people[i] = p.String()
		}
		out[name] = dbtest.Value[string](t, d,
			fmt.Sprintf(`select coalesce(string_agg(x::text, E'\n' order by x::text), '') from public.%s x where %s`,
				name, where),
			f.Workspace.String(), people)
		require.NotEmpty(t, out[name], name)
	}
	return out
}
