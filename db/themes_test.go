package db_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// theme adds a theme as the editor.
func (c conversation) theme(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return value[uuid.UUID](t, c.editor, "insert into themes (project_id, name) values ($1, $2) returning id",
		c.Project, name)
}

// mark quotes an interview as the editor, and gives the quote to a theme.
func (c conversation) mark(t *testing.T, id, theme uuid.UUID, text string) uuid.UUID {
	t.Helper()
	quoted := value[uuid.UUID](t, c.editor,
		"insert into evidence (project_id, import_id, quote, review) values ($1, $2, $3, 'accepted') returning id",
		c.Project, id, text)
	c.give(t, quoted, theme)
	return quoted
}

func (c conversation) give(t *testing.T, quote, theme uuid.UUID) {
	t.Helper()
	c.editor.mustExec(t, "insert into evidence_themes (evidence_id, theme_id) values ($1, $2)", quote, theme)
}

// suggest gives a quote to a theme as a model does.
func (c conversation) suggest(t *testing.T, quote, theme uuid.UUID) {
	t.Helper()
	c.d.Exec(t, `insert into evidence_themes (evidence_id, theme_id, origin, review)
		values ($1, $2, 'ai', 'suggested')`, quote, theme)
}

// state is all rows of themes and of their quotes, without the times of their changes.
func (c conversation) state(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, c.d, `
		select concat_ws(e'\n',
			(select string_agg((to_jsonb(t) - 'updated_at')::text, e'\n' order by t.id) from themes t),
			(select string_agg((to_jsonb(l) - 'updated_at')::text, e'\n' order by l.evidence_id, l.theme_id)
				from evidence_themes l))`)
}

// members lists the quotes of a theme, in the order of their words.
func (c conversation) members(t *testing.T, theme uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, c.d, `
		select coalesce(string_agg(concat_ws(' ', e.quote, l.origin, l.review), ', ' order by e.quote), '')
		from evidence_themes l join evidence e on e.id = l.evidence_id where l.theme_id = $1`, theme)
}

// change calls a function that changes themes, and returns its result.
func (c conversation) change(t *testing.T, call string, args ...any) (change, theme uuid.UUID) {
	t.Helper()
	row := value[string](t, c.editor, "select concat_ws(' ', change_id, theme_id) from "+call, args...)
	ids := strings.Fields(row)
	change = uuid.MustParse(ids[0])
	if len(ids) > 1 {
		theme = uuid.MustParse(ids[1])
	}
	return change, theme
}

