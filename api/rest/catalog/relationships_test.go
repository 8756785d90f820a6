package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// library has books by authors, with labels in a junction and at most one set of details.
func library() *Catalog {
	table := func(name string, key ...string) *Table { return &Table{Schema: "public", Name: name, Key: key} }
	refers := func(name, from, column, to, key string, unique bool) ForeignKey {
		return ForeignKey{
			Name: name, Schema: "public", Table: from, Columns: []string{column}, Unique: unique,
			ForeignSchema: "public", ForeignTable: to, ForeignColumns: []string{key},
		}
	}
	return New(Contents{
		Tables: []*Table{
			table("authors", "id"), table("books", "id"), table("labels", "name"),
			table("book_labels", "book_id", "label"), table("details", "book_id"),
		},
		ForeignKeys: []ForeignKey{
			refers("books_author_fkey", "books", "author_id", "authors", "id", false),
			refers("book_labels_book_fkey", "book_labels", "book_id", "books", "id", false),
			refers("book_labels_label_fkey", "book_labels", "label", "labels", "name", false),
			refers("details_book_fkey", "details", "book_id", "books", "id", true),
			refers("to_nothing", "books", "id", "missing", "id", false),
		},
		Functions: []*Function{{
			Schema: "public", Name: "newest", ReturnSchema: "public", ReturnTable: "books", Single: true, Set: true,
			Parameters: []Parameter{{OfSchema: "public", OfTable: "authors"}},
		}},
	}, []string{"public"})
}

func TestRelationships(t *testing.T) {
	t.Parallel()
	c := library()
	for _, tt := range []struct {
		from, to    string
		cardinality Cardinality
		holdsKey    bool
		columns     []ColumnPair
	}{
		{"books", "authors", ManyToOne, true, []ColumnPair{{"author_id", "id"}}},
		{"authors", "books", OneToMany, false, []ColumnPair{{"id", "author_id"}}},
		{"details", "books", OneToOne, true, []ColumnPair{{"book_id", "id"}}},
		{"books", "details", OneToOne, false, []ColumnPair{{"id", "book_id"}}},
		{"books", "labels", ManyToMany, false, nil},
		{"labels", "books", ManyToMany, false, nil},
	} {
		t.Run(tt.from+" to "+tt.to, func(t *testing.T) {
			t.Parallel()
			var found []*Relationship
			for _, r := range c.Relationships(c.Table("public", tt.from)) {
				if r.Target.Name == tt.to {
					found = append(found, r)
				}
			}
			require.Len(t, found, 1)
			require.Equal(t, tt.cardinality, found[0].Cardinality)
			require.Equal(t, tt.holdsKey, found[0].HoldsKey)
			require.Equal(t, tt.columns, found[0].Columns)
		})
	}

	t.Run("a junction relates the tables that its primary key refers to", func(t *testing.T) {
		t.Parallel()
		books := c.Table("public", "books")
		var junction *Junction
		for _, r := range c.Relationships(books) {
			if r.Junction != nil {
				junction = r.Junction
			}
		}
		require.Equal(t, &Junction{
			Table:            c.Table("public", "book_labels"),
			SourceConstraint: "book_labels_book_fkey", SourceColumns: []ColumnPair{{"id", "book_id"}},
			TargetConstraint: "book_labels_label_fkey", TargetColumns: []ColumnPair{{"name", "label"}},
		}, junction)
	})

	t.Run("a function of one table's row that returns one row of another is to-one", func(t *testing.T) {
		t.Parallel()
		computed := c.ComputedRelationships(c.Table("public", "authors"))
		require.Len(t, computed, 1)
		require.True(t, computed[0].ToOne())
		require.Equal(t, "books", computed[0].Target.Name)
	})
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"projects", "personas", "imports"}
	require.Equal(t, "projects", Nearest("project", names, 0.75))
	require.Equal(t, "imports", Nearest("import", names, 0.75))
	require.Empty(t, Nearest("books", names, 0.75))
	require.Empty(t, Nearest("", nil, 0))
	require.Equal(t, []string{"projects", "personas", "imports"}, names, "the names keep their order")
}
