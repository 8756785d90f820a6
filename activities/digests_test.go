package activities_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/mail"
	"research/db"
	"research/db/dbtest"
)

// A postbox takes mails, and behaves as the test says.
type postbox struct {
	mu     sync.Mutex
	mails  []mail.Message
	behave func(m mail.Message) error
}

func (p *postbox) MessageID(id string) string { return id + "@test" }

func (p *postbox) Send(_ context.Context, m mail.Message) error {
	if p.behave != nil {
		if err := p.behave(m); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, m)
	return nil
}

func (p *postbox) to(address string) []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.mails), func(m mail.Message) bool { return m.To != address })
}

// counted is how many deliveries came to which end.
type counted struct {
	mu   sync.Mutex
	sums map[string]int
}

func (c *counted) add(_ context.Context, status string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sums == nil {
		c.sums = map[string]int{}
	}
	c.sums[status] += n
}

// A digestBench is a database with a tenant, and the activities that mail its members.
type digestBench struct {
	*dbtest.DB
	dbtest.Tenant
	activities *activities.Digests
	post       *postbox
	counted    counted
	at         time.Time // a moment of today
}

func digestSetup(t *testing.T, change ...func(*activities.DigestConfig)) *digestBench {
	t.Helper()
	b := &digestBench{DB: dbtest.New(t), post: &postbox{}}
	b.Tenant = b.DB.Tenant(t)
	b.at = dbtest.Value[time.Time](t, b.DB, `select now()`)
	cfg := activities.DigestConfig{PublicURL: "https://research.example.com", Concurrency: 4, Ended: b.counted.add}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	b.activities, err = activities.NewDigests(b.Store, b.post, cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	b.Exec(t, `update activity_events set occurred_at = now() - interval '30 days'`) // the tenant's own beginnings
	b.wants(t, "daily", b.Owner, b.Admin, b.Editor, b.Viewer)
	return b
}

func (b *digestBench) wants(t *testing.T, frequency string, users ...uuid.UUID) {
	t.Helper()
	b.Exec(t, `update digest_preferences set frequency = $1::digest_setting where user_id = any ($2)`, frequency, users)
}

func (b *digestBench) address(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, b.DB, `select email from auth.users where id = $1`, user)
}

// joined sets since when the members have been here, past the trigger that keeps it.
func (b *digestBench) joined(t *testing.T, day string) {
	t.Helper()
	b.Exec(t, `set session_replication_role = replica; update digest_preferences set created_at = '`+day+`'`)
}

// does runs a statement as a user does, by the data API's rights; uuid.Nil is the service.
func (b *digestBench) does(t *testing.T, user uuid.UUID, sql string, args ...any) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	b.AsOwner(t, func(c *pgx.Conn) {
		require.NoError(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			role := "authenticated"
			if user == uuid.Nil {
				role = "service_role"
			}
			if _, err := tx.Exec(t.Context(), `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`, role, fmt.Sprintf(`{"sub":%q,"role":%q}`, user, role)); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), sql+" returning id", args...).Scan(&id)
		}))
	})
	return id
}

// evidence adds a quote for a hypothesis.
func (b *digestBench) evidence(t *testing.T, user, hypothesis uuid.UUID, stance, quote string) uuid.UUID {
	t.Helper()
	id := b.does(t, user, `insert into evidence (project_id, quote, speaker) values ($1, $2, 'Maya')`, b.Project, quote)
	b.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, $3::evidence_stance)`, id, hypothesis, stance)
	return id
}

// yesterday moves what happened today into yesterday.
func (b *digestBench) yesterday(t *testing.T) {
	t.Helper()
	b.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours' where occurred_at > date_trunc('day', now(), 'UTC')`)
}

func environment(b *digestBench) *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities.Register(env, activities.Deps{Digests: b.activities})
	return env
}

func (b *digestBench) plan(t *testing.T, in activities.PlanDigestsInput) activities.PlanDigestsResult {
	t.Helper()
	if in.Frequency == "" {
		in.Frequency = "daily"
	}
	if in.At.IsZero() {
		in.At, in.Everyone = b.at, true
	}
	if in.Now.IsZero() {
		in.Now = in.At
	}
	value, err := environment(b).ExecuteActivity(b.activities.PlanDigests, in)
	require.NoError(t, err)
	var result activities.PlanDigestsResult
	require.NoError(t, value.Get(&result))
	return result
}

