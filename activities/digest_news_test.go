package activities_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
)

// The news is read from the database as the recipient; activities/digest tests how it is composed.
func TestDigestNews(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	stranger := f.DB.Tenant(t)
	f.Exec(t, `update profiles set display_name = 'Edith' where id = $1`, f.Editor)
	moved := f.Hypothesis(t, f.Tenant, "Moved a little")
	movedMore := f.Hypothesis(t, f.Tenant, "Moved a lot")
	unmoved := f.Hypothesis(t, f.Tenant, "Did not move")
	f.addEvidence(t, uuid.Nil, unmoved, "supports", "An old quote")
	rejected := f.addEvidence(t, uuid.Nil, moved, "supports", "Was rejected later")
	f.forgetEvents(t)

	f.addEvidence(t, uuid.Nil, movedMore, "supports", "Found by the service")
	against := f.addEvidence(t, uuid.Nil, movedMore, "contradicts", "Against it, said <b>somebody</b>")
	f.addEvidence(t, f.Editor, movedMore, "supports", "Entered by the editor")
	f.insert(t, f.Editor, `update evidence set review = 'rejected' where id = $1`, rejected)
	f.insert(t, f.Editor, `update hypotheses set status = 'validated', decision_reason = 'Seven of eight'
		where id = $1`, unmoved)
	f.insert(t, f.Editor, `insert into questions (project_id, text) values ($1, 'Why?')`, f.Project)
	asked := f.insert(t, f.Editor, `insert into questions (project_id, text)
		values ($1, 'Who decides?')`, f.Project)
	f.insert(t, f.Editor, `update questions set status = 'answered', answer_evidence_id = $2 where id = $1`,
		asked, against)
	loose := f.insert(t, f.Editor, `insert into evidence (project_id, quote) values ($1, 'Not linked yet')`,
		f.Project)
	f.Exec(t, `update evidence set asked_kind = 'leading', asked_start = 0, asked_end = 1 where id = $1`,
		against)
	f.Exec(t, `update evidence set asked_kind = 'hypothetical', asked_start = 0, asked_end = 1 where id = $1`,
		loose)
	failed := f.insert(t, uuid.Nil, `
		insert into imports (project_id, title, format, size_bytes, sha256, status, error_message)
		values ($1, 'A broken call', 'vtt', 1, '', 'parsing', 'The model did not answer.')`, f.Project)
	f.insert(t, uuid.Nil, `update imports set status = 'failed' where id = $1`, failed)
	read := f.insert(t, uuid.Nil, `
		insert into imports (project_id, title, format, size_bytes, sha256, status, coverage, evidence_count)
		values ($1, 'A good call', 'vtt', 1, '', 'parsing', 0.9, 3)`, f.Project)
	f.insert(t, uuid.Nil, `update imports set status = 'parsed' where id = $1`, read)
	answer := f.insert(t, uuid.Nil, `insert into answers (project_id, question, mode, people_count, created_by)
		values ($1, 'Who pays for it?', 'quick', 7, $2)`, f.Project, f.Editor)
	f.insert(t, uuid.Nil, `update answers set status = 'answered', result = 'answered' where id = $1`, answer)
	f.Exec(t, `insert into hypotheses (project_id, statement)
		values ($1, 'A secret of strangers')`, stranger.Project)
	f.moveEventsToYesterday(t)

	viewer := f.preview(t, f.Viewer)
	require.False(t, viewer.Empty)
	text := viewer.Message.Text
	for _, part := range []string{
		"Moved a lot", "+2 for, +1 against, now 2 for and 1 against",
		"Moved a little", "1 withdrawn, now 0 for and 0 against",
		"Verdicts", "Did not move", "untested -> validated, by Edith", "Seven of eight",
		"Interviews", "A broken call", "not read: The model did not answer.",
		"A good call", "read: 3 quotes found; 10 % could not be read",
		"Questions answered", "Who decides? (Edith)",
		"Edith asked: Who pays for it?", "answered by 7 people",
		"New quotes without a hypothesis or theme", "Not linked yet",
		"Also: ", "2 new questions",
	} {
		i := strings.Index(text, part)
		require.GreaterOrEqual(t, i, 0, "%q is missing or in the wrong place:\n%s", part, viewer.Message.Text)
		text = text[i:]
	}
	require.Equal(t, 2, strings.Count(viewer.Message.Text, "Maya (answers a leading question)"))
	require.Equal(t, 1, strings.Count(viewer.Message.Text, "(answers a hypothetical question)"))
	require.Contains(t, viewer.Message.HTML, "Against it, said &lt;b&gt;somebody&lt;/b&gt;")
	project := publicURL + "/projects/" + f.Project.String()
	require.Contains(t, viewer.Message.HTML, project+"/evidence?h="+movedMore.String())
	require.Contains(t, viewer.Message.HTML, publicURL+"/imports/"+failed.String())
	require.NotContains(t, viewer.Message.Text+viewer.Message.HTML, "secret of strangers")
	require.NotContains(t, viewer.Message.Text, "An old quote")

	t.Run("leaves out what the recipient did, but not what the service found", func(t *testing.T) {
		editor := f.preview(t, f.Editor).Message.Text
		require.Contains(t, editor, "Found by the service")
		require.Contains(t, editor, "+1 for, +1 against, now 2 for and 1 against")
		for _, own := range []string{
			"Entered by the editor", "Verdicts", "Questions answered", "Not linked yet", "withdrawn", "new question",
			"Who pays for it?",
		} {
			require.NotContains(t, editor, own)
		}
	})
	t.Run("has only the recipient's own workspaces", func(t *testing.T) {
		other := f.preview(t, stranger.Viewer).Message.Text
		require.Contains(t, other, "A secret of strangers")
		require.NotContains(t, other, "Moved")
	})
	t.Run("is empty for a former member, even about a day of the membership", func(t *testing.T) {
		f.Exec(t, `delete from workspace_members where user_id = $1`, f.Viewer)
		require.True(t, f.preview(t, f.Viewer).Empty)
	})
	t.Run("lists the first five of many, and how many more there are", func(t *testing.T) {
		for i := range 8 {
			h := f.Hypothesis(t, f.Tenant, fmt.Sprintf("Hypothesis %d of many", i))
			f.addEvidence(t, uuid.Nil, h, "supports", "One of many")
			f.addEvidence(t, uuid.Nil, h, "supports", "Two of many")
			f.addEvidence(t, uuid.Nil, h, "supports", "Three of many")
		}
		f.moveEventsToYesterday(t)
		text := f.preview(t, f.Admin).Message.Text
		require.Equal(t, 5, strings.Count(text, "(now")+strings.Count(text, ", now "))
		require.Contains(t, text, "and 5 more hypotheses: "+project)
		require.Contains(t, text, "and 1 more quote")
		require.Contains(t, text, "and 3 more: ", "of the new hypotheses")
	})
}

