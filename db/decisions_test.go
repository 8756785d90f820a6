package db_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// decide gives a hypothesis a status, as the editor.
func (c conversation) decide(t *testing.T, hypothesis uuid.UUID, status string) {
	t.Helper()
	c.editor.mustExec(t, `update hypotheses set status = $2::hypothesis_status, decision_reason = 'Enough said'
		where id = $1`, hypothesis, status)
}

// against is the row of hypothesis_challenges: people, quotes and whether the decision is open again; empty
// without one.
func (c conversation) against(t *testing.T, hypothesis uuid.UUID) string {
	t.Helper()
	return value[string](t, c.editor, `
		select coalesce((
			select concat_ws(' ', against, cardinality(evidence_ids), reopened)
			from hypothesis_challenges where hypothesis_id = $1), '')`, hypothesis)
}

// speak uploads an interview of a person and quotes them.
func (c conversation) speak(
	t *testing.T, hypothesis uuid.UUID, who, stance string,
) (interview, quoted uuid.UUID) {
	t.Helper()
	interview = c.upload(t, "Interviewer: And you?", who+": We count the stock by hand")
	return interview, c.quote(t, interview, hypothesis, stance, "We count the stock by hand")
}

func TestDecisions(t *testing.T) {
	t.Parallel()

	t.Run("a verdict keeps what it rests on", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		ada, said := c.speak(t, h, "Ada", "supports")
		_, other := c.speak(t, h, "Bo", "contradicts")
		c.editor.mustExec(t, "update hypotheses set falsified_if = 'Half of them scan', reopen_after = 2")
		c.decide(t, h, "validated")
		require.Equal(t, "1 validated f Enough said|Half of them scan|2|2 1 1 0 0 0 0 0|1 1 0|2 1|t",
			value[string](t, c.editor, `
				select concat_ws('|',
					concat_ws(' ', number, status, confirms, reason), falsified_if, reopen_after,
					concat_ws(' ', participants, supporting, contradicting, mixed, neutral, silent, unmatched, others),
					concat_ws(' ', supports, contradicts, neutrals), concat_ws(' ', interviews, coverage),
					decided_by = $2)
				from hypothesis_decisions where hypothesis_id = $1`, h, c.Editor))
		require.Equal(t, []uuid.UUID{other, said},
			value[[]uuid.UUID](t, c.editor, "select evidence_ids from hypothesis_decisions"), "those against it first")
		require.Equal(t, []uuid.UUID{other},
			value[[]uuid.UUID](t, c.editor, "select against_ids from hypothesis_decisions"))
		require.Equal(t, "Bo 0 1,Ada 1 0", value[string](t, c.editor, `
			select string_agg(concat_ws(' ', v ->> 'speaker', v ->> 'supports', v ->> 'contradicts'), ',')
			from hypothesis_decisions, jsonb_array_elements(voices) v`))

		c.editor.mustExec(t, "update evidence set review = 'rejected'")
		c.editor.mustExec(t, "update hypotheses set falsified_if = 'All of them scan', reopen_after = 9")
		_, err := c.editor.try(t, "delete from hypothesis_decisions")
		require.Equal(t, "42501", state(err))
		c.editor.mustExec(t, "select private.delete_import($1)", ada)
		require.Equal(t, "1 Half of them scan 2 2", value[string](t, c.editor, `
			select concat_ws(' ', supporting, falsified_if, reopen_after, cardinality(evidence_ids))
			from hypothesis_decisions`), "whatever becomes of it")
	})

	t.Run("each status is one, and a reason that is corrected is that of the latest", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		c.decide(t, h, "testing")
		c.decide(t, h, "inconclusive")
		c.editor.mustExec(t, "update hypotheses set statement = 'They count'")
		c.editor.mustExec(t, "update hypotheses set decision_reason = 'Too few'")
		c.decide(t, h, "untested")
		require.Equal(t, "1 testing Enough said,2 inconclusive Too few,3 untested Enough said",
			value[string](t, c.editor, `
				select string_agg(concat_ws(' ', number, status, reason), ',' order by number)
				from hypothesis_decisions where hypothesis_id = $1`, h))
		second := value[uuid.UUID](t, c.editor, `insert into hypotheses (project_id, statement, status)
			values ($1, 'They pay', 'parked') returning id`, c.Project)
		require.Equal(t, "parked", value[string](t, c.editor,
			"select status::text from hypothesis_decisions where hypothesis_id = $1", second))
	})

	t.Run("of the service have the time and the person that it says, or none", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		service := as(t, c.d, db.Subject{Role: db.RoleService})
		service.mustExec(t,
			`update hypotheses set status = 'validated', decided_by = $1, decided_at = '2025-03-01Z'`,
			c.Owner)
		service.mustExec(t, "update hypotheses set status = 'invalidated'")
		require.Equal(t, "2025-03-01 t,", value[string](t, service, `
			select string_agg(
				concat_ws(' ', case when number = 1 then (decided_at at time zone 'UTC')::date end, decided_by = $2),
				',' order by number)
			from hypothesis_decisions where hypothesis_id = $1`, h, c.Owner))
	})

	t.Run("the latest 200 are kept", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		c.editor.mustExec(t, `do $$ begin
			for i in 1 .. 101 loop
				update public.hypotheses set status = 'validated';
				update public.hypotheses set status = 'invalidated';
			end loop;
		end $$`)
		require.Equal(t, "200 3 202", value[string](t, c.editor, `
			select concat_ws(' ', count(*), min(number), max(number))
			from hypothesis_decisions where hypothesis_id = $1`, h))
	})

	t.Run("a deleted account decided nothing by name", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.decide(t, c.d.Hypothesis(t, c.Tenant, "They count by hand"), "validated")
		require.True(t, markAccount(t, c.d, c.Editor))
		removeMarked(t, c.d, 1)
		require.Equal(t, 1, dbtest.Value[int](t, c.d,
			"select count(*) from hypothesis_decisions where decided_by is null"))
	})

	t.Run("keep no name of an interview that is deleted for good", func(t *testing.T) {
		t.Parallel()
		for name, deletion := range map[string]func(*testing.T, conversation, uuid.UUID){
			"at once": func(t *testing.T, c conversation, id uuid.UUID) {
				c.editor.mustExec(t, "select private.delete_import($1)", id)
			},
			"after a day": func(t *testing.T, c conversation, id uuid.UUID) {
				c.editor.mustExec(t, "select private.set_import_aside($1)", id)
				require.Equal(t, "Ada,Bo", c.voices(t), "it can be restored")
				c.d.Exec(t, "delete from private.deleted_imports")
			},
			"by somebody": func(t *testing.T, c conversation, id uuid.UUID) {
				c.editor.mustExec(t, "select private.set_import_aside($1)", id)
				c.editor.mustExec(t, "select private.forget_deleted_import($1)", id)
			},
		} {
			c := newConversation(t)
			h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
			ada, _ := c.speak(t, h, "Ada", "supports")
			c.speak(t, h, "Bo", "contradicts")
			c.decide(t, h, "validated")
			deletion(t, c, ada)
			require.Equal(t, ",Bo", c.voices(t), name)
		}
	})

	t.Run("names are redacted in them", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		ada, _ := c.speak(t, h, "Ada", "supports")
		c.speak(t, h, "Bo", "contradicts")
		c.decide(t, h, "validated")
		c.editor.mustExec(t, "select private.redact_import($1, '{label,title}', '{Ada,Bo}', '{P1,P2}')", ada)
		require.Equal(t, "Bo,P1", c.voices(t))
	})
}

