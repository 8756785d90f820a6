package activities_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/db/dbtest"
)

// comment adds a comment on a theme or a quote, which are columns of comments.
func (f *digestFixture) comment(
	t *testing.T, user uuid.UUID, on string, id uuid.UUID, body string, mentions ...uuid.UUID,
) uuid.UUID {
	t.Helper()
	return f.insert(t, user, `insert into comments (`+on+`, body, mentions)
		values ($1, $2, coalesce($3::uuid[], '{}'))`, id, body, mentions)
}

// dateLinks sets when today's quotes were given to their themes. Triggers would keep it.
func (f *digestFixture) dateLinks(t *testing.T, at time.Time) {
	t.Helper()
	f.AsOwner(t, func(c *pgx.Conn) {
		_, err := c.Exec(t.Context(), `set session_replication_role = replica`)
		require.NoError(t, err)
		_, err = c.Exec(t.Context(), `update evidence_themes set created_at = $1 where created_at > $2`, at,
			f.now.Add(-time.Hour))
		require.NoError(t, err)
	})
}

// requireInOrder requires parts of a text in their order.
func requireInOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		i := strings.Index(rest, part)
		require.GreaterOrEqual(t, i, 0, "%q is missing or in the wrong place:\n%s", part, text)
		rest = rest[i:]
	}
}

func TestDigestNewsOfComments(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	f.Exec(t, `update profiles set display_name = 'Edith' where id = $1`, f.Editor)
	quote := f.insert(t, f.Editor, `insert into evidence (project_id, quote) values ($1, 'It waits for weeks.')`,
		f.Project)
	mine := f.insert(t, f.Admin, `insert into themes (project_id, name) values ($1, 'Waiting')`, f.Project)
	other := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Printers')`, f.Project)
	f.comment(t, f.Admin, "evidence_id", quote, "I said this before.")
	f.forgetEvents(t)

	f.comment(t, f.Editor, "theme_id", mine, "Merge it\nwith <b>deadlines</b>.")
	f.comment(t, f.Editor, "evidence_id", quote, "And I say this after.")
	f.comment(t, f.Editor, "theme_id", other, "Nobody is to know.")
	f.comment(t, f.Editor, "theme_id", other, "Is that one voice?", f.Viewer, f.Admin)
	deleted := f.comment(t, f.Editor, "theme_id", other, "Taken back.", f.Admin)
	f.insert(t, f.Editor, `delete from comments where id = $1`, deleted)
	f.comment(t, f.Admin, "theme_id", mine, "My own words.", f.Admin)
	f.moveEventsToYesterday(t)

	admin := f.preview(t, f.Admin)
	require.False(t, admin.Empty)
	require.Contains(t, admin.Message.Subject, "1 mention of you, 2 comments")
	requireInOrder(t, admin.Message.Text,
		"You were mentioned", `* Edith mentioned you on the theme "Printers"`, "Is that one voice?",
		"/projects/"+f.Project.String()+"/themes?theme="+other.String(), "Comments",
		`* Edith on the quote "It waits for weeks."`, "And I say this after.", "/evidence",
		`* Edith on the theme "Waiting"`, "Merge it with <b>deadlines</b>.")
	require.Contains(t, admin.Message.HTML, "Merge it with &lt;b&gt;deadlines&lt;/b&gt;.")
	for _, left := range []string{"Nobody is to know", "Taken back", "My own words", "I said this before"} {
		require.NotContains(t, admin.Message.Text+admin.Message.HTML, left)
	}

	t.Run("who is mentioned gets a digest, and nobody whom no comment concerns", func(t *testing.T) {
		viewer := f.preview(t, f.Viewer)
		require.False(t, viewer.Empty)
		require.Contains(t, viewer.Message.Text, "Is that one voice?")
		require.NotContains(t, viewer.Message.Text, "deadlines")
		require.True(t, f.preview(t, f.Owner).Empty)
	})
	t.Run("a mention alone sends one", func(t *testing.T) {
		f.setFrequency(t, "daily", f.Viewer, f.Owner)
		f.plan(t, activities.PlanDigestsInput{})
		f.deliver(t)
		require.Equal(t, "sent", f.status(t, f.Viewer))
		require.Equal(t, "skipped nothing_new", f.status(t, f.Owner))
		mails := f.sender.mailsTo(f.address(t, f.Viewer))
		require.Len(t, mails, 1)
		require.Contains(t, mails[0].Text, "Is that one voice?")
	})
	t.Run("is for members only", func(t *testing.T) {
		f.Exec(t, `delete from workspace_members where user_id = $1`, f.Viewer)
		require.True(t, f.preview(t, f.Viewer).Empty)
	})
}