func (b *digestBench) deliverAs(run string) error {
	_, err := environment(b).ExecuteActivity(b.activities.DeliverDigests, activities.DeliverDigestsInput{Frequency: "daily", RunID: run, Through: uuid.Max})
	return err
}

func (b *digestBench) deliver(t *testing.T) {
	t.Helper()
	require.NoError(t, b.deliverAs("run"))
}

// states tells what became of a user's digests, as "sent" or "skipped unsubscribed".
func (b *digestBench) state(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, b.DB, `select coalesce(string_agg(concat_ws(' ', status, reason), ', '), '') from digest_deliveries where user_id = $1`, user)
}

func (b *digestBench) preview(t *testing.T, user uuid.UUID) activities.DigestPreview {
	t.Helper()
	p, err := activities.PreviewDigest(t.Context(), b.Store, "https://research.example.com", user.String(), db.DigestFrequencyDaily, b.at)
	require.NoError(t, err)
	return p
}

func TestDigestContent(t *testing.T) {
	t.Parallel()
	b := digestSetup(t)
	stranger := b.DB.Tenant(t)
	b.Exec(t, `update activity_events set occurred_at = now() - interval '30 days'`)
	b.Exec(t, `update profiles set display_name = 'Edith' where id = $1`, b.Editor)
	moved := b.Hypothesis(t, b.Tenant, "Moved a little")
	movedMore := b.Hypothesis(t, b.Tenant, "Moved a lot")
	unmoved := b.Hypothesis(t, b.Tenant, "Did not move")
	b.evidence(t, uuid.Nil, unmoved, "supports", "An old quote")
	rejected := b.evidence(t, uuid.Nil, moved, "supports", "Was rejected later")
	b.Exec(t, `update activity_events set occurred_at = now() - interval '30 days'`)

	b.evidence(t, uuid.Nil, movedMore, "supports", "Found by the service")
	b.evidence(t, uuid.Nil, movedMore, "contradicts", "Against it, said <b>somebody</b>")
	b.evidence(t, b.Editor, movedMore, "supports", "Entered by the editor")
	b.does(t, b.Editor, `update evidence set review = 'rejected' where id = $1`, rejected)
	b.does(t, b.Editor, `update hypotheses set status = 'validated', decision_reason = 'Seven of eight' where id = $1`, unmoved)
	b.does(t, b.Editor, `insert into questions (project_id, text) values ($1, 'Why?')`, b.Project)
	asked := b.does(t, b.Editor, `insert into questions (project_id, text) values ($1, 'Who decides?')`, b.Project)
	b.does(t, b.Editor, `update questions set status = 'answered' where id = $1`, asked)
	b.does(t, b.Editor, `insert into evidence (project_id, quote) values ($1, 'Speaks to nothing yet')`, b.Project)
	failed := b.does(t, uuid.Nil, `insert into imports (project_id, title, format, size_bytes, sha256, status, error_message) values ($1, 'A broken call', 'vtt', 1, '', 'parsing', 'The model did not answer.')`, b.Project)
	b.does(t, uuid.Nil, `update imports set status = 'failed' where id = $1`, failed)
	read := b.does(t, uuid.Nil, `insert into imports (project_id, title, format, size_bytes, sha256, status, coverage, evidence_count) values ($1, 'A good call', 'vtt', 1, '', 'parsing', 0.9, 3)`, b.Project)
	b.does(t, uuid.Nil, `update imports set status = 'parsed' where id = $1`, read)
	// What strangers do in their own workspace.
	b.Exec(t, `insert into hypotheses (project_id, statement) values ($1, 'A secret of strangers')`, stranger.Project)
	b.yesterday(t)

	viewer := b.preview(t, b.Viewer)
	require.False(t, viewer.Empty)
	text := viewer.Message.Text
	inOrder := []string{
		"Moved a lot", "+2 for, +1 against, now 2 for and 1 against", "Moved a little", "1 withdrawn, now 0 for and 0 against",
		"Verdicts", "Did not move", "untested -> validated, by Edith", "Seven of eight",
		"Interviews", "A broken call", "not read: The model did not answer.", "A good call", "read: 3 quotes found; 10 % could not be read",
		"Questions answered", "Who decides? (Edith)", "New quotes without a hypothesis", "Speaks to nothing yet", "Also: ", "2 new questions",
	}
	for _, part := range inOrder {
		i := strings.Index(text, part)
		require.GreaterOrEqual(t, i, 0, "%q is not there, or not in its place:\n%s", part, viewer.Message.Text)
		text = text[i:]
	}
	require.Contains(t, viewer.Message.HTML, "Against it, said &lt;b&gt;somebody&lt;/b&gt;")
	require.Contains(t, viewer.Message.HTML, "https://research.example.com/projects/"+b.Project.String()+"/evidence?h="+movedMore.String())
	require.Contains(t, viewer.Message.HTML, "https://research.example.com/imports/"+failed.String())
	require.NotContains(t, viewer.Message.Text+viewer.Message.HTML, "secret of strangers")
	require.NotContains(t, viewer.Message.Text, "An old quote")

	t.Run("what the recipient did is left out, what the service found is not", func(t *testing.T) {
		editor := b.preview(t, b.Editor).Message.Text
		require.Contains(t, editor, "Found by the service")
		require.Contains(t, editor, "+1 for, +1 against, now 2 for and 1 against")
		for _, own := range []string{"Entered by the editor", "Verdicts", "Questions answered", "Speaks to nothing yet", "withdrawn", "new question"} {
			require.NotContains(t, editor, own)
		}
	})
	t.Run("strangers are told of their own workspace alone", func(t *testing.T) {
		other := b.preview(t, stranger.Viewer).Message.Text
		require.Contains(t, other, "A secret of strangers")
		require.NotContains(t, other, "Moved")
	})
	t.Run("who left is told nothing, also of the day when he was there", func(t *testing.T) {
		b.Exec(t, `delete from workspace_members where user_id = $1`, b.Viewer)
		require.True(t, b.preview(t, b.Viewer).Empty)
	})
	t.Run("of many the first five, and how many more", func(t *testing.T) {
		for i := range 8 {
			h := b.Hypothesis(t, b.Tenant, fmt.Sprintf("Hypothesis %d of many", i))
			b.evidence(t, uuid.Nil, h, "supports", "One of many")
			b.evidence(t, uuid.Nil, h, "supports", "Two of many")
			b.evidence(t, uuid.Nil, h, "supports", "Three of many")
		}
		b.yesterday(t)
		text := b.preview(t, b.Admin).Message.Text
		require.Equal(t, 5, strings.Count(text, "(now")+strings.Count(text, ", now "))
		require.Contains(t, text, "and 5 more hypotheses: https://research.example.com/projects/"+b.Project.String())
		require.Contains(t, text, "and 1 more quote")
		require.Contains(t, text, "and 3 more: ", "of the new hypotheses")
	})
}