func TestThemes(t *testing.T) {
	t.Parallel()

	t.Run("have what a client leaves out", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.theme(t, "  Holiday \t pay ")
		second := c.theme(t, "Guilt")
		require.Equal(t, "Holiday pay 1 human active",
			value[string](t, c.editor, "select concat_ws(' ', name, position, origin, status) from themes limit 1"))
		require.Equal(t, 2, dbtest.Value[int](t, c.d, "select count(distinct color) from themes"))
		require.Equal(t, c.Editor, dbtest.Value[uuid.UUID](t, c.d, "select created_by from themes where id = $1",
			second))
		_, err := c.editor.try(t, "insert into themes (project_id, name) values ($1, 'HOLIDAY PAY')", c.Project)
		require.Equal(t, "23505", state(err), "a name is there once")
		for _, name := range []string{" ", strings.Repeat("x", 121)} {
			_, err = c.editor.try(t, "insert into themes (project_id, name) values ($1, $2)", c.Project, name)
			require.Equal(t, "23514", state(err), "%.10q", name)
		}
		_, err = asUser(t, c.d, c.Viewer).try(t, "insert into themes (project_id, name) values ($1, 'X')",
			c.Project)
		require.Equal(t, "42501", state(err))
	})

	t.Run("are nested four deep, in no circle, and in their project", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		var chain []uuid.UUID
		nest := func(theme uuid.UUID, parent any) error {
			return c.editor.exec(t, "update themes set parent_id = $2 where id = $1", theme, parent)
		}
		for i := range 5 {
			chain = append(chain, c.theme(t, fmt.Sprint(i)))
			if i > 0 && i < 4 {
				require.NoError(t, nest(chain[i], chain[i-1]))
			}
		}
		require.Equal(t, "23514", state(nest(chain[4], chain[3])), "too deep")
		require.Equal(t, "23514", state(nest(chain[0], chain[4])), "with what is within it")
		require.Equal(t, "23514", state(nest(chain[0], chain[3])), "a circle")
		require.Equal(t, "23514", state(nest(chain[0], chain[0])), "itself")
		other := newConversationIn(t, c.d)
		require.Equal(t, "23503", state(nest(chain[0], other.theme(t, "T"))), "another project's")
		c.editor.mustExec(t, "delete from themes where id = $1", chain[2])
		require.Equal(t, 2, dbtest.Value[int](t, c.d,
			"select count(*) from themes where parent_id is null and project_id = $1 and id <> $2",
			c.Project, chain[0]), "what was within a deleted theme is at the top")
	})

	t.Run("cannot become part of each other at the same time", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		a, b := c.theme(t, "A"), c.theme(t, "B")
		var wait sync.WaitGroup
		for _, pair := range [][2]uuid.UUID{{a, b}, {b, a}} {
			editor := asUser(t, c.d, c.Editor)
			wait.Go(func() {
				_ = editor.exec(t, "update themes set parent_id = $2 where id = $1", pair[0], pair[1])
			})
		}
		wait.Wait()
		require.Equal(t, 1, dbtest.Value[int](t, c.d, "select count(*) from themes where parent_id is not null"))
	})

	t.Run("that a model proposed are a person's once they change or use them", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: I pay.")
		quote := c.mark(t, id, c.theme(t, "Mine"), "I pay.")
		for i, act := range []string{
			"update themes set name = name || '!' where id = $1 and $2::uuid is not null",
			"insert into evidence_themes (theme_id, evidence_id) values ($1, $2)",
			"with x as (select $1::uuid, $2::uuid) update themes set status = 'active' where id = $1",
		} {
			proposed := dbtest.Value[uuid.UUID](t, c.d, `insert into themes (project_id, name, origin, status)
				values ($1, $2, 'ai', 'proposed') returning id`, c.Project, fmt.Sprint("proposed ", i))
			c.editor.mustExec(t, "update themes set color = '#123456' where id = $1", proposed)
			status := "select status::text || ' ' || origin from themes where id = $1"
			require.Equal(t, "proposed ai", dbtest.Value[string](t, c.d, status, proposed))
			c.editor.mustExec(t, act, proposed, quote)
			require.Equal(t, "active ai", dbtest.Value[string](t, c.d, status, proposed), act)
			c.editor.mustExec(t, "update themes set status = 'proposed' where id = $1", proposed)
			require.Equal(t, "active ai", dbtest.Value[string](t, c.d, status, proposed))
		}
	})
}

func TestPeopleOfThemes(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	id := c.upload(t, "Me: And then?", "Ann: I pay.", "Ann: Each month.", "Bob: I never pay.", "Cem: Who knows?")
	c.d.Exec(t, "update import_speakers set role = 'interviewer' where speaker = 'Me'")
	other := c.upload(t, "Ann: I still pay.")
	c.d.Exec(t, `update import_speakers s set participant_id = a.participant_id from import_speakers a
		where a.import_id = $1 and a.speaker = 'Ann' and s.import_id = $2`, id, other)
	money := c.theme(t, "Money")
	part := value[uuid.UUID](t, c.editor,
		"insert into themes (project_id, name, parent_id) values ($1, 'Fees', $2) returning id", c.Project, money)
	c.mark(t, id, money, "And then?")
	c.mark(t, id, money, "I pay.")
	c.mark(t, id, money, "Each month.")
	c.mark(t, other, money, "I still pay.")
	c.mark(t, id, part, "I never pay.")
	rejected := c.mark(t, id, part, "Who knows?")
	counts := func() string {
		return value[string](t, asUser(t, c.d, c.Viewer), `
			select string_agg(concat_ws(' ', t.name, p.people, p.quotes, p.all_people, p.all_quotes), ', '
				order by t.name)
			from theme_people p join themes t on t.id = p.theme_id where p.project_id = $1`, c.Project)
	}
	require.Equal(t, "Fees 2 2 2 2, Money 1 4 3 6", counts())
	c.editor.mustExec(t, "update evidence_themes set review = 'rejected' where evidence_id = $1", rejected)
	require.Equal(t, "Fees 1 1 1 1, Money 1 4 2 5", counts())
	require.Equal(t, "Ann 3, Bob 1", value[string](t, asUser(t, c.d, c.Viewer), `
		select string_agg(concat_ws(' ', name, quotes), ', ' order by name) from theme_participants`))
	stranger := newConversationIn(t, c.d)
	require.Zero(t, value[int](t, stranger.editor, "select count(*) from theme_people"))
	require.Zero(t, value[int](t, stranger.editor, "select count(*) from theme_participants"))
}

