package plan

import (
	"fmt"
	"slices"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// A Write inserts, updates or deletes rows of a table: POST, PATCH, PUT and DELETE.
type Write struct {
	Kind     WriteKind
	Table    *catalog.Table
	JSON     []byte            // the rows: an object, or an array of objects
	IsObject bool              // the JSON is one object
	Columns  []*catalog.Column // that the rows give
	Defaults bool              // a row without a column gets the column's default; otherwise null
	Conflict Conflict
	Filter   query.Condition // the rows that are written; of PUT, the row that the body must be

	Returning     []string   // the columns that the answer needs
	Selection     *Selection // of the rows that are returned; nil where none are
	ReturnsKey    bool       // the key of a row that is inserted alone is returned
	CountsInserts bool       // how many rows are new is counted

	Format Format
	limit  *int64 // how many rows may be affected; nil means any number
}

// A WriteKind is a kind of write.
type WriteKind int

// The kinds of writes.
const (
	Insert WriteKind = iota
	Update
	Delete
	Put // an insert of one row that replaces the row with its key
)

// A Conflict is the action for rows whose keys exist.
type Conflict struct {
	Resolution string // query.MergeDuplicates or query.IgnoreDuplicates; empty means an error
	Columns    []string
}

// ReadOnly implements Plan.
func (*Write) ReadOnly() bool { return false }

// Check implements Plan.
func (w *Write) Check(rows int64) error {
	if w.Kind == Put {
		if rows != 1 {
			return putMismatch()
		}
		return nil
	}
	if err := w.Format.checkSingular(rows); err != nil {
		return err
	}
	return checkAffected(rows, w.limit)
}

// checkAffected applies Prefer: max-affected.
func checkAffected(rows int64, limit *int64) error {
	if limit == nil || rows <= *limit {
		return nil
	}
	return &query.Error{
		Code:    query.CodeMaxAffected,
		Message: "Query result exceeds max-affected preference constraint",
		Details: fmt.Sprintf("The query affects %d rows", rows),
	}
}

// insert plans POST of a table.
func (p *planner) insert(t *catalog.Table) (Plan, error) {
	keys := t.Key
	if p.request.OnConflict != nil {
		keys = p.request.OnConflict
	}
	for _, name := range keys {
		if t.Column(name) == nil {
			return nil, unknownColumn(t, name)
		}
	}
	preferences := p.request.Preferences
	return p.write(&Write{
		Kind:          Insert,
		Table:         t,
		Defaults:      preferences.Missing == query.MissingDefault,
		Conflict:      Conflict{preferences.Resolution, keys},
		CountsInserts: preferences.Resolution == query.MergeDuplicates,
	})
}

// update plans PATCH.
func (p *planner) update(t *catalog.Table) (Plan, error) {
	if err := p.requireFilter("UPDATE"); err != nil {
		return nil, err
	}
	return p.write(&Write{
		Kind:     Update,
		Table:    t,
		Defaults: p.request.Preferences.Missing == query.MissingDefault,
		Filter:   p.request.Root.Filter,
		limit:    p.request.Preferences.Limit(),
	})
}

// delete plans DELETE.
func (p *planner) delete(t *catalog.Table) (Plan, error) {
	if err := p.requireFilter("DELETE"); err != nil {
		return nil, err
	}
	return p.write(&Write{
		Kind:   Delete,
		Table:  t,
		Filter: p.request.Root.Filter,
		limit:  p.request.Preferences.Limit(),
	})
}

// requireFilter rejects a write to every row, which is hardly ever meant.
func (p *planner) requireFilter(statement string) error {
	if p.rules.UnfilteredWrites || !p.request.Root.Filter.Empty() {
		return nil
	}
	return &query.Error{Code: query.CodeUnfilteredWrite, Message: statement + " requires a WHERE clause"}
}

// put plans PUT: one row, which the filters name by its whole key.
func (p *planner) put(t *catalog.Table) (Plan, error) {
	root := p.request.Root
	if root.Limit != nil || root.Offset != 0 {
		return nil, &query.Error{
			Code:    query.CodeLimitedPut,
			Message: "limit/offset querystring parameters are not allowed for PUT",
		}
	}
	if !namesKey(root.Filter, t.Key) {
		return nil, &query.Error{
			Code:    query.CodeInvalidPutFilters,
			Message: "Filters must include all and only primary key columns with 'eq' operators",
		}
	}
	given := p.request.Payload.Columns
	if slices.ContainsFunc(t.Key, func(name string) bool { return !slices.Contains(given, name) }) {
		return nil, putMismatch()
	}
	return p.write(&Write{
		Kind:          Put,
		Table:         t,
		Conflict:      Conflict{query.MergeDuplicates, t.Key},
		Filter:        root.Filter,
		CountsInserts: true,
	})
}

// namesKey reports whether the condition gives each column of the key a value, and contains no other filter.
func namesKey(c query.Condition, key []string) bool {
	var named []string
	for _, part := range c.Parts {
		f := part.Filter
		if f == nil || !f.Equals() || !slices.Contains(key, f.Column.Name) {
			return false
		}
		named = append(named, f.Column.Name)
	}
	missing := func(name string) bool { return !slices.Contains(named, name) }
	return len(named) > 0 && !slices.ContainsFunc(key, missing)
}

func putMismatch() error {
	return &query.Error{
		Code:    query.CodePutMismatch,
		Message: "Payload values do not match URL in primary key column(s)",
	}
}

// write completes a write: the columns of the rows, and what is returned of them.
func (p *planner) write(w *Write) (Plan, error) {
	// The request's filter chooses the rows that are written. Of the rows that are returned, all are shown.
	source := Selection{Table: w.Table, Alias: w.Table.Name, Derived: true}
	returned, err := p.selectFrom(source, 0)
	if err != nil {
		return nil, err
	}
	if w.Format, err = p.format(w.Table.Schema, w.Table.Name, returned.everything()); err != nil {
		return nil, err
	}
	w.JSON, w.IsObject = p.request.Payload.JSON, p.request.Payload.IsObject()
	for _, name := range p.request.Payload.Columns {
		column := w.Table.Column(name)
		if column == nil {
			return nil, unknownColumn(w.Table, name)
		}
		w.Columns = append(w.Columns, column)
	}
	switch p.request.Preferences.Return {
	case query.ReturnRepresentation:
		w.Selection, w.Returning = returned, returned.needs()
		return w, nil
	case query.ReturnHeadersOnly:
		if w.Kind == Insert && len(w.Table.Key) > 0 {
			w.ReturnsKey, w.Returning = true, w.Table.Key
		}
	}
	w.Format = w.Format.withoutBody()
	if w.Format.Explain == nil {
		w.Format.ContentType = ""
	}
	return w, nil
}

func unknownColumn(t *catalog.Table, name string) error {
	return &query.Error{
		Code:    query.CodeUnknownColumn,
		Message: "Could not find the '" + name + "' column of '" + t.Name + "' in the schema cache",
	}
}
