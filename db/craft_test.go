package db_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// surveyed is what the service says about turns. Here a turn with a question mark is one question:
// hypothetical with "would", leading with "right?", otherwise open.
func surveyed(texts []string) json.RawMessage {
	type question struct {
		Turn         int  `json:"turn"`
		Start        int  `json:"start"`
		End          int  `json:"end"`
		Words        int  `json:"words"`
		Open         bool `json:"open"`
		Closed       bool `json:"closed"`
		Past         bool `json:"past"`
		Hypothetical bool `json:"hypothetical"`
		Leading      bool `json:"leading"`
	}
	var survey struct {
		Language  string     `json:"language"`
		Words     []int      `json:"words"`
		Questions []question `json:"questions"`
	}
	survey.Language, survey.Questions = "en", []question{}
	for i, text := range texts {
		words := len(strings.Fields(text))
		survey.Words = append(survey.Words, words)
		if end := strings.Index(text, "?"); end >= 0 {
			q := question{Turn: i, End: end + 1, Words: words}
			q.Hypothetical, q.Leading = strings.Contains(text, "would"), strings.Contains(text, "right?")
			q.Open = !q.Hypothetical && !q.Leading
			survey.Questions = append(survey.Questions, q)
		}
	}
	encoded, _ := json.Marshal(survey)
	return encoded
}

// led uploads an interview whose questions are known.
func (c conversation) led(t *testing.T, turns ...string) uuid.UUID {
	t.Helper()
	id, err := db.AsUser(t.Context(), c.d.Store, db.User(c.Editor), func(q *db.Queries) (uuid.UUID, error) {
		params := turnParams(c.Project, turns)
		params.Craft = surveyed(params.Texts)
		return q.StoreImport(t.Context(), params)
	})
	require.NoError(t, err)
	return id
}

// craft is the row of interview_craft as the editor reads it.
func (c conversation) craft(t *testing.T, id uuid.UUID) string {
	t.Helper()
	return value[string](t, c.editor, `
		select format(
			'%s of %s words, %s of %s, from %s to %s: %s words %s ms; %s: %s open, %s hypothetical, %s leading',
			coalesce(interviewer_words::text, '?'), words, interviewers, participants, longest_from, longest_to,
			longest_words, longest_ms, questions, open, hypothetical, "leading")
		from interview_craft where import_id = $1`, id)
}

// answered is the kind of the question that a quote answers, with the question.
func (c conversation) answered(t *testing.T, quote uuid.UUID) string {
	t.Helper()
	return value[string](t, c.editor, `
		select coalesce(e.asked_kind || ': ' || (
			select convert_from(substring(convert_to(string_agg(u.text, e'\n' order by u.ordinal), 'UTF8')
				from e.asked_start + 1 for e.asked_end - e.asked_start), 'UTF8')
			from utterances u where u.import_id = e.import_id
		), '')
		from evidence e where e.id = $1`, quote)
}

func TestHowAnInterviewIsLed(t *testing.T) {
	t.Parallel()

	t.Run("follows the roles of its speakers", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Interviewer: How do you pay?", "Ada: Late.", "Interviewer: I see.",
			"Bo: Would you pay as I do, who knows?", "Interviewer: So you would pay us, right?", "Ada: Perhaps.")
		require.Equal(t,
			"12 of 22 words, 1 of 2, from 4 to 4: 6 words 900 ms; 2: 1 open, 1 hypothetical, 1 leading",
			c.craft(t, id))
		c.editor.mustExec(t, "update import_speakers set role = 'interviewer' where speaker = 'Bo'")
		require.Equal(t,
			"20 of 22 words, 2 of 1, from 2 to 4: 16 words 2900 ms; 3: 2 open, 1 hypothetical, 1 leading",
			c.craft(t, id))
		c.editor.mustExec(t, "update import_speakers set role = 'participant'")
		require.Equal(t, "? of 22 words, 0 of 3, from  to :  words  ms; 0: 0 open, 0 hypothetical, 0 leading",
			c.craft(t, id))
		c.editor.mustExec(t, "update import_speakers set role = 'interviewer'")
		require.Equal(t, "22 of 22 words, 3 of 0, from  to :  words  ms; 3: 2 open, 1 hypothetical, 1 leading",
			c.craft(t, id))
	})

	t.Run("is read by members only", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Interviewer: How do you pay?", "Ada: Late.")
		other := asUser(t, c.d, c.d.Tenant(t).Editor)
		for _, view := range []string{"interview_craft", "utterance_questions"} {
			const count = "select count(*) from "
			require.Equal(t, 1, value[int](t, c.editor, count+view+" where import_id = $1", id), view)
			require.Zero(t, value[int](t, other, count+view+" where import_id = $1", id), view)
		}
		require.Equal(t, "42501", state(c.editor.exec(t, "update utterance_questions set is_open = true")))
	})

	t.Run("is known of a restored import", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Interviewer: What would you pay?", "Ada: A lot.")
		quote := c.quote(t, id, c.d.Hypothesis(t, c.Tenant, "Teams pay"), "supports", "A lot.")
		before := c.craft(t, id)
		c.editor.mustExec(t, "select private.set_import_aside($1)", id)
		c.editor.mustExec(t, "select private.restore_import($1)", id)
		require.Equal(t, before, c.craft(t, id))
		require.Equal(t, "hypothetical: What would you pay?", c.answered(t, quote))
	})
}

func TestWhatAQuoteAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		turns []string // "Ada: Yes." is quoted
		want  string
	}{
		"a hypothetical question": {
			[]string{"Interviewer: What would you pay?", "Ada: Yes."}, "hypothetical: What would you pay?",
		},
		"a leading one, whatever else it is": {
			[]string{"Interviewer: You would pay, right? Wouldn't you?", "Ada: Yes."},
			"leading: You would pay, right?",
		},
		"an open one": {
			[]string{"Interviewer: How do you pay?", "Ada: Yes."},
			"",
		},
		"nothing": {
			[]string{"Ada: Yes.", "Interviewer: What would you pay?"},
			"",
		},
		"no interviewer": {
			[]string{"Bo: What would you pay?", "Ada: Yes."},
			"",
		},
		"the last question": {
			[]string{
				"Interviewer: What would you pay?", "Ada: Much.", "Interviewer: How do you pay now?", "Ada: Yes.",
			},
			"",
		},
		"what others answer": {
			[]string{"Interviewer: What would you pay?", "Bo: Little.", "Ada: Yes."},
			"hypothetical: What would you pay?",
		},
		"after an mm-hm": {
			[]string{"Interviewer: What would you pay?", "Ada: Well.", "Interviewer: Mm-hm.", "Ada: Yes."},
			"hypothetical: What would you pay?",
		},
		"after a change": {
			[]string{
				"Interviewer: What would you pay?", "Ada: Well.", "Interviewer: Let us talk about your last job.",
				"Ada: Yes.",
			},
			"",
		},
		"a turn in parts": {
			[]string{"Interviewer: What would you pay?", "Interviewer: For all that we spoke about.", "Ada: Yes."},
			"hypothetical: What would you pay?",
		},
		"a longer question": {
			[]string{"Interviewer: What would you pay?", "Interviewer: How much?", "Ada: Yes."},
			"hypothetical: What would you pay?",
		},
		"in letters of several": {
			[]string{"Interviewer: Würden — 🎉?", "Interviewer: Was would das kosten?", "Ada: Yes."},
			"hypothetical: Was would das kosten?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConversation(t)
			id := c.led(t, test.turns...)
			require.Equal(t, test.want,
				c.answered(t, c.quote(t, id, c.d.Hypothesis(t, c.Tenant, "Teams pay"), "supports", "Yes.")))
		})
	}

	t.Run("that contains its question is that question", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Interviewer: What would you pay?", "Ada: Nothing.", "Interviewer: How do you pay?",
			"Ada: Late.", "Interviewer: And what would you like?", "Ada: Yes.")
		h := c.d.Hypothesis(t, c.Tenant, "Teams pay")
		require.Empty(t, c.answered(t, c.quote(t, id, h, "supports", "How do you pay?\nLate.")))
		require.Equal(t, "hypothetical: And what would you like?",
			c.answered(t, c.quote(t, id, h, "supports", "And what would you like?\nYes.")))
	})

	t.Run("is looked up when a run ends, as roles may have changed meanwhile", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Interviewer: What would you pay?", "Ada: Yes.")
		quote := c.quote(t, id, c.d.Hypothesis(t, c.Tenant, "Teams pay"), "supports", "Yes.")
		c.d.Exec(t, "update evidence set asked_kind = null, asked_start = null, asked_end = null")
		require.NoError(t, c.d.AsService(t.Context(), func(q *db.Queries) error {
			return q.FollowQuestions(t.Context(), id)
		}))
		require.Equal(t, "hypothetical: What would you pay?", c.answered(t, quote))
	})

	t.Run("follows roles, and is nobody's to write", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.led(t, "Bo: What would you pay?", "Ada: Yes.")
		quote := c.quote(t, id, c.d.Hypothesis(t, c.Tenant, "Teams pay"), "supports", "Yes.")
		activity := func() int { return value[int](t, c.editor, "select count(*) from activity_events") }
		before := activity()
		c.editor.mustExec(t, "select set_interviewers($1, '{Bo}')", id)
		require.Equal(t, "hypothetical: What would you pay?", c.answered(t, quote))
		c.editor.mustExec(t, "update evidence set asked_kind = null, asked_start = 1 where id = $1", quote)
		require.Equal(t, "hypothetical: What would you pay?", c.answered(t, quote))
		c.editor.mustExec(t, "select set_interviewers($1, '{}')", id)
		require.Empty(t, c.answered(t, quote))
		require.Equal(t, before, activity(), "what follows from roles is nobody's judgement")
	})
}