func TestMergingThemes(t *testing.T) {
	t.Parallel()

	t.Run("of three, and its undoing, restores exactly", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.", "Ann: Two.", "Bob: Three.", "Bob: Four.")
		a, b, into := c.theme(t, "A"), c.theme(t, "B"), c.theme(t, "C")
		within := c.theme(t, "Within")
		c.editor.mustExec(t, "update themes set parent_id = $2 where id = $1", within, a)
		c.editor.mustExec(t, "update themes set parent_id = $2, memo = 'think' where id = $1", into, b)
		one, two := c.mark(t, id, a, "One."), c.mark(t, id, b, "Two.")
		c.give(t, one, b)
		c.suggest(t, one, into)
		c.suggest(t, two, into)
		c.editor.mustExec(t, "update evidence_themes set review = 'rejected' where evidence_id = $1", two)
		c.mark(t, id, into, "Three.")
		c.suggest(t, c.mark(t, id, within, "Four."), a)
		before := c.state(t)

		change, theme := c.change(t, "merge_themes(array[$1, $2]::uuid[], $3)", a, b, into)
		require.Equal(t, into, theme)
		require.Equal(t, "Four. ai suggested, One. human accepted, Three. human accepted, Two. human accepted",
			strings.ReplaceAll(c.members(t, into), "Two. ai rejected", "Two. human accepted"))
		require.Empty(t, c.members(t, a)+c.members(t, b))
		require.Equal(t, "A archived C, B archived C, C active, Within active C", dbtest.Value[string](t, c.d, `
			select string_agg(concat_ws(' ', t.name, t.status, m.name, p.name), ', ' order by t.name)
			from themes t left join themes m on m.id = t.merged_into left join themes p on p.id = t.parent_id`))
		merged := c.state(t)

		undo, _ := c.change(t, "undo_theme_change($1)", change)
		require.Equal(t, before, c.state(t))
		c.change(t, "undo_theme_change($1)", undo)
		require.Equal(t, merged, c.state(t), "what was undone is done again")
		_, err := c.editor.try(t, "select undo_theme_change($1)", change)
		require.Equal(t, "PT409", state(err), "it was undone already")
	})

	t.Run("into one that was merged brings that back", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.")
		a, b, x := c.theme(t, "A"), c.theme(t, "B"), c.theme(t, "X")
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, x)
		c.mark(t, id, b, "One.")
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", b, a)
		require.Equal(t, "One. human accepted", c.members(t, a))
		require.Empty(t, c.members(t, x))
		require.Equal(t, a, value[uuid.UUID](t, c.editor,
			"select theme_id from move_evidence((select array_agg(id) from evidence), $1)", b),
			"where the quotes of the merged one are")
	})

	t.Run("of themes that are nested deep can be undone", func(t *testing.T) {
		t.Parallel()
		for range 8 { // in any order of ids
			c := newConversation(t)
			g, p, target, x, y := c.theme(t, "G"), c.theme(t, "P"), c.theme(t, "T"), c.theme(t, "X"), c.theme(t, "Y")
			for _, nested := range [][2]uuid.UUID{{p, g}, {target, p}, {x, p}, {y, x}} {
				c.editor.mustExec(t, "update themes set parent_id = $2 where id = $1", nested[0], nested[1])
			}
			before := c.state(t)
			change, _ := c.change(t, "merge_themes(array[$1]::uuid[], $2)", p, target)
			c.change(t, "undo_theme_change($1)", change)
			require.Equal(t, before, c.state(t))
		}
	})

	t.Run("while an interview is deleted lets it be restored", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.")
		a, b := c.theme(t, "A"), c.theme(t, "B")
		one := c.mark(t, id, a, "One.")
		c.suggest(t, one, b)
		c.editor.mustExec(t, "select private.set_import_aside($1)", id)
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, b)
		c.editor.mustExec(t, "select private.restore_import($1)", id)
		require.Equal(t, "One. human accepted", c.members(t, b))
	})

	t.Run("sends what is given to a merged theme to the other", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.")
		a, b, into := c.theme(t, "A"), c.theme(t, "B"), c.theme(t, "C")
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, b)
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", b, into)
		c.mark(t, id, a, "One.")
		require.Equal(t, "One. human accepted", c.members(t, into))
		c.editor.mustExec(t, "update themes set status = 'active' where id = $1", a)
		require.Nil(t, dbtest.Value[*uuid.UUID](t, c.d, "select merged_into from themes where id = $1", a))
	})

	t.Run("is refused where it makes no sense", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		a, b := c.theme(t, "A"), c.theme(t, "B")
		stranger := newConversationIn(t, c.d)
		theirs := stranger.theme(t, "T")
		for _, refused := range []struct {
			from []uuid.UUID
			into uuid.UUID
			code string
		}{
			{[]uuid.UUID{a}, a, "PT422"},
			{nil, a, "PT422"},
			{[]uuid.UUID{uuid.New()}, a, "PT404"},
			{[]uuid.UUID{theirs}, a, "PT404"},
			{[]uuid.UUID{a, b}, theirs, "PT404"},
		} {
			_, err := c.editor.try(t, "select merge_themes($1, $2)", refused.from, refused.into)
			require.Equal(t, refused.code, state(err), "%v", refused)
		}
		_, err := asUser(t, c.d, c.Viewer).try(t, "select merge_themes($1, $2)", []uuid.UUID{a}, b)
		require.Equal(t, "42501", state(err))
	})
}

