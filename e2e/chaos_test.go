package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// `make chaos` sets these higher.
var (
	chaosImports = flag.Int("chaos-imports", 8, "how many imports TestChaos parses")
	chaosKills   = flag.Int("chaos-kills", 4, "how often TestChaos kills parts")
	chaosSeed    = flag.Uint64("chaos-seed", 1, "seed of the random choices of TestChaos and TestChaosDigests")
)

// chaosTimeout is how long imports may take after the last kill: the heartbeat timeout of a call, the lease
// of a claim, and a busy machine.
const chaosTimeout = 4 * time.Minute

// Any process may be killed at any moment. Each import is parsed, with the evidence of an undisturbed run,
// and a model call that was answered is not made again.
func TestChaos(t *testing.T) {
	t.Parallel()
	in := startInstallation(t)
	chaos := newChaos(t, in)

	undisturbed := in.newProject(t)
	for i := range interviewVariants {
		undisturbed.parse(t, undisturbed.add(t, i))
	}
	var expected [interviewVariants]string
	for i, id := range undisturbed.imports {
		in.waitUntilParsed(t, id, timeout)
		expected[i] = in.evidence(t, id)
		require.NotEmpty(t, expected[i])
	}
	require.Zero(t, chaos.repeatedCalls(t), "nothing was killed")

	disturbed := in.newProject(t)
	began := time.Now()
	var requests sync.WaitGroup
	for kill := range *chaosKills {
		for len(disturbed.imports) < (kill+1)**chaosImports / *chaosKills { // some are in progress at each kill
			id := disturbed.add(t, len(disturbed.imports))
			requests.Go(func() { disturbed.parse(t, id) })
		}
		chaos.pause(t, 2*time.Second)
		parts := chaos.choose(kill)
		chaos.kill(t, parts)
		t.Logf("%s: kill %d, %v", time.Since(began).Round(time.Second), kill+1, parts)
	}
	requests.Wait()
	for i, id := range disturbed.imports {
		in.waitUntilParsed(t, id, chaosTimeout)
		require.Equal(t, expected[i%interviewVariants], in.evidence(t, id), "import %s", id)
	}
	require.Equal(t, "0", in.query(t, `select count(*)::text from (
		select entity_id from activity_events where entity_type = 'import' and verb = 'parsed'
		group by 1 having count(*) > 1) x`), "imports whose end was recorded twice")
	require.Equal(t, "0", in.query(t, `select count(*)::text from imports where status <> 'parsed'`))
	require.Zero(t, chaos.repeatedCalls(t), "calls were made again after their answers were stored")

	calls, chunks := in.model.record(), map[string]bool{}
	for _, call := range calls {
		chunks[call.chunk] = true
	}
	t.Logf("%d imports, %d kills of %s in %s: %d calls for %d chunks, %d were made again",
		len(disturbed.imports), *chaosKills, chaos.summary(), time.Since(began).Round(time.Second),
		len(calls), len(chunks), len(calls)-len(chunks))
}

// evidence is everything that an import led to, without ids.
func (in *installation) evidence(t *testing.T, importID string) string {
	t.Helper()
	return in.query(t, `
		select coalesce(string_agg(concat_ws('|',
			e.byte_start, e.byte_end, e.quote, e.speaker, e.match, e.review, h.stance, h.strength,
			i.result, i.supports_count, i.contradicts_count,
			m.progress_done, m.progress_total, m.coverage, m.rejected_count, m.evidence_count),
			e'\n' order by e.byte_start, i.statement), '')
		from imports m
		join evidence e on e.import_id = m.id
		join evidence_hypotheses h on h.evidence_id = e.id
		join import_hypotheses i on i.import_id = m.id and i.hypothesis_id = h.hypothesis_id
		where m.id = $1`, importID)
}

// A chaos kills parts of an installation by chance.
type chaos struct {
	installation *installation
	random       *rand.Rand
	outages      []outage
}

// An outage lasts from a kill until everything is ready again.
type outage struct {
	parts      []string
	began, end time.Time
}