func TestAnAnswerToAHypotheticalQuestionIsAtMostMedium(t *testing.T) {
	t.Parallel()
	type interview struct {
		conversation
		id, hypothesis, quote uuid.UUID
	}
	strengths := func(t *testing.T, i interview) string {
		t.Helper()
		return value[string](t, i.editor, `select concat_ws(' ', strength, given_strength)
			from evidence_hypotheses where evidence_id = $1`, i.quote)
	}
	found := func(t *testing.T, strength string) interview {
		t.Helper()
		i := interview{conversation: newConversation(t)}
		i.id = i.led(t, "Interviewer: What would you pay?", "Ada: Yes.")
		i.hypothesis = i.d.Hypothesis(t, i.Tenant, "Teams pay")
		i.quote = dbtest.Value[uuid.UUID](t, i.d,
			`insert into evidence (project_id, import_id, quote, origin) values ($1, $2, 'Yes.', 'ai') returning id`,
			i.Project, i.id)
		i.d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance, strength)
			values ($1, $2, 'supports', $3)`, i.quote, i.hypothesis, strength)
		return i
	}

	t.Run("and gets its strength back when it answers another question", func(t *testing.T) {
		t.Parallel()
		i := found(t, "strong")
		require.Equal(t, "medium strong", strengths(t, i))
		activity := func() int { return value[int](t, i.editor, "select count(*) from activity_events") }
		before := activity()
		i.editor.mustExec(t, "select set_interviewers($1, '{}')", i.id)
		require.Equal(t, before, activity(), "what follows from roles is nobody's judgement")
		require.Equal(t, "strong", strengths(t, i))
		i.editor.mustExec(t, "select set_interviewers($1, '{Interviewer}')", i.id)
		require.Equal(t, "medium strong", strengths(t, i))
		i.editor.mustExec(t, "select private.set_import_aside($1)", i.id)
		i.editor.mustExec(t, "select private.restore_import($1)", i.id)
		require.Equal(t, "medium strong", strengths(t, i))
	})

	t.Run("and what is less stays", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "weak", strengths(t, found(t, "weak")))
	})

	t.Run("and is restored as it was, whatever else was edited", func(t *testing.T) {
		t.Parallel()
		i := found(t, "strong")
		i.editor.mustExec(t, "update evidence set summary = 'They pay' where id = $1", i.quote)
		i.editor.mustExec(t, "update evidence_hypotheses set given_strength = 'weak' where evidence_id = $1",
			i.quote)
		require.Equal(t, "medium strong", strengths(t, i))
		i.editor.mustExec(t, "select private.set_import_aside($1)", i.id)
		i.editor.mustExec(t, "select private.restore_import($1)", i.id)
		require.Equal(t, "medium strong", strengths(t, i))
	})

	t.Run("which a person may confirm", func(t *testing.T) {
		t.Parallel()
		i := found(t, "strong")
		i.editor.mustExec(t, `update evidence_hypotheses set stance = 'contradicts', strength = 'medium'
			where evidence_id = $1`, i.quote)
		require.Equal(t, "medium", strengths(t, i))
		i.editor.mustExec(t, "select set_interviewers($1, '{}')", i.id)
		require.Equal(t, "medium", strengths(t, i))
	})

	t.Run("until a later run or a person says otherwise", func(t *testing.T) {
		t.Parallel()
		i := found(t, "strong")
		require.NoError(t, i.d.AsService(t.Context(), func(q *db.Queries) error {
			return q.UpsertEvidenceHypotheses(t.Context(), db.UpsertEvidenceHypothesesParams{
				EvidenceIds: []uuid.UUID{i.quote}, HypothesisIds: []uuid.UUID{i.hypothesis},
				Stances: []string{"supports"}, Strengths: []string{"weak"},
			})
		}))
		require.Equal(t, "weak", strengths(t, i))
		i.editor.mustExec(t, "update evidence_hypotheses set strength = 'strong' where evidence_id = $1", i.quote)
		require.Equal(t, "strong", strengths(t, i))
		i.editor.mustExec(t, "select set_interviewers($1, '{}')", i.id)
		i.editor.mustExec(t, "select set_interviewers($1, '{Interviewer}')", i.id)
		require.Equal(t, "strong", strengths(t, i), "what a person said holds")
	})
}