func TestSplittingAndMoving(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	id := c.upload(t, "Ann: One.", "Ann: Two.", "Bob: Three.")
	a, b := c.theme(t, "A"), c.theme(t, "B")
	one, two, three := c.mark(t, id, a, "One."), c.mark(t, id, a, "Two."), c.mark(t, id, b, "Three.")
	begin := c.state(t)

	suggested := c.theme(t, "S")
	c.suggest(t, one, suggested)
	first, theirs := c.change(t, "split_theme($1, array[$2]::uuid[], 'Sorted')", suggested, one)
	require.Equal(t, "One. human accepted", c.members(t, theirs), "who sorts a quote gives it")
	c.change(t, "undo_theme_change($1)", first)
	require.Equal(t, "One. ai suggested", c.members(t, suggested))
	c.editor.mustExec(t, "delete from themes where id = $1", suggested)
	require.Equal(t, begin, c.state(t))

	split, added := c.change(t, "split_theme($1, array[$2, $3]::uuid[], 'New')", a, one, three)
	require.Equal(t, "One. human accepted", c.members(t, added), "not those of other themes")
	require.Equal(t, "Two. human accepted", c.members(t, a))
	require.Equal(t, 1.5, dbtest.Value[float64](t, c.d, "select position from themes where id = $1", added))

	move, _ := c.change(t, "move_evidence(array[$1, $2]::uuid[], $3, $4)", one, two, b, a)
	require.Equal(t, "One. human accepted, Three. human accepted, Two. human accepted", c.members(t, b))
	require.Equal(t, "One. human accepted", c.members(t, added), "it left the other theme only")
	loose, _ := c.change(t, "move_evidence(array[$1]::uuid[], null)", one)
	require.Zero(t, dbtest.Value[int](t, c.d, "select count(*) from evidence_themes where evidence_id = $1",
		one))

	_, err := c.editor.try(t, "select undo_theme_change($1)", move)
	require.Equal(t, "PT409", state(err), "a later change is undone first")
	for _, change := range []uuid.UUID{loose, move, split} {
		c.change(t, "undo_theme_change($1)", change)
	}
	require.Equal(t, begin, c.state(t))
	_, err = c.editor.try(t, "select split_theme($1, array[$2]::uuid[], 'New')", a, three)
	require.Equal(t, "PT422", state(err))
	_, err = c.editor.try(t, "select split_theme($1, array[$2]::uuid[], 'b')", a, one)
	require.Equal(t, "23505", state(err))
	stranger := newConversationIn(t, c.d)
	for _, refused := range []string{
		"select split_theme('%s', array['%s']::uuid[], 'New')",
		"select move_evidence(array['%[2]s']::uuid[], '%[1]s')",
		"select move_evidence(array['%[2]s']::uuid[], null, '%[1]s')",
	} {
		_, err = stranger.editor.try(t, fmt.Sprintf(refused, a, one))
		require.Equal(t, "PT404", state(err), refused)
	}
	_, err = stranger.editor.try(t, "select undo_theme_change($1)", split)
	require.Equal(t, "PT404", state(err))
	require.Zero(t, value[int](t, stranger.editor, "select count(*) from theme_changes($1)", c.Project))
}

