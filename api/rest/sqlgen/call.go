package sqlgen

import (
	"strings"

	"research/api/rest/plan"
)

const (
	call = "pgrst_call"
	// scalarColumn is the only column of the result of a function that returns no rows of columns.
	scalarColumn = "pgrst_scalar"
)

func compileCall(p *plan.Call) Statement {
	b := newBuilder(p.Format)
	row := rowSQL{rows: "1", body: bodySQL(p.Format, p.Function)}
	if p.Function.Set {
		row.rows = "count(_page)"
	}
	from := source + " as " + quote(p.Selection.Alias)
	with := "with " + source + " as (" + b.callSQL(p) + ")"
	with += ", " + result + " as (" + b.selectSQL(p.Selection, from, fetched(p.Window)) + ")"
	with += b.countSQL(&row, p.Selection, from, p.Count)
	page := b.pageSQL(&row, result, p.Window)
	sql := with + " " + b.answerSQL(row, page, p.Format)
	return Statement{SQL: sql, Args: b.args}
}

// callSQL is the function's result as rows.
func (b *builder) callSQL(p *plan.Call) string {
	arguments, from := b.argumentsSQL(p)
	f := p.Function
	sql := qualify(f.Schema, f.Name) + "(" + strings.Join(arguments, ", ") + ")"
	if f.Scalar {
		return "select " + call + "." + scalarColumn + " from " + from +
			"(select " + sql + " " + scalarColumn + ") " + call
	}
	columns := []string{call + ".*"}
	if len(p.Returning) > 0 {
		columns = nil
	}
	for _, name := range p.Returning {
		columns = append(columns, call+"."+quote(name))
	}
	return "select " + strings.Join(columns, ", ") + " from " + from + sql + " " + call
}

// argumentsSQL writes the arguments, and the source that they come from where the body holds them by name.
func (b *builder) argumentsSQL(p *plan.Call) (arguments []string, from string) {
	if p.JSON == nil {
		for _, a := range p.Arguments {
			value := a.Values[len(a.Values)-1]
			if a.Parameter.Variadic {
				value = arrayLiteral(a.Values)
			}
			arguments = append(arguments, argumentSQL(a, b.param(value)+"::"+a.Parameter.Unbounded))
		}
		return arguments, ""
	}
	var types []string
	for _, a := range p.Arguments {
		types = append(types, quote(a.Parameter.Name)+" "+a.Parameter.Unbounded)
		arguments = append(arguments, argumentSQL(a, body+"."+quote(a.Parameter.Name)))
	}
	if len(types) == 0 {
		return nil, ""
	}
	record := "json_to_recordset"
	if p.IsObject {
		record = "json_to_record"
	}
	from = "(select * from " + record + "(" + b.bytes(p.JSON) + "::json) as _(" + strings.Join(types, ", ") +
		") limit 1) " + body + ", lateral "
	return arguments, from
}

// argumentSQL passes a value by the parameter's name. A parameter without a name is the only one.
func argumentSQL(a plan.Argument, value string) string {
	switch {
	case a.Parameter.Variadic:
		return "variadic " + quote(a.Parameter.Name) + " := " + value
	case a.Parameter.Name == "":
		return value
	}
	return quote(a.Parameter.Name) + " := " + value
}
