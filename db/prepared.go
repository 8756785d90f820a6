package db

import (
	"container/list"
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// Statements of other packages are prepared once on each connection. pgx has such a cache, but its batches
// prepare statements before they run any, and so before the role and the search path are set
// (docs/decisions/0151).

const (
	// preparedKept is the number of statements that a connection keeps. A plan with policies takes some 50 kB of
	// the server's memory.
	preparedKept = 128
	// preparedBytes is the longest text of a statement that is kept: longer ones hardly ever come again.
	preparedBytes = 16 << 10
)

// preparedKey is where a connection's custom data has its cache.
const preparedKey = "research/db.prepared"

// A preparedCache has the statements that the server keeps for a connection, by their text. The one used last
// is in front. PostgreSQL plans a statement again when the role, the search path or what it refers to
// changes.
type preparedCache struct {
	byText  map[string]*list.Element // of *preparedStatement
	recent  *list.List
	created int // for names
}

type preparedStatement struct {
	text, name string
	// described has the columns, so that PostgreSQL need not describe them each time. It is nil until the
	// statement is prepared.
	described *pgconn.StatementDescription
}

// preparedOf returns a connection's cache.
func preparedOf(conn *pgconn.PgConn) *preparedCache {
	data := conn.CustomData()
	cache, ok := data[preparedKey].(*preparedCache)
	if !ok {
		cache = &preparedCache{byText: map[string]*list.Element{}, recent: list.New()}
		data[preparedKey] = cache
	}
	return cache
}

// find returns a statement that the server keeps, or nil.
func (c *preparedCache) find(text string) *preparedStatement {
	element := c.byText[text]
	if element == nil {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*preparedStatement)
}

func (c *preparedCache) add(st *preparedStatement) { c.byText[st.text] = c.recent.PushFront(st) }

// evict removes and returns the least recently used statement, or returns nil if there is room.
func (c *preparedCache) evict() *preparedStatement {
	if c.recent.Len() <= preparedKept {
		return nil
	}
	oldest := c.recent.Remove(c.recent.Back()).(*preparedStatement)
	delete(c.byText, oldest.text)
	return oldest
}

// A pipeline sends statements in one round trip. Without BEGIN among them they are one transaction.
type pipeline struct {
	*pgconn.Pipeline
	cache     *preparedCache       // nil: nothing is prepared
	preparing []*preparedStatement // sent to be prepared, and not confirmed yet
	returns   []bool               // of each statement: its rows are wanted
}

func newPipeline(ctx context.Context, conn *pgconn.PgConn, prepares bool) *pipeline {
	p := &pipeline{Pipeline: conn.StartPipeline(ctx)}
	if !prepares {
		return p
	}
	p.cache = preparedOf(conn)
	for st := p.cache.evict(); st != nil; st = p.cache.evict() {
		p.SendDeallocate(st.name)
	}
	return p
}

// exec sends a statement whose rows are not wanted.
func (p *pipeline) exec(sql string, args [][]byte) { p.send(sql, args, false) }

// query sends a statement whose rows are wanted, as texts.
func (p *pipeline) query(sql string, args [][]byte) { p.send(sql, args, true) }

func (p *pipeline) send(sql string, args [][]byte, returns bool) {
	p.returns = append(p.returns, returns)
	if p.cache == nil || len(sql) > preparedBytes {
		p.SendQueryParams(sql, args, nil, nil, nil)
		return
	}
	if st := p.cache.find(sql); st != nil {
		p.SendQueryStatement(st.described, args, nil, nil)
		return
	}
	p.cache.created++
	st := &preparedStatement{text: sql, name: "research_" + strconv.Itoa(p.cache.created)}
	p.preparing = append(p.preparing, st)
	p.SendPrepare(st.name, st.text, nil)
	p.SendQueryPrepared(st.name, args, nil, nil)
}

// read returns the results of the statements whose rows are wanted, in order. It closes the pipeline.
func (p *pipeline) read() (results []Rows, err error) {
	defer func() {
		if closing := p.Close(); err == nil && closing != nil {
			results, err = nil, closing
		}
	}()
	if err := p.Sync(); err != nil {
		return nil, err
	}
	for done := 0; ; {
		got, err := p.GetResults()
		if err != nil {
			return nil, err
		}
		switch got := got.(type) {
		case *pgconn.PipelineSync:
			return results, nil
		case *pgconn.StatementDescription:
			// The server keeps the statement even if the transaction is rolled back.
			st := p.preparing[0]
			p.preparing = p.preparing[1:]
			got.Name, st.described = st.name, got
			p.cache.add(st)
		case *pgconn.ResultReader:
			if p.returns[done] {
				var r Rows
				r, err = readResult(got)
				results = append(results, r)
			} else {
				_, err = got.Close()
			}
			if err != nil {
				return nil, err
			}
			done++
		}
	}
}

func readResult(reader *pgconn.ResultReader) (Rows, error) {
	fields := reader.FieldDescriptions()
	r := Rows{Columns: make([]string, len(fields))}
	for i, field := range fields {
		r.Columns[i] = field.Name
	}
	for reader.NextRow() {
		r.Values = append(r.Values, copyRow(reader.Values()))
	}
	_, err := reader.Close()
	return r, err
}

// copyRow copies the values of a row, which share one array. Null stays nil.
func copyRow(values [][]byte) [][]byte {
	size := 0
	for _, value := range values {
		size += len(value)
	}
	row, array := make([][]byte, len(values)), make([]byte, 0, size)
	for i, value := range values {
		if value == nil {
			continue
		}
		from := len(array)
		array = append(array, value...)
		row[i] = array[from:len(array):len(array)]
	}
	return row
}

// ForgetPrepared closes connections as they become idle, so that statements are parsed again: the types of
// their parameters are those of the schema when they were parsed.
func (s *Store) ForgetPrepared() { s.pool.Reset() }
