package db_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A conversation is a tenant whose project has imports with named speakers.
type conversation struct {
	dbtest.Tenant
	d      *dbtest.DB
	editor *caller
}

func newConversation(t *testing.T) conversation {
	t.Helper()
	return newConversationIn(t, dbtest.New(t))
}

func newConversationIn(t *testing.T, d *dbtest.DB) conversation {
	t.Helper()
	c := conversation{Tenant: d.Tenant(t), d: d}
	c.editor = asUser(t, d, c.Editor)
	return c
}

// turnParams stores turns of the form "Name: text"; a turn without a colon has no speaker.
func turnParams(project uuid.UUID, turns []string) db.StoreImportParams {
	var speakers, texts []string
	for _, turn := range turns {
		speaker, text, named := strings.Cut(turn, ": ")
		if !named {
			speaker, text = "", turn
		}
		speakers, texts = append(speakers, speaker), append(texts, text)
	}
	params := storeParams(project, nil, strings.Join(texts, "\n"))
	params.Speakers = speakers
	return params
}

// upload stores turns as turnParams says.
func (c conversation) upload(t *testing.T, turns ...string) uuid.UUID {
	t.Helper()
	id, err := db.AsUser(t.Context(), c.d.Store, db.User(c.Editor), func(q *db.Queries) (uuid.UUID, error) {
		return q.StoreImport(t.Context(), turnParams(c.Project, turns))
	})
	require.NoError(t, err)
	return id
}

// speakers lists the speakers of an import with their role and participant.
func (c conversation) speakers(t *testing.T, id uuid.UUID) []string {
	t.Helper()
	return dbtest.Value[[]string](t, c.d, `
		select array_agg(concat_ws('|', s.speaker, s.display_name, s.role, p.name) order by s.speaker collate "C")
		from import_speakers s left join participants p on p.id = s.participant_id where s.import_id = $1`, id)
}

