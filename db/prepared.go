package db

import (
	"bytes"
	"container/list"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// preparedKept is how many statements one connection keeps; a plan with policies takes some 50 kB of the server's memory.
	preparedKept = 128
	// preparedBytes bounds the text of a statement that is worth keeping: longer ones do not come again.
	preparedBytes = 16 << 10
)

// preparedKey finds a connection's prepared among its custom data.
const preparedKey = "research/db.prepared"

// prepared are the statements that a connection keeps parsed and planned, by their text, the least recently used last. PostgreSQL plans them anew when the role,
// the search path or what they refer to changes.
type prepared struct {
	byText map[string]*list.Element // of *preparedStatement
	recent *list.List
	last   int
}

type preparedStatement struct{ text, name string }

// preparedOf are the connection's, or nil where the connection string says that nothing is to be prepared (default_query_exec_mode=exec).
func preparedOf(conn *pgx.Conn) *prepared {
	if conn.Config().DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	data := conn.PgConn().CustomData()
	p, ok := data[preparedKey].(*prepared)
	if !ok {
		p = &prepared{byText: map[string]*list.Element{}, recent: list.New()}
		data[preparedKey] = p
	}
	return p
}

// A pipeline sends statements in one round trip, within one transaction.
type pipeline struct {
	*pgconn.Pipeline
	prepared *prepared            // nil: nothing is prepared
	sent     []*preparedStatement // to be prepared, and not confirmed
}

// exec sends a statement, with parameters and results as texts.
func (p *pipeline) exec(sql string, args [][]byte) {
	if p.prepared == nil || len(sql) > preparedBytes {
		p.SendQueryParams(sql, args, nil, nil, nil)
		return
	}
	if known := p.prepared.byText[sql]; known != nil {
		p.prepared.recent.MoveToFront(known)
		p.SendQueryPrepared(known.Value.(*preparedStatement).name, args, nil, nil)
		return
	}
	p.prepared.last++
	st := &preparedStatement{sql, "research_" + strconv.Itoa(p.prepared.last)}
	p.sent = append(p.sent, st)
	p.SendPrepare(st.name, st.text, nil)
	p.SendQueryPrepared(st.name, args, nil, nil)
}

// read takes the results, but not those of the first statements.
func (p *pipeline) read(first int) (rows Rows, err error) {
	defer func() {
		if closing := p.Close(); err == nil && closing != nil {
			rows, err = Rows{}, closing
		}
	}()
	if err := p.Sync(); err != nil {
		return Rows{}, err
	}
	for i := 0; ; {
		got, err := p.GetResults()
		if err != nil {
			return Rows{}, err
		}
		switch got := got.(type) {
		case *pgconn.PipelineSync:
			return rows, nil
		case *pgconn.StatementDescription:
			// The server keeps it, even if the transaction is rolled back.
			p.prepared.keep(p.sent[0])
			p.sent = p.sent[1:]
		case *pgconn.ResultReader:
			switch {
			case i < first:
				_, err = got.Close()
			case i == first:
				rows.Values, rows.Tag, err = readTexts(got)
			default:
				rows.Then, _, err = readTexts(got)
			}
			if err != nil {
				return Rows{}, err
			}
			i++
		}
	}
}

func readTexts(r *pgconn.ResultReader) (values [][][]byte, tag pgconn.CommandTag, err error) {
	for r.NextRow() {
		var row [][]byte
		for _, v := range r.Values() {
			row = append(row, bytes.Clone(v)) // nil stays nil
		}
		values = append(values, row)
	}
	tag, err = r.Close()
	return values, tag, err
}

// keep remembers what the server keeps.
func (p *prepared) keep(st *preparedStatement) { p.byText[st.text] = p.recent.PushFront(st) }

// trim makes the server forget what is beyond preparedKept.
func (p *pipeline) trim() {
	for p.prepared != nil && p.prepared.recent.Len() > preparedKept {
		oldest := p.prepared.recent.Remove(p.prepared.recent.Back()).(*preparedStatement)
		delete(p.prepared.byText, oldest.text)
		p.SendDeallocate(oldest.name)
	}
}

// ForgetPrepared closes the connections as they become idle, so that statements are parsed anew, against the schema as it is now: the types of their parameters
// were found when they were parsed.
func (s *Store) ForgetPrepared() { s.pool.Reset() }