// Who is mentioned by a change of a comment is told of it, and who was mentioned before is not told again.
func TestDigestNewsOfChangedMentions(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	theme := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Waiting')`, f.Project)
	comment := f.comment(t, f.Editor, "theme_id", theme, "Is that one voice?", f.Admin)
	f.forgetEvents(t)
	const change = `update comments set mentions = $2 where id = $1`
	f.insert(t, f.Editor, change, comment, []uuid.UUID{f.Admin, f.Viewer})
	f.insert(t, f.Editor, change, comment, []uuid.UUID{f.Viewer})
	f.moveEventsToYesterday(t)
	require.Equal(t, 1, dbtest.Value[int](t, f.DB,
		`select count(*) from activity_events where verb = 'mentioned'`))

	text := f.preview(t, f.Viewer).Message.Text
	require.Equal(t, 1, strings.Count(text, "Is that one voice?"), text)
	require.Contains(t, text, "mentioned you on")
	for _, user := range []uuid.UUID{f.Admin, f.Owner} {
		require.True(t, f.preview(t, user).Empty)
	}
	f.setFrequency(t, "daily", f.Viewer, f.Admin)
	f.plan(t, activities.PlanDigestsInput{})
	f.deliver(t)
	require.Equal(t, "sent", f.status(t, f.Viewer))
	require.NotEqual(t, "sent", f.status(t, f.Admin))
}

func TestDigestHasFiveMentions(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	theme := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Waiting')`, f.Project)
	f.forgetEvents(t)
	for i := range 8 {
		f.comment(t, f.Editor, "theme_id", theme, fmt.Sprint("Number ", i, strings.Repeat(" word", 700)), f.Admin)
	}
	f.moveEventsToYesterday(t)
	text := f.preview(t, f.Admin).Message.Text
	require.Equal(t, 5, strings.Count(text, "mentioned you on"))
	require.Contains(t, text, "and 3 more: ")
	require.Less(t, len(text), 5000)
}

func TestDigestNewsOfThemes(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	f.Exec(t, `update profiles set display_name = 'Edith' where id = $1`, f.Editor)
	old := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Old')`, f.Project)
	still := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Still')`, f.Project)
	var quotes []uuid.UUID
	for i := range 4 {
		imported := f.insert(t, uuid.Nil, `insert into imports (project_id, title, format, size_bytes, sha256)
			values ($1, 'A call', 'vtt', 1, decode($2, 'hex'))`, f.Project, fmt.Sprintf("%064d", i))
		f.Exec(t, `insert into import_speakers (import_id, project_id, speaker, display_name)
			values ($1, $2, 'P', 'Person')`, imported, f.Project)
		quotes = append(quotes, f.insert(t, f.Editor, `insert into evidence (project_id, import_id, quote, speaker)
			values ($1, $2, 'So it is.', 'P')`, f.Project, imported))
	}
	link := func(quote, theme uuid.UUID) {
		t.Helper()
		f.Exec(t, `insert into evidence_themes (evidence_id, theme_id, project_id, workspace_id, created_by)
			values ($1, $2, $3, $4, $5)`, quote, theme, f.Project, f.Workspace, f.Editor)
	}
	link(quotes[0], still)
	f.dateLinks(t, f.now.AddDate(0, 0, -9))
	f.forgetEvents(t)

	added := f.insert(t, f.Editor, `insert into themes (project_id, name) values ($1, 'Waiting')`, f.Project)
	proposed := f.insert(t, uuid.Nil, `insert into themes (project_id, name, origin, status)
		values ($1, 'Printers', 'ai', 'proposed')`, f.Project)
	f.insert(t, f.Editor, `insert into themes (project_id, name, status) values ($1, 'Gone', 'archived')`,
		f.Project)
	for _, quote := range quotes[:3] {
		link(quote, added)
	}
	link(quotes[3], old)
	f.dateLinks(t, f.now.UTC().Truncate(24*time.Hour).Add(-12*time.Hour))
	f.moveEventsToYesterday(t)

	viewer := f.preview(t, f.Viewer)
	require.False(t, viewer.Empty)
	require.Contains(t, viewer.Message.Subject, "3 themes with news", viewer.Message.Text)
	requireInOrder(t, viewer.Message.Text, "Themes", "* Waiting", "new, by Edith: 3 new quotes of 3 people",
		"/themes?theme="+added.String(), "* Printers", "proposed by a model", proposed.String(), "* Old",
		"1 new quote of 1 person")
	require.NotContains(t, viewer.Message.Text, "Gone")
	require.NotContains(t, viewer.Message.Text, "Still")
	require.NotContains(t, f.preview(t, f.Editor).Message.Text, "Waiting", "the editor made it")
}