func TestPlanDigests(t *testing.T) {
	t.Parallel()

	t.Run("each member at the own hour, once", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		h := b.Hypothesis(t, b.Tenant, "It matters")
		b.evidence(t, uuid.Nil, h, "supports", "A quote")
		b.Exec(t, `update activity_events set occurred_at = '2026-03-28T12:00:00Z' where occurred_at > now() - interval '1 day'`) // the day before Berlin's clocks spring forward
		b.Exec(t, `update digest_preferences set timezone = 'Europe/Berlin', hour = 8`)
		b.joined(t, "2026-01-01")
		b.Exec(t, `update digest_preferences set timezone = 'America/New_York' where user_id = $1`, b.Viewer)
		b.Exec(t, `update digest_preferences set timezone = 'Asia/Kolkata' where user_id = $1`, b.Admin)
		planned := map[string]int{}
		for at := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)); at = at.Add(time.Hour) {
			if n := b.plan(t, activities.PlanDigestsInput{At: at}).Planned; n > 0 {
				planned[at.Format("02T15")] = n
			}
		}
		require.Equal(t, map[string]int{"29T03": 1, "29T06": 2, "29T12": 1}, planned, "Kolkata at half past eight, Berlin at eight by its new clock, New York at eight")
		require.Equal(t, "2026-03-28", dbtest.Value[string](t, b.DB, `select distinct period from digest_deliveries`))
		require.True(t, dbtest.Value[bool](t, b.DB, `select window_start = '2026-03-28T00:00+01' and window_end = '2026-03-29T00:00+01' from digest_deliveries where user_id = $1`, b.Editor))
	})

	t.Run("a tick that was missed loses nothing, and a stale one plans nothing", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.Exec(t, `update activity_events set occurred_at = '2026-03-28T12:00:00Z' where occurred_at > now() - interval '1 day'`)
		b.Exec(t, `update digest_preferences set hour = 8`)
		b.joined(t, "2026-01-01")
		late := time.Date(2026, 3, 30, 7, 0, 0, 0, time.UTC) // due since 29 March, 8:00
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{At: late, Now: late.Add(2 * time.Hour)}).Planned, "the next day's digest is due by now")
		require.Equal(t, 4, b.plan(t, activities.PlanDigestsInput{At: late}).Planned)
	})

	t.Run("who joined after the hour waits for the next one", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.yesterday(t)
		b.Exec(t, `update digest_preferences set hour = 0`)
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{At: b.at}).Planned)
		b.joined(t, "2026-01-01")
		require.Equal(t, 4, b.plan(t, activities.PlanDigestsInput{At: b.at}).Planned)
	})

	t.Run("a pause ends with the day's own digest", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.Exec(t, `update activity_events set occurred_at = '2025-03-27T12:00:00Z' where occurred_at > now() - interval '1 day'`)
		b.Exec(t, `insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id, occurred_at) select workspace_id, project_id, verb, entity_type, entity_id, occurred_at + interval '1 day' from activity_events where occurred_at = '2025-03-27T12:00:00Z'`)
		b.Exec(t, `update digest_preferences set timezone = 'America/Vancouver', hour = 8, paused_until = '2025-03-29T00:00:00-07'`)
		b.joined(t, "2025-01-01")
		b.Exec(t, `update digest_preferences set hour = 0 where user_id = $1`, b.Viewer)
		b.Exec(t, `update digest_preferences set paused_until = '-infinity' where user_id = $1`, b.Admin)
		b.Exec(t, `update digest_preferences set paused_until = 'infinity' where user_id = $1`, b.Owner)
		planned := map[string]int{}
		for at := time.Date(2025, 3, 29, 7, 0, 0, 0, time.UTC); at.Before(time.Date(2025, 3, 30, 0, 0, 0, 0, time.UTC)); at = at.Add(time.Hour) {
			if n := b.plan(t, activities.PlanDigestsInput{At: at}).Planned; n > 0 {
				planned[at.Format("02T15")] = n
			}
		}
		require.Equal(t, map[string]int{"29T07": 2, "29T15": 2}, planned, "what was due while it was paused is not sent at midnight")
		require.Equal(t, []string{"2025-03-27", "2025-03-28"}, dbtest.Value[[]string](t, b.DB, `select array_agg(period order by period) from digest_deliveries where user_id = $1`, b.Admin))
		require.Equal(t, []string{"2025-03-28"}, dbtest.Value[[]string](t, b.DB, `select array_agg(period) from digest_deliveries where user_id = $1`, b.Editor))
	})

	t.Run("weekly and daily ones do not meet", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.wants(t, "weekly", b.Viewer)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.Exec(t, `update activity_events set occurred_at = date_trunc('week', now(), 'UTC') - interval '1 hour' where occurred_at > now() - interval '1 day'`)
		require.Equal(t, 1, b.plan(t, activities.PlanDigestsInput{Frequency: "weekly", At: b.at, Everyone: true}).Planned)
		require.Regexp(t, `^\d{4}-W\d\d$`, dbtest.Value[string](t, b.DB, `select period from digest_deliveries where user_id = $1`, b.Viewer))
	})

	t.Run("who may get one", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.yesterday(t)
		for _, c := range []struct {
			obstacle, there, away string // statements about the user $1
		}{
			{"unsubscribed", `update digest_preferences set frequency = 'off' where user_id = $1`, `update digest_preferences set frequency = 'daily' where user_id = $1`},
			{"paused", `update digest_preferences set paused_until = now() + interval '1 hour' where user_id = $1`, `update digest_preferences set paused_until = now() - interval '1 hour' where user_id = $1`},
			{"unconfirmed", `update auth.users set email_confirmed_at = null where id = $1`, `update auth.users set email_confirmed_at = now() where id = $1`},
			{"banned", `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, `update auth.users set banned_until = now() - interval '1 hour' where id = $1`},
			{"no_address", `update auth.users set deleted_at = now() where id = $1`, `update auth.users set deleted_at = null where id = $1`},
			{"no_address", `update auth.users set is_anonymous = true where id = $1`, `update auth.users set is_anonymous = false where id = $1`},
			{"suppressed", `insert into private.mail_refusals (address, code, suppressed_at) select lower(email), 550, now() from auth.users where id = $1`, `delete from private.mail_refusals where $1::uuid is not null`},
			{"no_workspace", `delete from workspace_members where user_id = $1`, `insert into workspace_members (workspace_id, user_id) select workspace_id, $1 from projects limit 1`},
		} {
			b.Exec(t, c.there, b.Viewer)
			require.Equal(t, c.obstacle, b.preview(t, b.Viewer).Obstacle)
			b.Exec(t, `delete from digest_deliveries`)
			require.Equal(t, 3, b.plan(t, activities.PlanDigestsInput{}).Planned, c.obstacle)
			b.Exec(t, c.away, b.Viewer)
			require.Empty(t, b.preview(t, b.Viewer).Obstacle)
			require.Equal(t, 1, b.plan(t, activities.PlanDigestsInput{}).Planned, c.obstacle)

			// And the same between planning and sending.
			b.Exec(t, c.there, b.Viewer)
			before := len(b.post.to(b.address(t, b.Viewer)))
			b.deliver(t)
			require.Len(t, b.post.to(b.address(t, b.Viewer)), before, c.obstacle)
			require.Equal(t, "skipped "+c.obstacle, b.state(t, b.Viewer))
			b.Exec(t, c.away, b.Viewer)
		}
	})

	t.Run("nothing new, or nothing but one's own, is not planned", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{}).Planned, "a quiet day")
		h := b.does(t, b.Editor, `insert into hypotheses (project_id, statement) values ($1, 'Mine')`, b.Project)
		b.does(t, b.Editor, `update hypotheses set statement = 'Mine, reworded' where id = $1`, h)
		b.yesterday(t)
		require.Equal(t, 3, b.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Empty(t, b.state(t, b.Editor))
		b.Exec(t, `delete from digest_deliveries; delete from activity_events where verb = 'created'`)
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{}).Planned, "a reworded hypothesis is no reason for a mail")
	})

	t.Run("page by page", func(t *testing.T) {
		t.Parallel()
		b := digestSetup(t)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.yesterday(t)
		b.Exec(t, `insert into auth.users (id, email, email_confirmed_at) select gen_random_uuid(), 'many-' || n || '@example.com', now() from generate_series(1, 2500) n`)
		b.Exec(t, `insert into workspace_members (workspace_id, user_id) select $1, id from auth.users where email like 'many-%'`, b.Workspace)
		b.Exec(t, `update digest_preferences set frequency = 'daily'`)
		first := b.plan(t, activities.PlanDigestsInput{})
		require.Equal(t, 2000, first.Members)
		require.False(t, first.Done)
		second := b.plan(t, activities.PlanDigestsInput{After: first.Next})
		require.True(t, second.Done)
		require.Equal(t, 2504, first.Planned+second.Planned)
	})
}

func TestDeliverDigests(t *testing.T) {
	t.Parallel()
	planned := func(t *testing.T, change ...func(*activities.DigestConfig)) *digestBench {
		t.Helper()
		b := digestSetup(t, change...)
		b.Hypothesis(t, b.Tenant, "It matters")
		b.yesterday(t)
		require.Equal(t, 4, b.plan(t, activities.PlanDigestsInput{}).Planned)
		return b
	}
	refusing := func(b *digestBench, address string, err error) {
		b.post.behave = func(m mail.Message) error {
			if m.To == address {
				return err
			}
			return nil
		}
	}

	t.Run("once, whoever tries", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				if err := b.deliverAs(fmt.Sprintf("run-%d", i)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, user := range []uuid.UUID{b.Owner, b.Admin, b.Editor, b.Viewer} {
			require.Len(t, b.post.to(b.address(t, user)), 1)
			require.Equal(t, "sent", b.state(t, user))
		}
		id := dbtest.Value[string](t, b.DB, `select id::text from digest_deliveries where user_id = $1 and message_id = 'digest.' || id || '@test' and attempts = 1 and sent_at is not null`, b.Viewer)
		require.Equal(t, "digest."+id, b.post.to(b.address(t, b.Viewer))[0].ID)
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Equal(t, map[string]int{"sent": 4}, b.counted.sums)
	})

	t.Run("a refusal for now is that recipient's alone, tried again later, and counted as one", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		refusing(b, b.address(t, b.Viewer), &mail.TemporaryError{Code: 451})
		b.deliver(t)
		require.Equal(t, "planned refused_451", b.state(t, b.Viewer))
		require.Equal(t, "sent", b.state(t, b.Editor))
		b.deliver(t)
		require.EqualValues(t, 1, dbtest.Value[int](t, b.DB, `select attempts from digest_deliveries where user_id = $1`, b.Viewer), "its time has not come")
		require.True(t, dbtest.Value[bool](t, b.DB, `select next_attempt_at >= claimed_at + interval '5 minutes' from digest_deliveries where user_id = $1`, b.Viewer))
		value, err := environment(b).ExecuteActivity(b.activities.CountDigests, activities.CountDigestsInput{Frequency: "daily", RunID: "run"})
		require.NoError(t, err)
		var count activities.CountDigestsResult
		require.NoError(t, value.Get(&count))
		require.Equal(t, 3, count.Sent)
		require.Zero(t, count.Due)
		require.True(t, dbtest.Value[time.Time](t, b.DB, `select next_attempt_at from digest_deliveries where user_id = $1`, b.Viewer).Equal(count.RetryAt))

		b.Exec(t, `update digest_deliveries set next_attempt_at = now()`)
		b.post.behave = nil
		b.deliver(t)
		require.Equal(t, "sent", b.state(t, b.Viewer))
		require.EqualValues(t, 2, dbtest.Value[int](t, b.DB, `select attempts from digest_deliveries where user_id = $1`, b.Viewer))
		require.Equal(t, map[string]int{"sent": 4}, b.counted.sums, "what is tried again has not ended")
	})

	t.Run("until its period is over", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		refusing(b, b.address(t, b.Viewer), &mail.TemporaryError{Code: 451})
		b.deliver(t)
		b.Exec(t, `update digest_deliveries set next_attempt_at = now(), expires_at = now() where user_id = $1`, b.Viewer)
		b.post.behave = nil
		b.deliver(t)
		_, err := environment(b).ExecuteActivity(b.activities.BeginDigests, activities.BeginDigestsInput{Frequency: "daily"})
		require.NoError(t, err)
		require.Equal(t, "failed expired after refused_451", b.state(t, b.Viewer))
		require.Empty(t, b.post.to(b.address(t, b.Viewer)))
		require.Equal(t, map[string]int{"sent": 3, "failed": 1}, b.counted.sums)
	})

	t.Run("a refusal for good is not tried again, and three in a row suppress the address", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		address := b.address(t, b.Viewer)
		refusing(b, address, &mail.PermanentError{Code: 550})
		for i := range 3 {
			b.deliver(t)
			require.Equal(t, "failed refused_550", b.state(t, b.Viewer))
			require.Equal(t, i == 2, dbtest.Value[bool](t, b.DB, `select suppressed_at is not null from private.mail_refusals where address = $1`, address))
			b.Exec(t, `update digest_deliveries set status = 'planned', reason = null where user_id = $1`, b.Viewer) // as if the next day had come
		}
		b.post.behave = nil
		b.deliver(t)
		require.Equal(t, "skipped suppressed", b.state(t, b.Viewer))
	})

	t.Run("a mail that is taken clears earlier refusals", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		b.Exec(t, `insert into private.mail_refusals (address, code, refusals) select lower(email), 550, 2 from auth.users`)
		b.deliver(t)
		require.Zero(t, dbtest.Value[int](t, b.DB, `select count(*) from private.mail_refusals where address in (select lower(u.email) from auth.users u join digest_deliveries d on d.user_id = u.id)`))
	})

	t.Run("what may have gone out is uncertain, and not sent again", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		refusing(b, b.address(t, b.Viewer), mail.ErrUncertain)
		b.deliver(t)
		b.post.behave = nil
		b.deliver(t)
		require.Equal(t, "uncertain connection_lost", b.state(t, b.Viewer))
		require.Zero(t, b.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Empty(t, b.post.to(b.address(t, b.Viewer)))
	})

	t.Run("while the mail server is away no attempt counts", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		b.post.behave = func(mail.Message) error { return mail.ErrUnavailable }
		require.ErrorContains(t, b.deliverAs("run"), "the mail was not taken")
		for _, user := range []uuid.UUID{b.Owner, b.Admin, b.Editor, b.Viewer} {
			require.Equal(t, "planned", b.state(t, user))
		}
		require.Zero(t, dbtest.Value[int](t, b.DB, `select sum(attempts) from digest_deliveries`))
		b.post.behave = nil
		b.deliver(t)
		require.Equal(t, "sent", b.state(t, b.Viewer))
	})

	t.Run("a worker that vanished leaves uncertain ones; if it comes back, what it knows holds", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		inside, release := make(chan struct{}), make(chan struct{})
		address := b.address(t, b.Viewer)
		b.post.behave = func(m mail.Message) error {
			if m.To == address {
				close(inside)
				<-release
			}
			return nil
		}
		var lost sync.WaitGroup
		lost.Go(func() {
			if err := b.deliverAs("run"); err != nil {
				t.Error(err)
			}
		})
		<-inside
		require.Equal(t, "sending", b.state(t, b.Viewer))
		b.deliver(t) // the next attempt of the same run
		require.Equal(t, "uncertain worker_lost", b.state(t, b.Viewer))
		close(release)
		lost.Wait()
		require.Equal(t, "sent", b.state(t, b.Viewer))
		require.Len(t, b.post.to(address), 1)
		require.Equal(t, map[string]int{"sent": 4, "uncertain": 1}, b.counted.sums)
	})

	t.Run("what a run that is gone was sending is uncertain after a while", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		b.Exec(t, `update digest_deliveries set status = 'sending', run_id = 'gone', claimed_at = now() - interval '5 minutes'`)
		begin := func() {
			_, err := environment(b).ExecuteActivity(b.activities.BeginDigests, activities.BeginDigestsInput{Frequency: "daily"})
			require.NoError(t, err)
		}
		begin()
		require.Equal(t, "sending", b.state(t, b.Viewer))
		b.Exec(t, `update digest_deliveries set claimed_at = now() - interval '20 minutes'`)
		begin()
		require.Equal(t, "uncertain worker_lost", b.state(t, b.Viewer))
	})

	t.Run("news that are gone by the time of sending are no mail", func(t *testing.T) {
		t.Parallel()
		b := planned(t)
		b.Exec(t, `delete from hypotheses`)
		b.deliver(t)
		require.Equal(t, "skipped nothing_new", b.state(t, b.Viewer))
		require.Empty(t, b.post.mails)
	})

	t.Run("by turns, where a rate is set", func(t *testing.T) {
		t.Parallel()
		b := planned(t, func(c *activities.DigestConfig) { c.Rate = 20 })
		b.Exec(t, `update private.mail_pace set next_at = '2000-01-01'`)
		began := dbtest.Value[time.Time](t, b.DB, `select clock_timestamp()`)
		b.deliver(t)
		require.Len(t, b.post.mails, 4)
		free := dbtest.Value[time.Time](t, b.DB, `select next_at from private.mail_pace`)
		require.False(t, free.Before(began.Add(200*time.Millisecond)), "each of four mails has taken a twentieth of a second: %s, %s", began, free)
	})
}
