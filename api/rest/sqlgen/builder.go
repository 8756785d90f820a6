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

// A builder collects the parameters of a statement while it is written.
type builder struct {
	args [][]byte
	// nests says that an embedded row stays a record, since what it is embedded in becomes JSON as a whole.
	// PostgreSQL then writes the JSON of both once.
	nests bool
	// most is how many bytes the rows of the answer may have; 0 means no limit.
	most int64
}

// newBuilder returns the builder of a statement whose rows are returned in a format.
func newBuilder(f plan.Format) *builder { return &builder{nests: isJSON(f), most: f.MaxBytes} }

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
