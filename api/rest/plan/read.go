package plan

import (
	"fmt"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// A Read selects rows of a table: GET and HEAD.
type Read struct {
	Selection *Selection
	Window    Window
	Count     Count
	Format    Format
	Single    bool // there is one row at most, by the primary key
}

// ReadOnly implements Plan.
func (*Read) ReadOnly() bool { return true }

// Check implements Plan.
func (r *Read) Check(rows int64) error { return r.Format.checkSingular(rows) }

// A Count is the method by which matching rows are counted.
type Count struct {
	Method   CountMethod
	Limit    int64 // counting by query stops here; 0 means no limit
	Estimate bool  // PostgreSQL's estimate is asked for as well
}

// A CountMethod is a way to count.
type CountMethod int

// The ways to count.
const (
	CountNothing CountMethod = iota
	CountPage                // the page holds all rows
	CountQuery               // by a query of its own
)

// Total returns how many rows the request matches, of a count and PostgreSQL's estimate; nil means unknown.
// The estimate stands for the rows beyond the count's limit. Without one there are at least as many as the
// page has reached.
func (c Count) Total(counted, estimated *int64, reached int64) *int64 {
	switch {
	case estimated == nil && counted != nil && c.Limit > 0 && *counted >= c.Limit:
		most := max(*counted, reached)
		return &most
	case estimated == nil:
		return counted
	case counted == nil:
		return estimated
	case c.Limit > 0 && *counted >= c.Limit && *estimated > *counted:
		return estimated
	}
	return counted
}

// maxCounted is where counting stops for planned and estimated counts that may not be PostgreSQL's estimate.
// Counting this many rows of one table takes some 30 ms.
const maxCounted = 100_000

// count plans how to count the rows of a window. PostgreSQL's estimate is made from statistics of all rows,
// whatever the caller may see: a filter would reveal which values other tenants have.
func (p *planner) count(w Window) Count {
	asked := p.request.Preferences.Count
	guessed := asked == query.CountPlanned || asked == query.CountEstimated
	switch {
	case asked != query.CountExact && !guessed, asked == query.CountPlanned && p.rules.Estimates:
		return Count{}
	case w.Limit == nil && w.Offset == 0:
		return Count{Method: CountPage}
	case guessed && !p.rules.Estimates:
		return Count{Method: CountQuery, Limit: maxCounted}
	}
	return Count{Method: CountQuery}
}

// read plans GET and HEAD of a table.
func (p *planner) read(t *catalog.Table) (Plan, error) {
	source := Selection{Table: t, Alias: t.Name, Filter: p.request.Root.Filter}
	s, err := p.selectFrom(source, p.rules.MaxRows)
	if err != nil {
		return nil, err
	}
	format, err := p.format(t.Schema, t.Name, s.everything())
	if err != nil {
		return nil, err
	}
	most := p.rules.MaxRows
	if s.single() {
		most = 0 // a bound costs more than the row
	}
	w, err := p.page(most)
	if err != nil {
		return nil, err
	}
	r := &Read{Selection: s, Window: w, Count: p.count(w), Format: format, Single: s.single()}
	asked := p.request.Preferences.Count
	r.Count.Estimate = p.rules.Estimates && (asked == query.CountPlanned || asked == query.CountEstimated)
	if asked == query.CountEstimated && r.Count.Estimate && r.Count.Method == CountQuery && p.rules.MaxRows > 0 {
		r.Count.Limit = p.rules.MaxRows + 1 // more than an answer holds are estimated
	}
	if s.single() && len(s.Embeds) == 0 && len(s.Fields) <= len(t.Columns) {
		r.Format.MaxBytes = 0 // one row is hardly larger than the request that wrote it
	}
	if p.request.Method == query.MethodHead {
		r.Format = r.Format.withoutBody()
	}
	return r, nil
}

// page returns the window of the Range header, limit and offset, with at most the given number of rows; 0
// means no limit.
func (p *planner) page(most int64) (Window, error) {
	page, err := p.request.Range.Page(p.request.Root.Limit, p.request.Root.Offset)
	return window(page, most), err
}

// checkSingular rejects an answer that is to be one object where there is not one row.
func (f Format) checkSingular(rows int64) error {
	if !f.Singular || rows == 1 {
		return nil
	}
	return &query.Error{
		Code:    query.CodeNotSingular,
		Message: "Cannot coerce the result to a single JSON object",
		Details: fmt.Sprintf("The result contains %d rows", rows),
	}
}