func newChaos(t *testing.T, in *installation) *chaos {
	t.Helper()
	t.Logf("seed %d", *chaosSeed)
	return &chaos{installation: in, random: rand.New(rand.NewPCG(*chaosSeed, 0))}
}

// choose returns the parts to kill: each part alone first, then all of them together, and then one or two by
// chance.
func (c *chaos) choose(kill int) []string {
	names := []string{"worker", "postgres", "temporal", "serve"}
	switch {
	case *chaosKills <= len(names) && kill == *chaosKills-1:
		return names
	case kill < len(names):
		return names[kill : kill+1]
	case c.random.IntN(6) == 0:
		return names
	}
	c.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+c.random.IntN(2)]
}

// kill kills parts at the same time, and starts them again after a while.
func (c *chaos) kill(t *testing.T, parts []string) {
	t.Helper()
	in, o := c.installation, outage{parts: parts, began: time.Now()}
	var dying sync.WaitGroup
	for _, name := range parts {
		dying.Go(in.parts[name].Kill)
	}
	dying.Wait()
	c.pause(t, time.Second)
	// serve and worker end without their database, so PostgreSQL and Temporal start first.
	isServer := func(name string) bool { return name == "postgres" || name == "temporal" }
	isProgram := func(name string) bool { return !isServer(name) }
	in.start(t, slices.DeleteFunc(slices.Clone(parts), isProgram)...)
	in.start(t, slices.DeleteFunc(slices.Clone(parts), isServer)...)
	in.waitUntilReady(t)
	o.end = time.Now()
	c.outages = append(c.outages, o)
}

// pause waits for a random time.
func (c *chaos) pause(t *testing.T, limit time.Duration) {
	t.Helper()
	select {
	case <-time.After(time.Duration(c.random.Int64N(int64(limit)))):
	case <-t.Context().Done():
	}
}

// summary counts the outages by their parts.
func (c *chaos) summary() string {
	counts := map[string]int{}
	for _, o := range c.outages {
		counts[strings.Join(o.parts, "+")]++
	}
	var lines []string
	for _, parts := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s %d×", parts, counts[parts]))
	}
	return strings.Join(lines, ", ")
}

// repeatedCalls counts the model calls that were made again after their answer was stored, although nothing
// but serve was killed in between. A call that is made again before its answer is stored does not count: a
// busy machine may have delayed its heartbeats.
func (c *chaos) repeatedCalls(t *testing.T) (repeated int) {
	t.Helper()
	stored, calls := c.installation.storedAnswers(t), c.installation.model.record()
	for i, call := range calls {
		require.Contains(t, stored, call.chunk)
		storedAt := stored[call.chunk]
		madeAgain := slices.ContainsFunc(calls[i+1:], func(later modelCall) bool {
			return later.chunk == call.chunk && later.began.After(storedAt)
		})
		disturbed := slices.ContainsFunc(c.outages, func(o outage) bool {
			return !slices.Equal(o.parts, []string{"serve"}) && o.began.Before(storedAt) && o.end.After(call.began)
		})
		if !call.answeredAt.IsZero() && madeAgain && !disturbed {
			repeated++
		}
	}
	return repeated
}

// storedAnswers returns when the answer about each chunk was stored, by the chunk's first week.
func (in *installation) storedAnswers(t *testing.T) map[string]time.Time {
	t.Helper()
	var rows []struct {
		Chunk    string
		StoredAt time.Time `json:"stored_at"`
	}
	require.NoError(t, json.Unmarshal([]byte(in.query(t, `
		select coalesce(jsonb_agg(jsonb_build_object('chunk', x.chunk, 'stored_at', x.stored_at)), '[]')::text
		from (
			select a.created_at as stored_at, (
				select substring(u.text from 'In week \d+ of [0-9a-f-]+') from utterances u
				where u.import_id = c.import_id and u.ordinal >= c.utterance_from and u.text like 'In week%'
				order by u.ordinal limit 1) as chunk
			from private.chunk_responses a
			join private.import_chunks c on c.import_id = a.import_id and a.key = any(c.response_keys)) x`)), &rows))
	stored := map[string]time.Time{}
	for _, row := range rows {
		stored[row.Chunk] = row.StoredAt
	}
	return stored
}