func TestChangesOfThemes(t *testing.T) {
	t.Parallel()

	t.Run("by plain requests can be undone", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.", "Ann: Two.")
		theme := c.theme(t, "A")
		quote := c.mark(t, id, theme, "One.")
		c.editor.mustExec(t, "update themes set position = position where id = $1", theme)
		states := []string{c.state(t)}
		for _, act := range []string{
			"update themes set name = 'B', color = '#000000' where id = $1",
			"update themes set parent_id = (select id from themes where id <> $1) where id = $1",
			"update themes set status = 'archived' where id = $1",
			"update themes set memo = 'More to ask' where id = $1",
			"delete from evidence_themes where theme_id = $1",
			"delete from themes where id = $1",
		} {
			if strings.Contains(act, "parent_id") {
				c.theme(t, "Above")
				states = append(states, c.state(t))
			}
			c.editor.mustExec(t, act, theme)
			states = append(states, c.state(t))
		}
		require.Equal(t, "delete assign change archive nest add rename assign add", value[string](t, c.editor,
			"select string_agg(kind, ' ' order by at desc) from theme_changes($1)", c.Project))
		for len(states) > 1 {
			require.Equal(t, states[len(states)-1], c.state(t))
			states = states[:len(states)-1]
			latest := value[uuid.UUID](t, c.editor, `select id from theme_changes($1)
				where not undone and kind <> 'undo' order by at desc limit 1`, c.Project)
			c.change(t, "undo_theme_change($1)", latest)
		}
		require.Equal(t, states[0], c.state(t))
		require.NotZero(t, quote)
	})

	t.Run("are not undone where somebody changed the same since", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.", "Bob: Two.")
		a, b := c.theme(t, "A"), c.theme(t, "B")
		one := c.mark(t, id, a, "One.")
		change, added := c.change(t, "split_theme($1, array[$2]::uuid[], 'New')", a, one)
		owner := asUser(t, c.d, c.Owner)
		two := c.mark(t, id, b, "Two.")
		owner.mustExec(t, "insert into evidence_themes (evidence_id, theme_id) values ($1, $2)", two, added)
		before := c.state(t)
		_, err := c.editor.try(t, "select undo_theme_change($1)", change)
		require.Equal(t, "PT409", state(err), "the new theme has another's quote")
		require.Equal(t, before, c.state(t))
		owner.mustExec(t, "delete from evidence_themes where evidence_id = $1 and theme_id = $2", two, added)
		owner.mustExec(t, "update themes set name = 'Renamed' where id = $1", added)
		_, err = c.editor.try(t, "select undo_theme_change($1)", change)
		require.Equal(t, "PT409", state(err), "it has another name")
	})

	t.Run("are not undone into a circle, or where quotes went elsewhere", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.", "Ann: Two.")
		a, b := c.theme(t, "A"), c.theme(t, "B")
		one := c.mark(t, id, a, "One.")
		latest := func() uuid.UUID {
			return value[uuid.UUID](t, c.editor, "select id from theme_changes($1) order by at desc limit 1",
				c.Project)
		}
		refused := func(change uuid.UUID) {
			t.Helper()
			before := c.state(t)
			_, err := c.editor.try(t, "select undo_theme_change($1)", change)
			require.Equal(t, "PT409", state(err))
			require.Equal(t, before, c.state(t))
		}
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, b)
		c.editor.mustExec(t, "update themes set status = 'active' where id = $1", a)
		back := latest()
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", b, a)
		refused(back)

		c.editor.mustExec(t, "update themes set status = 'active' where id = $1", b)
		two := c.mark(t, id, a, "Two.")
		c.give(t, two, b)
		c.editor.mustExec(t, "delete from evidence_themes where evidence_id = $1 and theme_id = $2", two, a)
		taken := latest()
		c.editor.mustExec(t, "update evidence_themes set review = 'rejected' where evidence_id = $1", two)
		c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, b)
		refused(taken)
		c.editor.mustExec(t, "delete from themes where id = $1", a)
		refused(taken)
		require.NotZero(t, one)
	})

	t.Run("are the same in every time zone", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		theme := c.theme(t, "A")
		c.editor.mustExec(t, "update themes set name = 'B' where id = $1", theme)
		require.NoError(t, c.editor.within(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "set local timezone = 'America/New_York'"); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), `select undo_theme_change(c.id) from theme_changes($1) c
				where c.kind = 'rename'`, c.Project)
			return err
		}))
		require.Equal(t, "A", dbtest.Value[string](t, c.d, "select name from themes"))
	})

	t.Run("say what they are", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.")
		proposed := dbtest.Value[uuid.UUID](t, c.d, `insert into themes (project_id, name, origin, status)
			values ($1, 'Proposed', 'ai', 'proposed') returning id`, c.Project)
		quote := c.mark(t, id, proposed, "One.")
		require.Equal(t, "assign Proposed 1 1", value[string](t, c.editor,
			"select concat_ws(' ', kind, name, themes, quotes) from theme_changes($1)", c.Project))
		c.suggest(t, quote, c.theme(t, "Other"))
	})

	t.Run("leave out quotes that are gone", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		id := c.upload(t, "Ann: One.", "Ann: Two.")
		a, b := c.theme(t, "A"), c.theme(t, "B")
		one := c.mark(t, id, a, "One.")
		c.mark(t, id, a, "Two.")
		change, _ := c.change(t, "merge_themes(array[$1]::uuid[], $2)", a, b)
		c.editor.mustExec(t, "delete from evidence where id = $1", one)
		c.change(t, "undo_theme_change($1)", change)
		require.Equal(t, "Two. human accepted", c.members(t, a))
		require.Zero(t, value[int](t, c.editor,
			"select count(*) from theme_changes($1) where kind = 'assign' and quotes = 0", c.Project),
			"the deletion of a quote is no change of themes")
	})

	t.Run("are kept for a week, the latest hundred", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		theme := c.theme(t, "A")
		for i := range 120 {
			c.editor.mustExec(t, "update themes set position = $2 where id = $1", theme, i+10)
		}
		require.Equal(t, 101, dbtest.Value[int](t, c.d, "select count(*) from private.theme_changes"))
		c.d.Exec(t, "update private.theme_changes set at = at - interval '8 days'")
		c.theme(t, "B")
		require.Equal(t, 1, dbtest.Value[int](t, c.d, "select count(*) from private.theme_changes"))
	})
}