// quote adds evidence of the extractor that a turn is, for a hypothesis that a model read in its import.
func (c conversation) quote(t *testing.T, id, hypothesis uuid.UUID, stance, text string) uuid.UUID {
	t.Helper()
	c.d.Exec(t, `insert into import_hypotheses (
			import_id, hypothesis_id, project_id, statement, coverage, model_coverage
		)
		values ($1, $2, $3, 'H', 1, 1) on conflict do nothing`, id, hypothesis, c.Project)
	quoted := dbtest.Value[uuid.UUID](t, c.d,
		`insert into evidence (project_id, import_id, quote, origin) values ($1, $2, $3, 'ai') returning id`,
		c.Project, id, text)
	c.d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, $3)`,
		quoted, hypothesis, stance)
	return quoted
}

// people is the row of hypothesis_people: participants, supporting, contradicting, mixed, neutral, silent.
func (c conversation) people(t *testing.T, hypothesis uuid.UUID) string {
	t.Helper()
	return value[string](t, c.editor, `
		select concat_ws(' ', participants, supporting, contradicting, mixed, neutral, silent)
		from hypothesis_people where hypothesis_id = $1`, hypothesis)
}

// same makes all speakers of a name one participant.
func (c conversation) same(t *testing.T, name string) {
	t.Helper()
	c.editor.mustExec(t, `update import_speakers set participant_id =
		(select id from participants where name = $1 order by created_at limit 1) where speaker = $1`, name)
}

// persona adds a persona.
func (c conversation) persona(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, c.d,
		"insert into personas (project_id, name) values ($1, $2) returning id", c.Project, name)
}

func TestSpeakers(t *testing.T) {
	t.Parallel()

	t.Run("of an upload are its labels, with a participant for each name", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Hello", "Interviewer: How?", "Maria López: Well.", "Speaker 2: No.", "Maria López: Yes.")
		require.Equal(t, []string{
			"Interviewer|Interviewer|interviewer",
			"Maria López|Maria López|participant|Maria López",
			"Speaker 2|Speaker 2|participant",
		}, c.speakers(t, id))
	})

	t.Run("of the same name are one participant of an import, and others of others", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.d.Exec(t, "insert into participants (project_id, name) values ($1, 'Sam Okafor')", c.Project)
		c.upload(t, "Sam Okafor: One.")
		require.Equal(t, 1, dbtest.Value[int](t, c.d, "select count(*) from participants"), "spoke nowhere yet")
		require.Equal(t, []string{
			"SAM OKAFOR|SAM OKAFOR|participant|SAM OKAFOR",
			"sam okafor (Guest)|sam okafor (Guest)|participant|SAM OKAFOR",
		}, c.speakers(t, c.upload(t, "sam okafor (Guest): Two.", "SAM OKAFOR: Three.")))
		require.Equal(t, 2, dbtest.Value[int](t, c.d, "select count(*) from participants"))
	})

	t.Run("are linked with the participants whom an upload names", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.upload(t, "Anna: One.")
		anna := dbtest.Value[uuid.UUID](t, c.d, "select id from participants")
		id := c.upload(t, "Anna: Two.", "Bob: Three.")
		link := func(who *caller, person uuid.UUID) bool {
			return value[bool](t, who, "select private.link_speakers($1, '{Anna}', array[$2::uuid])", id, person)
		}
		require.False(t, link(c.editor, uuid.New()), "no such participant")
		require.True(t, link(c.editor, anna))
		require.Equal(t, anna, dbtest.Value[uuid.UUID](t, c.d,
			"select participant_id from import_speakers where import_id = $1 and speaker = 'Anna'", id))
		_, err := asUser(t, c.d, c.Viewer).try(t,
			"select private.link_speakers($1, '{Anna}', array[$2::uuid])", id, anna)
		require.Equal(t, "42501", state(err))
	})

	t.Run("without any label are one", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		require.Equal(t, []string{"||participant"}, c.speakers(t, c.upload(t, "One.", "Two.")))
	})

	t.Run("are recognized by their labels", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		for label, want := range map[string]string{
			"Interviewer": "interviewer", "INTERVIEWER 2": "interviewer", "Dana (Moderator)": "interviewer",
			"Q": "interviewer", "Q1": "interviewer", "Host": "interviewer", "Entrevistadora": "interviewer",
			"インタビュアー": "interviewer", "Intervieweuse": "interviewer",
			"Host family": "participant Host family", "Quentin": "participant Quentin", "Al": "participant Al",
			"Weber, Dana": "participant Weber, Dana", "Omar | Finance": "participant Omar", "李": "participant 李",
			"dana@example.org": "participant dana@example.org", "Anna 2": "participant Anna 2",
			"Interviewee": "participant", "SPEAKER_00": "participant", "spk_1": "participant", "P4": "participant",
			"A": "participant", "Participant: P4": "participant", "Channel 1": "participant",
			"+49 170 1234":   "participant",
			"Teilnehmerin 3": "participant", "话者 2": "participant 话者 2", "说话人 2": "participant", "": "participant",
		} {
			require.Equal(t, want, dbtest.Value[string](t, d, `
				select concat_ws(' ', private.role_of_label($1),
					case private.role_of_label($1) when 'participant' then private.name_of_label($1) end)`, label), label)
		}
	})

	t.Run("are changed by editors, and by nobody else", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Dana: How?", "Omar: Well.")
		c.editor.mustExec(t, "update import_speakers set display_name = 'D.', role = 'other' where speaker = "+
			"'Dana'")
		require.Equal(t, "Dana|D.|other|Dana", c.speakers(t, id)[0])
		require.Equal(t, "42501", state(c.editor.exec(t, "update import_speakers set speaker = 'X'")))
		for _, call := range []string{"set_interviewers($1, '{Dana}')", "merge_speakers($1, '{Dana}', 'Omar')",
			"restore_speakers($1, '[]')"} {
			_, err := asUser(t, c.d, c.Viewer).try(t, "select from "+call, id)
			require.Equal(t, "42501", state(err), call)
			outsider := asUser(t, c.d, c.d.User(t, uuid.NewString()+"@example.com"))
			require.Zero(t, value[int](t, outsider, "select count(*) from "+call, id), call)
		}
		require.Equal(t, "Dana|D.|other|Dana", c.speakers(t, id)[0])
	})

	t.Run("are merged into one person, and restored", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Omar: One.", "Speaker 1: Two.", "Speaker 2: Three.")
		before := c.speakers(t, id)
		was := value[string](t, c.editor,
			`select jsonb_agg(s)::text from merge_speakers($1, '{"Speaker 1","Speaker 2"}', 'Omar') s`, id)
		require.Equal(t, []string{
			"Omar|Omar|participant|Omar", "Speaker 1|Omar|participant|Omar", "Speaker 2|Omar|participant|Omar",
		}, c.speakers(t, id))
		c.editor.mustExec(t, "select restore_speakers($1, $2::jsonb)", id, was)
		require.Equal(t, before, c.speakers(t, id))
	})

	t.Run("are named as in the import", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Omar: One.")
		for _, call := range []string{
			"set_interviewers($1, '{Nobody}')", "merge_speakers($1, '{Omar}', 'Nobody')",
			`restore_speakers($1, '[{"speaker": "Nobody"}]')`,
			"set_interviewers($1, array_fill('Omar'::text, '{1002}'))",
		} {
			require.Equal(t, "23514", state(c.editor.exec(t, "select from "+call, id)), call)
		}
	})

	t.Run("forget a participant who is deleted", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Omar: One.")
		c.editor.mustExec(t, "delete from participants")
		require.Equal(t, []string{"Omar|Omar|participant"}, c.speakers(t, id))
	})
}

func TestPeople(t *testing.T) {
	t.Parallel()

	t.Run("are counted once each, by what they said", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		first := c.upload(t, "Interviewer: Do you pay?", "Ann: I pay.", "Bob: I never pay.", "Cem: Who knows?",
			"Dee: Hello.")
		second := c.upload(t, "Ann: I do not pay.", "Speaker 1: I pay as well.")
		c.same(t, "Ann")
		c.quote(t, first, h, "supports", "I pay.")
		c.quote(t, first, h, "contradicts", "I never pay.")
		c.quote(t, first, h, "contradicts", "never pay")
		c.quote(t, first, h, "neutral", "Who knows?")
		c.quote(t, first, h, "supports", "Do you pay?")
		c.quote(t, second, h, "contradicts", "I do not pay.")
		c.quote(t, second, h, "supports", "I pay as well.")
		require.Equal(t, "5 1 1 1 1 1", c.people(t, h))
		require.Equal(t, []string{
			"Ann mixed 1 1 0", "Bob contradicts 0 2 0", "Cem neutral 0 0 1", "Dee silent 0 0 0",
			"Speaker 1 supports 1 0 0",
		}, value[[]string](t, c.editor, `
			select array_agg(concat_ws(' ', name, stance, supports, contradicts, neutral) order by name)
			from hypothesis_participants where hypothesis_id = $1`, h))
	})

	t.Run("of a hypothesis that was read nowhere are none", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.upload(t, "Ann: I pay.")
		require.Equal(t, "0 0 0 0 0 0", c.people(t, c.d.Hypothesis(t, c.Tenant, "People pay")))
	})

	t.Run("do not count by rejected evidence", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		c.quote(t, c.upload(t, "Ann: I pay."), h, "supports", "I pay.")
		c.editor.mustExec(t, "update evidence set review = 'rejected'")
		require.Equal(t, "1 0 0 0 0 1", c.people(t, h))
	})

	t.Run("are unmatched, not silent, if only keyword matching read what they said", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		id := c.upload(t, "Ann: I pay.")
		c.d.Exec(t, "update imports set title = 'Ann'")
		c.quote(t, id, h, "supports", "I pay.")
		c.d.Exec(t, "update import_hypotheses set model_coverage = 0, statement = 'People pay'")
		c.editor.mustExec(t, "update evidence set review = 'rejected'")
		require.Equal(t, "1 0 0 0 0 0", c.people(t, h))
		require.Equal(t, "unmatched 1", value[string](t, c.editor, `
			select concat_ws(' ', v.stance, p.unmatched)
			from hypothesis_participants v join hypothesis_people p using (hypothesis_id)`))
		require.JSONEq(t, `{"nothing_found": [], "unmatched": ["Ann"], "not_read": [], "partly_read": []}`,
			value[string](t, c.editor, "select (hypothesis_findings($1) -> 'gaps')::text", h))
	})

	t.Run("are neither interviewers nor others", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		id := c.upload(t, "Dana: Do you pay?", "Ann: I pay.", "Ines: She says that she pays.")
		c.editor.mustExec(t, "update import_speakers set role = 'interviewer' where speaker = 'Dana'")
		c.editor.mustExec(t, "update import_speakers set role = 'other' where speaker = 'Ines'")
		c.quote(t, id, h, "supports", "I pay.")
		c.quote(t, id, h, "supports", "She says that she pays.")
		require.Equal(t, "1 1 0 0 0 0", c.people(t, h))
		require.Equal(t, []string{"Ann"}, value[[]string](t, c.editor,
			"select array_agg(name) from project_people($1)", c.Project))
	})

	t.Run("have their own persona, or that of their first interview with one", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		owners, baristas := c.persona(t, "Owners"), c.persona(t, "Baristas")
		c.upload(t, "Ann: Hello.")
		group := c.upload(t, "Ann: One.", "Bob: Two.", "Speaker 1: Three.")
		last := c.upload(t, "Ann: Four.", "Speaker 1: Five.", "Cem: Six.")
		c.same(t, "Ann")
		c.editor.mustExec(t, "update imports set persona_id = $1 where id = $2", owners, group)
		c.editor.mustExec(t, "update imports set persona_id = $1 where id = $2", baristas, last)
		c.editor.mustExec(t, "update import_speakers set role = 'interviewer' where speaker = 'Cem'")
		c.editor.mustExec(t, "update participants set persona_id = $1 where name = 'Bob'", baristas)
		personas := func(who *caller) []string {
			return value[[]string](t, who, `
				select coalesce(array_agg(concat_ws(' ', p.name, o.name) order by p.name, o.name), '{}')
				from project_people($1) p left join personas o on o.id = p.persona_id`, c.Project)
		}
		require.Equal(t, []string{"Ann Owners", "Bob Baristas", "Speaker 1 Baristas", "Speaker 1 Owners"},
			personas(asUser(t, c.d, c.Viewer)))
		require.Empty(t, personas(asUser(t, c.d, c.d.User(t, uuid.NewString()+"@example.com"))))
	})

	t.Run("of another persona than the hypothesis is about do not count", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		owners, baristas := c.persona(t, "Owners"), c.persona(t, "Baristas")
		id := c.upload(t, "Ann: I pay.", "Bob: I never pay.", "Cem: Who knows?", "Speaker 1: Hello.")
		c.quote(t, id, h, "supports", "I pay.")
		c.quote(t, id, h, "contradicts", "I never pay.")
		c.quote(t, id, h, "neutral", "Who knows?")
		c.editor.mustExec(t, "update participants set persona_id = $1 where name = 'Ann'", owners)
		c.editor.mustExec(t, "update participants set persona_id = $1 where name = 'Bob'", baristas)
		others := func() int {
			return value[int](t, c.editor, "select others from hypothesis_people where hypothesis_id = $1", h)
		}
		require.Equal(t, "4 1 1 0 1 1", c.people(t, h))
		require.Zero(t, others())
		c.editor.mustExec(t, "update hypotheses set persona_id = $1", owners)
		require.Equal(t, "3 1 0 0 1 1", c.people(t, h), "those without a persona count")
		require.Equal(t, 1, others())
		c.editor.mustExec(t, "update imports set persona_id = $1", baristas)
		require.Equal(t, "1 1 0 0 0 0", c.people(t, h), "one's own persona wins over that of the interview")
		require.Equal(t, []string{"Ann", "Bob", "Cem", "Speaker 1"}, value[[]string](t, c.editor,
			"select array_agg(name order by name) from hypothesis_participants where counted = (name = 'Ann')"))
	})

	t.Run("of other workspaces are not seen", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "People pay")
		c.quote(t, c.upload(t, "Ann: I pay."), h, "supports", "I pay.")
		for _, view := range []string{"hypothesis_people", "hypothesis_participants"} {
			require.NotZero(t, value[int](t, asUser(t, c.d, c.Viewer), "select count(*) from "+view), view)
			outsider := asUser(t, c.d, c.d.User(t, uuid.NewString()+"@example.com"))
			require.Zero(t, value[int](t, outsider, "select count(*) from "+view), view)
			_, err := as(t, c.d, db.Subject{Role: db.RoleAnon}).try(t, "select from "+view)
			require.Equal(t, "42501", state(err), view)
		}
	})
}

func TestInterviewersGiveNoEvidence(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	h := c.d.Hypothesis(t, c.Tenant, "People pay")
	id := c.upload(t, "Dana: I would pay.", "Omar: I never pay.")
	c.quote(t, id, h, "supports", "I would pay.")
	c.quote(t, id, h, "contradicts", "would pay.\nI never pay.")
	counts := func() string {
		return dbtest.Value[string](t, c.d, `select concat_ws(' ', result, supports_count, contradicts_count)
			from import_hypotheses where import_id = $1`, id)
	}
	balance := func() string {
		return value[string](t, c.editor,
			"select concat_ws(' ', supports, contradicts) from hypothesis_balances($1)", c.Project)
	}
	require.Equal(t, "mixed 1 1", counts())
	require.Equal(t, "2 0 0 1 0 1", c.people(t, h), "the quote of both is attributed to the first")

	was := value[string](t, c.editor, "select jsonb_agg(s)::text from set_interviewers($1, '{Dana}') s", id)
	require.Equal(t, []string{"Dana|Dana|interviewer|Dana", "Omar|Omar|participant|Omar"}, c.speakers(t, id))
	require.Equal(t, "contradicts 0 1", counts())
	require.Equal(t, "0 1", balance())
	require.Equal(t, "1 0 1 0 0 0", c.people(t, h), "the quote of both is attributed to the participant")

	c.editor.mustExec(t, "select restore_speakers($1, $2::jsonb)", id, was)
	require.Equal(t, "mixed 1 1", counts())
	require.Equal(t, "1 1", balance())

	c.editor.mustExec(t, "select set_interviewers($1, '{Dana}')", id)
	c.editor.mustExec(t, "select set_interviewers($1, '{}')", id)
	require.Equal(t, "mixed 1 1", counts())
}
