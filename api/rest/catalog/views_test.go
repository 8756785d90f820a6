package catalog

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rule is PostgreSQL's for this view, where books has the object identifier 16386:
//
//	select id, upper(title) as title, author_id as "the author", (select max(id) from books) as newest
//	from books where id > 3
func TestOriginsOfAViewsColumns(t *testing.T) {
	t.Parallel()
	rule, err := os.ReadFile("testdata/view_rule.txt")
	require.NoError(t, err)
	require.Equal(t, map[string]origin{
		"id":         {"16386", "1"},
		"the author": {"16386", "3"},
	}, origins(string(rule)), "expressions and subqueries do not show a table's column")
	require.Empty(t, origins(""))
	require.Empty(t, origins(")}"))
}

func TestViewsOverViews(t *testing.T) {
	t.Parallel()
	relations := map[string]Relation{
		"1": {"public", "books", map[string]string{"1": "id", "2": "author_id"}},
		"2": {"public", "all_books", map[string]string{"1": "key", "2": "writer"}},
	}
	rule := func(from string) string {
		return "({QUERY :targetList ({TARGETENTRY :resname key :resorigtbl " + from + " :resorigcol 1} " +
			"{TARGETENTRY :resname writer :resorigtbl " + from + " :resorigcol 2})})"
	}
	columns := baseColumns([]View{
		{"public", "all_books", rule("1")}, {"public", "some_books", rule("2")},
		{"public", "of_unknown", rule("9")},
	}, relations)
	shown := map[string]baseColumn{"key": {"public.books", "id"}, "writer": {"public.books", "author_id"}}
	require.Equal(t, map[string]map[string]baseColumn{
		"public.all_books": shown, "public.some_books": shown, "public.of_unknown": {},
	}, columns)
}

func TestViewsHaveTheKeysOfTheirTables(t *testing.T) {
	t.Parallel()
	c := New(Contents{
		Tables: []*Table{
			{Schema: "public", Name: "authors", Key: []string{"id"}, Columns: []*Column{{Name: "id"}}},
			{
				Schema: "public", Name: "books", Key: []string{"id"},
				Columns: []*Column{{Name: "id"}, {Name: "author_id"}},
			},
			{
				Schema: "public", Name: "long_books", IsView: true,
				Columns: []*Column{{Name: "key"}, {Name: "writer"}},
			},
		},
		ForeignKeys: []ForeignKey{{
			Name: "books_author_id_fkey", Schema: "public", Table: "books", Columns: []string{"author_id"},
			ForeignSchema: "public", ForeignTable: "authors", ForeignColumns: []string{"id"},
		}},
		Views: []View{{"public", "long_books", "({QUERY :targetList (" +
			"{TARGETENTRY :resname key :resorigtbl 2 :resorigcol 1} " +
			"{TARGETENTRY :resname writer :resorigtbl 2 :resorigcol 2})})"}},
		Relations: map[string]Relation{"2": {"public", "books", map[string]string{"1": "id", "2": "author_id"}}},
	}, []string{"public"})
	view := c.Table("public", "long_books")
	require.Equal(t, []string{"key"}, view.Key)
	relationships := c.Relationships(view)
	require.Len(t, relationships, 1)
	require.Equal(t, "authors", relationships[0].Target.Name)
	require.Equal(t, []ColumnPair{{"writer", "id"}}, relationships[0].Columns)
	require.Equal(t, ManyToOne, relationships[0].Cardinality)
}

func TestAColumnThatAViewShowsTwiceMakesTwoKeys(t *testing.T) {
	t.Parallel()
	view := map[string]baseColumn{
		"a": {"public.books", "id"}, "b": {"public.books", "id"}, "c": {"public.books", "x"},
	}
	require.Equal(t, [][]string{{"a", "c"}, {"b", "c"}}, shownAs(view, "public.books", []string{"id", "x"}))
	require.Empty(t, shownAs(view, "public.books", []string{"id", "missing"}))
}