func TestThemesBecomeHypotheses(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	id := c.upload(t, "Ann: One.", "Bob: Two.", "Cem: Three.")
	theme := c.theme(t, "A")
	part := value[uuid.UUID](t, c.editor,
		"insert into themes (project_id, name, parent_id) values ($1, 'Part', $2) returning id", c.Project, theme)
	c.mark(t, id, theme, "One.")
	c.mark(t, id, part, "Two.")
	rejected := c.mark(t, id, theme, "Three.")
	c.editor.mustExec(t, "update evidence set review = 'rejected' where id = $1", rejected)
	h := value[uuid.UUID](t, c.editor, "select theme_to_hypothesis($1, 'People count')", theme)
	require.Equal(t, "2 supports", dbtest.Value[string](t, c.d, `
		select concat_ws(' ', count(*), max(stance::text)) from evidence_hypotheses where hypothesis_id = $1`, h))
	require.Equal(t, "2 2 0 0 0 0", c.people(t, h))
	require.Equal(t, c.Editor, dbtest.Value[uuid.UUID](t, c.d,
		"select actor_id from activity_events where entity_id = $1 and verb = 'created'", h))
	_, err := asUser(t, c.d, c.Viewer).try(t, "select theme_to_hypothesis($1, 'H')", theme)
	require.Equal(t, "42501", state(err))
	_, err = newConversationIn(t, c.d).editor.try(t, "select theme_to_hypothesis($1, 'H')", theme)
	require.Equal(t, "PT404", state(err))
}