// voices lists the speakers that decisions keep.
func (c conversation) voices(t *testing.T) string {
	t.Helper()
	return value[string](t, c.editor, `
		select string_agg(v ->> 'speaker', ',' order by v ->> 'speaker')
		from hypothesis_decisions, jsonb_array_elements(voices) v`)
}

func TestChallenges(t *testing.T) {
	t.Parallel()

	t.Run("are people who speak against a verdict and did not before", func(t *testing.T) {
		t.Parallel()
		for status, stances := range map[string][2]string{
			"validated": {"supports", "contradicts"}, "invalidated": {"contradicts", "supports"},
		} {
			c := newConversation(t)
			h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
			c.editor.mustExec(t, "update hypotheses set reopen_after = 2, falsified_if = 'Half of them scan'")
			forIt, against := stances[0], stances[1]
			c.speak(t, h, "Ada", forIt)
			c.speak(t, h, "Bo", against)
			c.decide(t, h, status)
			require.Empty(t, c.against(t, h), "Bo had spoken")
			c.speak(t, h, "Cy", forIt)
			c.speak(t, h, "Di", "neutral")
			require.Empty(t, c.against(t, h))
			_, third := c.speak(t, h, "Eve", against)
			require.Equal(t, "1 1 f", c.against(t, h))
			_, fourth := c.speak(t, h, "Fay", against)
			require.Equal(t, "2 2 t", c.against(t, h))
			require.Equal(t, "t Half of them scan "+status, value[string](t, c.editor, `
				select concat_ws(' ', latest_at > decided_at, falsified_if, status) from hypothesis_challenges`))

			c.editor.mustExec(t, "update evidence set review = 'rejected' where id = $1", fourth)
			require.Equal(t, "1 1 f", c.against(t, h), "a rejection takes it back")
			c.editor.mustExec(t, "update evidence set review = 'accepted' where id = $1", fourth)
			c.editor.mustExec(t, "update hypotheses set reopen_after = 3")
			require.Equal(t, "2 2 f", c.against(t, h), "the limit is that of now")
			c.editor.mustExec(t, "delete from evidence where id = $1", third)
			require.Equal(t, "1 1 f", c.against(t, h))
			c.decide(t, h, "untested")
			require.Empty(t, c.against(t, h))
		}
	})

	t.Run("count a person once, and one who changed their mind", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		_, said := c.speak(t, h, "Ada", "supports")
		c.decide(t, h, "validated")
		c.speak(t, h, "Eve", "contradicts")
		c.speak(t, h, "Eve", "contradicts")
		c.same(t, "Eve")
		require.Equal(t, "1 2 f", c.against(t, h))
		c.editor.mustExec(t, "update evidence_hypotheses set stance = 'contradicts' where evidence_id = $1", said)
		require.Equal(t, "2 3 f", c.against(t, h), "Ada was misread")
	})

	t.Run("are not people who were linked, merged or renamed since", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		interview := c.upload(t, "Interviewer: And you?", "Speaker 1: We scan the stock", "Speaker 2: Hm")
		quoted := c.quote(t, interview, h, "contradicts", "We scan the stock")
		c.decide(t, h, "validated")
		c.speak(t, h, "Ada", "contradicts")
		require.Equal(t, "1 1 f", c.against(t, h))
		c.editor.mustExec(t, `update import_speakers set participant_id = (select id from participants)
			where speaker = 'Speaker 1'`)
		require.Empty(t, c.against(t, h), "Ada is Speaker 1, who had spoken")
		c.editor.mustExec(t, "update import_speakers set participant_id = null where speaker = 'Speaker 1'")
		require.Equal(t, "1 1 f", c.against(t, h))
		c.editor.mustExec(t, "select merge_speakers($1, array['Speaker 1'], 'Speaker 2')", interview)
		require.Equal(t, "1 1 f", c.against(t, h))

		c.d.Exec(t, "update utterances set speaker = 'Speaker 2' where import_id = $1 and ordinal = 1", interview)
		c.d.Exec(t, "delete from import_speakers where speaker = 'Speaker 1'")
		c.d.Exec(t, "update evidence set speaker = speaker where id = $1", quoted)
		require.Equal(t, "Speaker 2",
			dbtest.Value[string](t, c.d, "select speaker from evidence where id = $1", quoted))
		require.Equal(t, "1 1 f", c.against(t, h), "the label was corrected, and the quote was known")
	})

	t.Run("include people whose words did not count before", func(t *testing.T) {
		t.Parallel()
		for name, change := range map[string][2]string{
			"a role": {
				"update import_speakers set role = 'interviewer' where speaker = 'Ada'",
				"update import_speakers set role = 'participant' where speaker = 'Ada'",
			},
			"a review": {"update evidence set review = 'rejected'", "update evidence set review = 'accepted'"},
			"a doubt": {
				"update evidence set speaker_confirmed = false", "update evidence set speaker_confirmed = true",
			},
			"a run": {"update evidence set in_progress = true", "update evidence set in_progress = false"},
		} {
			c := newConversation(t)
			h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
			c.speak(t, h, "Ada", "contradicts")
			c.d.Exec(t, change[0])
			c.d.Exec(t, "select private.update_results(array(select id from imports))") // as a run does
			c.decide(t, h, "validated")
			require.Empty(t, c.against(t, h), name)
			c.d.Exec(t, change[1])
			c.d.Exec(t, "select private.update_results(array(select id from imports))")
			require.Equal(t, "1 1 f", c.against(t, h), name)
		}
	})

	t.Run("date from when the words came to count, once", func(t *testing.T) {
		t.Parallel()
		for name, change := range map[string][2]string{
			"another stance": {
				"update evidence_hypotheses set stance = 'neutral'",
				"update evidence_hypotheses set stance = 'contradicts'",
			},
			"a link": {
				"delete from evidence_hypotheses",
				`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
					select e.id, h.id, 'contradicts' from evidence e, hypotheses h`,
			},
			"a doubt": {
				"update evidence set speaker_confirmed = false", "update evidence set speaker_confirmed = true",
			},
			"a review": {"update evidence set review = 'rejected'", "update evidence set review = 'suggested'"},
			"a run":    {"update evidence set in_progress = true", "update evidence set in_progress = false"},
			"a role": {
				"update import_speakers set role = 'interviewer' where speaker = 'Ada'",
				"update import_speakers set role = 'participant' where speaker = 'Ada'",
			},
		} {
			c := newConversation(t)
			h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
			interview, _ := c.speak(t, h, "Ada", "contradicts")
			c.d.Exec(t, change[0])
			c.d.Exec(t, "select private.update_results(array(select id from imports))") // as a run does
			c.decide(t, h, "validated")
			c.d.Exec(t, "update hypothesis_decisions set decided_at = '2020-01-01Z'")
			count := func(at string) {
				for _, table := range []string{"evidence", "evidence_hypotheses", "import_speakers"} {
					c.d.Exec(t, "update "+table+" set counted_at = $1", at)
				}
			}
			latest := func() string {
				return value[string](t, c.editor, `
					select (case when latest_at > now() - interval '1 hour' then 'now' else latest_at::date::text end)
						|| (select ' ' || (at = latest_at) from hypothesis_history($1) where kind = 'reopened')
					from hypothesis_challenges`, h)
			}
			count("2020-02-02Z")
			c.editor.mustExec(t, "update hypotheses set reopen_after = 1")
			c.d.Exec(t, change[1])
			require.Equal(t, "now true", latest(), name)

			count("2020-03-03Z")
			for _, edit := range []string{
				"update import_speakers set display_name = 'Ada L.' where speaker = 'Ada'",
				"update evidence set review = 'accepted', summary = 'By hand'",
				"update evidence_hypotheses set strength = 'strong'",
				"update evidence set counted_at = now()",
				"update evidence_hypotheses set counted_at = now()",
			} {
				c.editor.mustExec(t, edit)
				require.Equal(t, "2020-03-03 true", latest(), "%s: %s", name, edit)
			}
			c.editor.mustExec(t, "select private.set_import_aside($1)", interview)
			c.editor.mustExec(t, "select private.restore_import($1)", interview)
			require.Equal(t, "2020-03-03 true", latest(), "%s: restored", name)
		}
	})

	t.Run("date from when a quote was given to them", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		interview := c.upload(t, "Interviewer: And you?", "Ada: Hm")
		c.editor.mustExec(t, "update import_speakers set role = 'interviewer' where speaker = 'Interviewer'")
		said := value[uuid.UUID](t, c.editor, `insert into evidence (project_id, import_id, quote, speaker)
			values ($1, $2, 'We scan it', 'Interviewer') returning id`, c.Project, interview)
		c.editor.mustExec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			values ($1, $2, 'contradicts')`, said, h)
		c.decide(t, h, "validated")
		c.editor.mustExec(t, "update evidence set speaker = 'Ada' where id = $1", said)
		require.Equal(t, "true", value[string](t, c.editor, `
			select (c.latest_at = e.edited_at)::text from hypothesis_challenges c, evidence e`))
	})

	t.Run("are counted people only", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		c.editor.mustExec(t, "update hypotheses set persona_id = $1", c.persona(t, "Owner"))
		c.decide(t, h, "validated")
		c.speak(t, h, "Ada", "contradicts")
		require.Equal(t, "1 1 f", c.against(t, h))
		c.editor.mustExec(t, "update participants set persona_id = $1", c.persona(t, "Clerk"))
		require.Empty(t, c.against(t, h))
	})

	t.Run("stay as they are while an interview is deleted and restored", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		old, _ := c.speak(t, h, "Ada", "contradicts")
		c.decide(t, h, "validated")
		fresh, _ := c.speak(t, h, "Ada", "contradicts")
		c.same(t, "Ada")
		require.Empty(t, c.against(t, h))
		c.editor.mustExec(t, "select private.set_import_aside($1)", old)
		require.Empty(t, c.against(t, h), "the decision keeps that Ada had spoken")
		c.editor.mustExec(t, "select private.restore_import($1)", old)
		require.Empty(t, c.against(t, h))
		c.speak(t, h, "Eve", "contradicts")
		c.editor.mustExec(t, "select private.set_import_aside($1)", fresh)
		c.editor.mustExec(t, "select private.restore_import($1)", fresh)
		require.Equal(t, "1 1 f", c.against(t, h))
	})

	t.Run("a confirmed decision begins anew", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		_, err := c.editor.try(t, "select confirm_decision($1)", h)
		require.Equal(t, "23514", state(err), "nothing is decided")
		c.decide(t, h, "validated")
		c.speak(t, h, "Eve", "contradicts")
		events := dbtest.Value[int](t, c.d, "select count(*) from activity_events where entity_id = $1", h)
		admin := asUser(t, c.d, c.Admin)
		require.Equal(t, "2 t 1 Enough said", value[string](t, admin, `
			select concat_ws(' ', number, confirms, contradicting, reason) from confirm_decision($1)`, h))
		require.Empty(t, c.against(t, h))
		require.Equal(t, c.Admin, value[uuid.UUID](t, admin, "select decided_by from hypotheses where id = $1", h))
		require.Equal(t, events+1,
			dbtest.Value[int](t, c.d, "select count(*) from activity_events where entity_id = $1", h))
		require.Equal(t, 1, dbtest.Value[int](t, c.d, `select count(*) from private.events
			where type = 'hypothesis.confirmed' and entity_id = $1`, h))
		c.speak(t, h, "Fay", "contradicts")
		require.Equal(t, "1 1 f", c.against(t, h))

		_, err = asUser(t, c.d, c.Viewer).try(t, "select confirm_decision($1)", h)
		require.Equal(t, "42501", state(err), "viewers do not decide")
		require.Equal(t, "1 1 f", c.against(t, h))
	})

	t.Run("another workspace sees nothing", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
		c.decide(t, h, "validated")
		c.speak(t, h, "Eve", "contradicts")
		outsider := asUser(t, c.d, newConversationIn(t, c.d).Owner)
		viewer := asUser(t, c.d, c.Viewer)
		for _, query := range []string{
			"select count(*) from hypothesis_challenges where hypothesis_id = $1",
			"select count(*) from hypothesis_decisions where hypothesis_id = $1",
			"select count(*) from hypothesis_history($1)",
			"select count(*) from hypothesis_timeline((select project_id from hypotheses where id = $1))",
			"select count(*) from confirm_decision($1)",
		} {
			require.Zero(t, value[int](t, outsider, query, h), query)
			if !strings.Contains(query, "confirm") {
				require.NotZero(t, value[int](t, viewer, query, h), query)
			}
		}
		require.Zero(t, value[int](t, outsider, "select count(*) from hypothesis_timeline($1)", c.Project))
	})
}

func TestHistory(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	h := c.d.Hypothesis(t, c.Tenant, "They count by hand")
	history := func() []string {
		return value[[]string](t, c.editor, `
			select array_agg(concat_ws(' ', kind,
				coalesce(detail ->> 'verb', detail ->> 'status', detail ->> 'changed',
				detail ->> 'against'), detail ->> 'to') order by place desc)
			from hypothesis_history($1) with ordinality as e (
				at, kind, actor_id, import_id, evidence_id, decision_id, detail, place)`, h)
	}
	c.editor.mustExec(t, "update hypotheses set reopen_after = 1")
	c.editor.mustExec(t, "update hypotheses set falsified_if = 'Half of them scan', importance = 'high'")
	interview, said := c.speak(t, h, "Ada", "supports")
	c.d.Exec(t, `
		insert into private.import_runs (claim_id, import_id, hypotheses, status, finished_at, extractor)
		values (gen_random_uuid(), $1, array[$2::uuid], 'parsed', clock_timestamp(), 'ai'),
			(gen_random_uuid(), $1, '{}', 'failed', clock_timestamp(), 'ai')`, interview, h)
	c.editor.mustExec(t, "update evidence set review = 'accepted' where id = $1", said)
	c.editor.mustExec(t, "update evidence_hypotheses set strength = 'strong' where evidence_id = $1", said)
	c.decide(t, h, "validated")
	c.editor.mustExec(t, "update evidence_hypotheses set stance = 'contradicts' where evidence_id = $1", said)
	require.Equal(t, []string{
		`edited ["falsified_if", "importance"]`, "interview", "analysis parsed", "judgement accepted accepted",
		"verdict validated", "reopened 1", "judgement stance_changed contradicts",
	}, history())
	c.editor.mustExec(t, "select confirm_decision($1)", h)
	c.editor.mustExec(t, "update hypotheses set statement = 'They count'")
	require.Equal(t, []string{
		"judgement stance_changed contradicts", "confirmed validated", `edited ["statement"]`,
	}, history()[5:], "no decision is open")
	c.editor.mustExec(t,
		"update hypotheses set status = 'testing', falsified_if = '', decision_reason = 'Too few'")
	require.ElementsMatch(t, []string{
		`edited ["decision_reason", "falsified_if"]`, "verdict testing",
	}, history()[8:], "with a status, too")
	c.decide(t, h, "validated")
	require.Len(t, history(), 11)
	require.Equal(t, c.Editor, value[uuid.UUID](t, c.editor,
		"select distinct actor_id from hypothesis_history($1) where kind in ('judgement', 'verdict', 'edited')", h))

	c.d.Exec(t, `insert into activity_events (
			workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail, occurred_at
		)
		select $1, $2, $3, 'updated', 'hypothesis', $4, '{"changed": ["statement"]}', '2020-01-01'
		from generate_series(1, 600)`, c.Workspace, c.Project, c.Editor, h)
	require.Len(t, history(), 500)
	require.Equal(t, "verdict validated", history()[499], "the newest")
}