// A digest begins with verdicts against which somebody spoke in its period.
func TestDigestNewsOfVerdictsInDoubt(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	f.Exec(t, `update profiles set display_name = 'Edith' where id = $1`, f.Editor)
	doubted := f.Hypothesis(t, f.Tenant, "They pay every month")
	settled := f.Hypothesis(t, f.Tenant, "They scan receipts")
	f.insert(t, f.Editor, `update hypotheses set status = 'validated', falsified_if = 'Two pay once',
		reopen_after = 2 where id = $1`, doubted)
	f.insert(t, f.Editor, `update hypotheses set status = 'validated' where id = $1`, settled)
	f.Exec(t, `update hypothesis_decisions set decided_at = '2020-01-01Z'`)
	speak := func(who, stance string, hypothesis uuid.UUID) uuid.UUID {
		t.Helper()
		interview := f.insert(t, uuid.Nil, `
			insert into imports (project_id, title, format, size_bytes, sha256)
			values ($1, 'A call', 'vtt', 1, '')`, f.Project)
		f.Exec(t, `insert into import_speakers (import_id, speaker, project_id, display_name)
			values ($1, $2, $3, $2)`, interview, who, f.Project)
		id := f.insert(t, uuid.Nil, `insert into evidence (project_id, import_id, quote, speaker)
			values ($1, $2, 'We pay once', $3)`, f.Project, interview, who)
		f.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			values ($1, $2, $3::evidence_stance)`, id, hypothesis, stance)
		return id
	}
	speak("Maya", "contradicts", doubted)
	speak("Jonas", "supports", settled)
	f.forgetEvents(t)
	require.NotContains(t, f.preview(t, f.Viewer).Message.Text, "Decisions in doubt",
		"Maya spoke before the period")

	second := speak("Priya", "contradicts", doubted)
	f.moveEventsToYesterday(t)
	for user, since := range map[uuid.UUID]string{
		f.Viewer: "since Edith decided", f.Editor: "since you decided",
	} {
		digest := f.preview(t, user).Message
		require.Contains(t, digest.Subject, "1 decision open again")
		require.Contains(t, digest.Text, "\n\nDecisions in doubt\n\n* They pay every month\n"+
			"  validated: 2 people have contradicted this "+since+". The decision is open again.\n"+
			"  Wrong if: Two pay once\n")
		require.Less(t, strings.Index(digest.Text, "Decisions in doubt"),
			strings.Index(digest.Text, "What the evidence says"))
		require.NotContains(t, digest.Text, "* They scan receipts\n  validated")
	}

	f.Exec(t, `update activity_events set actor_id = $1 where entity_id = $2`, f.Viewer, second)
	require.NotContains(t, f.preview(t, f.Viewer).Message.Text, "Decisions in doubt", "the viewer found it")
	f.insert(t, f.Editor, `update evidence set review = 'rejected' where id = $1`, second)
	f.moveEventsToYesterday(t)
	require.NotContains(t, f.preview(t, f.Editor).Message.Text, "Decisions in doubt")
}

// A role that is corrected puts a verdict in doubt, and is no activity.
func TestDigestNewsOfVerdictsInDoubtWithoutActivity(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	h := f.Hypothesis(t, f.Tenant, "They pay every month")
	interview := f.insert(t, uuid.Nil, `
		insert into imports (project_id, title, format, size_bytes, sha256)
		values ($1, 'A call', 'vtt', 1, '')`, f.Project)
	f.Exec(t, `insert into import_speakers (import_id, speaker, project_id, display_name, role, created_at)
		values ($1, 'Maya', $2, 'Maya', 'interviewer', '2020-01-01Z')`, interview, f.Project)
	id := f.insert(t, uuid.Nil, `insert into evidence (project_id, import_id, quote, speaker)
		values ($1, $2, 'We pay once', 'Maya')`, f.Project, interview)
	f.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
		values ($1, $2, 'contradicts')`, id, h)
	f.insert(t, f.Editor, `update hypotheses set status = 'validated' where id = $1`, h)
	f.Exec(t, `update hypothesis_decisions set decided_at = '2020-01-01Z'`)
	f.forgetEvents(t)
	require.True(t, f.preview(t, f.Viewer).Empty)

	f.Exec(t, `update import_speakers set role = 'participant' where import_id = $1`, interview)
	f.moveEventsToYesterday(t)
	require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{}).Planned)
	require.Contains(t, f.preview(t, f.Viewer).Message.Text, "Decisions in doubt\n\n* They pay every month\n")
	f.Exec(t, `update import_speakers set display_name = 'Maya L.' where import_id = $1`, interview)
	f.forgetEvents(t)
	require.True(t, f.preview(t, f.Viewer).Empty, "it is news once")
}