func TestComments(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	id := c.upload(t, "Ann: One.")
	theme := c.theme(t, "A")
	quote := c.mark(t, id, theme, "One.")
	const write = `insert into comments (evidence_id, theme_id, body, mentions)
		values ($1, $2, $3, $4) returning id`
	comment := value[uuid.UUID](t, c.editor, write, quote, nil, "Look", []uuid.UUID{c.Viewer, c.Owner, c.Viewer})
	require.Equal(t, []uuid.UUID{c.Viewer, c.Owner},
		dbtest.Value[[]uuid.UUID](t, c.d, "select mentions from comments where id = $1", comment))
	stranger := newConversationIn(t, c.d)
	for name, args := range map[string][]any{
		"about nothing":      {nil, nil, "Look", []uuid.UUID{}},
		"about two things":   {quote, theme, "Look", []uuid.UUID{}},
		"empty":              {quote, nil, " \n", []uuid.UUID{}},
		"too long":           {quote, nil, strings.Repeat("x", 4001), []uuid.UUID{}},
		"mentions a visitor": {quote, nil, "Look", []uuid.UUID{stranger.Owner}},
	} {
		_, err := c.editor.try(t, write, args...)
		require.Contains(t, []string{"23514", "23502"}, state(err), name)
	}
	_, err := asUser(t, c.d, c.Viewer).try(t, write, quote, nil, "Look", []uuid.UUID{})
	require.Equal(t, "42501", state(err))
	_, err = stranger.editor.try(t, write, quote, nil, "Look", []uuid.UUID{})
	require.Equal(t, "23502", state(err), "as for a quote that does not exist")

	const change, remove = "update comments set body = 'x' where id = $1", "delete from comments where id = $1"
	owner := asUser(t, c.d, c.Owner)
	changed, err := owner.try(t, change, comment)
	require.NoError(t, err)
	require.Zero(t, changed, "another's words")
	c.editor.mustExec(t, change, comment)
	_, err = c.editor.try(t, "update comments set evidence_id = null, theme_id = $2 where id = $1", comment,
		theme)
	require.Equal(t, "23514", state(err))
	const edited = "select coalesce(edited_at, '-infinity')::text from comments where id = $1"
	before := dbtest.Value[string](t, c.d, edited, comment)
	require.NotEqual(t, "-infinity", before)
	c.d.Exec(t, "delete from workspace_members where user_id = $1", c.Viewer)
	require.Equal(t, before, dbtest.Value[string](t, c.d, edited, comment), "its author did not change it")
	require.Equal(t, []uuid.UUID{c.Owner},
		dbtest.Value[[]uuid.UUID](t, c.d, "select mentions from comments where id = $1", comment))
	theirs := value[uuid.UUID](t, owner, write, nil, theme, "Mine", []uuid.UUID{})
	removed, err := c.editor.try(t, remove, theirs)
	require.NoError(t, err)
	require.Zero(t, removed, "an editor deletes their own")
	owner.mustExec(t, remove, comment)
	require.Equal(t, "comment created, comment created, comment deleted", dbtest.Value[string](t, c.d, `
		select string_agg(entity_type || ' ' || verb, ', ' order by verb) from activity_events
		where entity_type = 'comment'`))
}
