package refi

import (
	"context"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
)

// An existing is what the project of an import has already.
type existing struct {
	description      string
	themes           index[db.ListRefiThemesRow]
	hypotheses       index[db.ListRefiHypothesesRow]
	imports          index[db.ListRefiImportsRow]
	importsOfContent map[string][]uuid.UUID // by the hashes of their files
}

// An index finds rows.
type index[T any] struct {
	byID   map[uuid.UUID]T
	byGUID map[qdpx.GUID]T // in exports
	byName map[string]T    // folded
}

func indexOf[T any](kind string, rows []T, keys func(T) (id uuid.UUID, folded string)) index[T] {
	x := index[T]{
		make(map[uuid.UUID]T, len(rows)), make(map[qdpx.GUID]T, len(rows)), make(map[string]T, len(rows)),
	}
	for _, row := range rows {
		id, folded := keys(row)
		x.byID[id], x.byGUID[guidOf(kind, id)] = row, row
		if _, ok := x.byName[folded]; !ok {
			x.byName[folded] = row
		}
	}
	return x
}

// readProject reads what the project has. Its error is db.ErrNotFound if the caller does not see it.
func (b *builder) readProject(ctx context.Context, q *db.Queries) error {
	project, err := q.GetProject(ctx, b.projectID)
	if err != nil {
		return err
	}
	const most = maxRows + 1
	themes, err := few(q.ListRefiThemes(ctx, db.ListRefiThemesParams{ProjectID: b.projectID, Most: most}))
	if err != nil {
		return err
	}
	hypotheses, err := few(q.ListRefiHypotheses(ctx, db.ListRefiHypothesesParams{
		ProjectID: b.projectID, Most: most,
	}))
	if err != nil {
		return err
	}
	imports, err := few(q.ListRefiImports(ctx, db.ListRefiImportsParams{ProjectID: b.projectID, Most: most}))
	if err != nil {
		return err
	}
	b.has = existing{
		description: project.Description,
		themes: indexOf("theme", themes, func(r db.ListRefiThemesRow) (uuid.UUID, string) {
			return r.ID, r.Folded
		}),
		hypotheses: indexOf("hypothesis", hypotheses, func(r db.ListRefiHypothesesRow) (uuid.UUID, string) {
			return r.ID, r.Folded
		}),
		imports: indexOf("import", imports, func(r db.ListRefiImportsRow) (uuid.UUID, string) {
			return r.ID, ""
		}),
		importsOfContent: map[string][]uuid.UUID{},
	}
	b.imports = map[uuid.UUID]bool{}
	for _, row := range imports {
		b.imports[row.ID] = true
		b.has.importsOfContent[row.Sha256] = append(b.has.importsOfContent[row.Sha256], row.ID)
	}
	return b.foldNames(ctx, q)
}

// current returns the theme that a theme was merged into, or itself.
func (x *existing) current(row db.ListRefiThemesRow) db.ListRefiThemesRow {
	for range 20 { // as the database follows them
		if row.MergedInto == nil {
			break
		}
		next, ok := x.themes.byID[*row.MergedInto]
		if !ok {
			break
		}
		row = next
	}
	return row
}

// depthOf returns how deep a theme is, at most maxDepth.
func (x *existing) depthOf(row db.ListRefiThemesRow) int {
	depth := 1
	for ; depth < maxDepth && row.ParentID != nil; depth++ {
		row = x.themes.byID[*row.ParentID]
	}
	return depth
}
