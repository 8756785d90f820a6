package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A doubtfulInterview has a quote of a doubtful turn that supports a hypothesis.
type doubtfulInterview struct {
	conversation
	id, hypothesis, quote uuid.UUID
}

func newDoubtfulInterview(t *testing.T) doubtfulInterview {
	t.Helper()
	c := newConversation(t)
	i := doubtfulInterview{conversation: c, id: c.upload(t, "Dana: We pay late.", "Sam: We pay early.")}
	i.hypothesis = c.d.Hypothesis(t, c.Tenant, "Teams pay late")
	c.d.Exec(t, "update utterances set confidence = 0.89 where import_id = $1 and speaker = 'Dana'", i.id)
	i.quote = i.cite(t, "We pay late.")
	return i
}

// cite adds a quote as an extractor does.
func (i doubtfulInterview) cite(t *testing.T, quote string) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, i.d, `
		insert into evidence (project_id, import_id, quote, origin, match, byte_start, byte_end)
		select $1, $2, $3, 'ai', 'verbatim', byte_start, byte_end from utterances
		where import_id = $2 and text = $3
		returning id`, i.Project, i.id, quote)
	i.d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
		values ($1, $2, 'supports')`,
		id, i.hypothesis)
	i.d.Exec(t, `insert into import_hypotheses (import_id, hypothesis_id, project_id, statement)
		values ($1, $2, $3, 'H') on conflict do nothing`, i.id, i.hypothesis, i.Project)
	i.d.Exec(t, "select private.update_results(array[$1::uuid])", i.id)
	return id
}

// state is whether the speaker of the quote is confirmed, how many people support the hypothesis, and how
// many quotes do.
func (i doubtfulInterview) state(t *testing.T) string {
	t.Helper()
	return value[string](t, i.editor, `
		select concat_ws(' ', e.speaker_confirmed, p.supporting, ih.supports_count)
		from evidence e, hypothesis_people p, import_hypotheses ih
		where e.id = $1 and p.hypothesis_id = $2 and ih.hypothesis_id = $2`, i.quote, i.hypothesis)
}

func TestAQuoteOfADoubtfulTurnCountsForNoPersonUntilItIsConfirmed(t *testing.T) {
	t.Parallel()

	t.Run("whoever writes it", func(t *testing.T) {
		t.Parallel()
		i := newDoubtfulInterview(t)
		require.Equal(t, "f 0 1", i.state(t))
		i.cite(t, "We pay early.")
		require.Equal(t, "f 1 2", i.state(t))
		for quote, confirmed := range map[string]bool{"pay late": false, "pay early": true, "nowhere": true} {
			require.Equal(t, confirmed, value[bool](t, i.editor, `
				insert into evidence (project_id, import_id, quote, speaker_confirmed) values ($1, $2, $3, $4)
				returning speaker_confirmed`, i.Project, i.id, quote, !confirmed), quote)
		}
	})

	t.Run("editors confirm it, and take that back", func(t *testing.T) {
		t.Parallel()
		i := newDoubtfulInterview(t)
		i.editor.mustExec(t, "update evidence set speaker_confirmed = true where id = $1", i.quote)
		require.Equal(t, "t 1 1", i.state(t))
		require.True(t, value[bool](t, i.editor,
			"select edited_at is not null and edited_by = $2 from evidence where id = $1", i.quote, i.Editor))
		// What follows roles looks the speaker up again.
		i.d.Exec(t, "update evidence set speaker = 'Forged' where id = $1", i.quote)
		require.Equal(t, "t 1 1", i.state(t))
		i.editor.mustExec(t, "update evidence set speaker_confirmed = false where id = $1", i.quote)
		require.Equal(t, "f 0 1", i.state(t))
		rows, _ := asUser(t, i.d, i.Viewer).try(t,
			"update evidence set speaker_confirmed = true where id = $1", i.quote)
		require.Zero(t, rows)
	})

	t.Run("a speaker who is looked up is not a confirmed one", func(t *testing.T) {
		t.Parallel()
		i := newDoubtfulInterview(t)
		i.editor.mustExec(t, "update evidence set speaker = 'Sam' where id = $1", i.quote)
		require.Equal(t, "f 0 1", i.state(t))
	})

	t.Run("other words have another speaker", func(t *testing.T) {
		t.Parallel()
		i := newDoubtfulInterview(t)
		i.editor.mustExec(t, "update evidence set quote = 'We pay early.' where id = $1", i.quote)
		require.Equal(t, "t 1 1", i.state(t))
	})
}

func TestAQuoteWithoutItsPlaceStaysSoUntilAPersonChangesIt(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) doubtfulInterview {
		t.Helper()
		i := newDoubtfulInterview(t)
		i.d.Exec(t, `update evidence set byte_start = null, byte_end = null, match = 'manual', place_lost = true,
			speaker_confirmed = false where id = $1`, i.quote)
		require.True(t, value[bool](t, i.editor, "select byte_start is null from evidence where id = $1", i.quote))
		return i
	}
	for name, c := range map[string]struct {
		change string
		want   string // place_lost, whether it has a place, speaker, speaker_confirmed
	}{
		"not by a summary":          {"summary = 'Late'", "t f Dana f"},
		"not by saying so":          {"place_lost = false", "t f Dana f"},
		"by words that are there":   {"quote = 'pay early'", "f t Sam t"},
		"by words that are nowhere": {"quote = 'Nowhere'", "f f Dana f"},
		"its speaker by a name":     {"speaker = 'Sam'", "t f Sam t"},
		"by a place":                {"byte_start = 0, byte_end = 12", "f t Dana f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := start(t)
			i.editor.mustExec(t, "update evidence set "+c.change+" where id = $1", i.quote)
			require.Equal(t, c.want, value[string](t, i.editor, `
				select concat_ws(' ', place_lost, byte_start is not null, speaker, speaker_confirmed)
				from evidence where id = $1`, i.quote))
		})
	}
}
