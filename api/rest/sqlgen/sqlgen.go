// Package sqlgen writes the SQL of the data API: one statement for each plan, which returns one row (Row)
// whatever the request was.
//
// Identifiers come from the catalog and are quoted, and everything that a client wrote is a parameter. The
// names of types in casts are the exception: they are part of the SQL, and package query rejects whatever is
// not such a name. PostgreSQL makes the JSON of the answer, so that every type looks as PostgREST shows it.
package sqlgen

import (
	"fmt"
	"strconv"
	"strings"

	"research/api/rest/plan"
	"research/api/rest/query"
)

// A Statement is SQL with the values of its parameters, as text; nil is null.
type Statement struct {
	SQL  string
	Args [][]byte
	// Estimate explains the query whose rows are estimated. It runs after SQL in the same transaction; nil means
	// none.
	Estimate *Statement
}

// Compile writes the statement of a plan. A plan.Methods has none: its SQL is empty.
func Compile(p plan.Plan) Statement {
	switch p := p.(type) {
	case *plan.Read:
		return explained(compileRead(p), p.Format.Explain)
	case *plan.Write:
		return explained(compileWrite(p), p.Format.Explain)
	case *plan.Call:
		return explained(compileCall(p), p.Format.Explain)
	case *plan.Description:
		return compileDescription(p)
	}
	return Statement{}
}

// explained wraps a statement in EXPLAIN if the client requested the plan.
func explained(st Statement, asked *query.Explain) Statement {
	if asked == nil {
		return st
	}
	options := []string{"format text"}
	if asked.JSON {
		options[0] = "format json"
	}
	options = append(options, asked.Options...)
	st.SQL = "explain (" + strings.Join(options, ", ") + ") " + st.SQL
	return st
}

// A builder collects the parameters of a statement while it is written.
type builder struct {
	args [][]byte
	// nests says that an embedded row stays a record, since what it is embedded in becomes JSON as a whole.
	// PostgreSQL then writes the JSON of both once.
	nests bool
}

// newBuilder returns the builder of a statement whose rows are returned in a format.
func newBuilder(f plan.Format) *builder { return &builder{nests: isJSON(f)} }

// isJSON reports whether PostgreSQL makes a JSON array or object of the rows, other than with a function of
// the schema.
func isJSON(f plan.Format) bool {
	return f.Handler == nil && (f.Body.Name == query.TypeJSON || f.Body.Name == query.TypeSingular)
}

// param adds a parameter, whose type PostgreSQL infers.
func (b *builder) param(value string) string { return b.bytes([]byte(value)) }

// bytes is param for a value that need not be copied.
func (b *builder) bytes(value []byte) string {
	if value == nil {
		value = []byte{} // nil would be null
	}
	b.args = append(b.args, value)
	return "$" + strconv.Itoa(len(b.args))
}

func (b *builder) number(n int64) string { return b.param(strconv.FormatInt(n, 10)) }

// SearchPath is the value of search_path that makes PostgreSQL look in these schemas.
func SearchPath(schemas []string) string { return quoteAll(schemas) }

// CallFunction calls a function without arguments, whose name may be qualified.
func CallFunction(name string) string {
	schema, function, qualified := strings.Cut(name, ".")
	if !qualified {
		return "select " + quote(name) + "()"
	}
	return "select " + qualify(schema, function) + "()"
}

// quote quotes an identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// qualify returns the qualified identifier of a name in a schema.
func qualify(schema, name string) string { return quote(schema) + "." + quote(name) }

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return strings.Join(quoted, ", ")
}

// quoteLiteral returns a name from the catalog as a string literal.
func quoteLiteral(name string) string {
	quoted := "'" + strings.ReplaceAll(name, "'", "''") + "'"
	if strings.Contains(quoted, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// arrayLiteral writes an array as PostgreSQL reads it.
func arrayLiteral(values []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = `"` + escape.Replace(v) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// castSQL casts an expression.
func castSQL(sql string, to query.TypeName) string {
	if to.IsZero() {
		return sql
	}
	name := quote(strings.ToLower(to.Words[0]))
	if to.Keyword {
		name = strings.Join(to.Words, " ")
	}
	if to.Array {
		name += "[]"
	}
	return fmt.Sprintf("cast(%s as %s)", sql, name)
}
