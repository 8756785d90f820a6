package typescript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
)

func (g *generator) functions(schema string) {
	names := g.catalog.FunctionNames(schema)
	g.section("Functions", len(names), func() {
		for _, n := range names {
			overloads := g.catalog.Functions(schema, n)
			if len(overloads) == 1 {
				g.block(name(n)+": {", "}", func() { g.function(overloads[0]) })
				continue
			}
			g.linef("%s:", name(n))
			g.depth++
			for _, f := range overloads {
				g.block("| {", "}", func() { g.function(f) })
			}
			g.depth--
		}
	})
}

func (g *generator) function(f *catalog.Function) {
	g.linef("Args: %s", g.arguments(f))
	g.linef("Returns: %s", g.returned(f))
	if f.ReturnTable == "" || f.ReturnSchema != f.Schema || g.catalog.Table(f.ReturnSchema,
		f.ReturnTable) == nil {
		return
	}
	from := "*"
	if len(f.Parameters) == 1 && f.Parameters[0].OfTable != "" {
		from = f.Parameters[0].OfTable // a computed relationship
	}
	g.block("SetofOptions: {", "}", func() {
		g.linef("from: %s", text(from))
		g.linef("to: %s", text(f.ReturnTable))
		g.linef("isOneToOne: %t", !f.Set || f.Single)
		g.linef("isSetofReturn: %t", f.Set)
	})
}

func (g *generator) arguments(f *catalog.Function) string {
	if len(f.Parameters) == 0 {
		return "never"
	}
	parameters := slices.SortedStableFunc(slices.Values(f.Parameters), func(a, b catalog.Parameter) int {
		return cmp.Compare(a.Name, b.Name)
	})
	list := make([]string, len(parameters))
	for i, p := range parameters {
		mark := ""
		if !p.Required {
			mark = "?"
		}
		list[i] = fmt.Sprintf("%s%s: %s", name(p.Name), mark, g.typeOf(p.Type))
	}
	return "{ " + strings.Join(list, "; ") + " }"
}

func (g *generator) returned(f *catalog.Function) string {
	if f.Void {
		return "undefined"
	}
	row := g.typeOf(f.ReturnType)
	if outputs := g.types.Outputs[f.OID]; len(outputs) > 0 {
		list := make([]string, len(outputs))
		for i, a := range outputs {
			list[i] = fmt.Sprintf("%s: %s", name(a.Name), g.typeOf(a.Type))
		}
		row = "{ " + strings.Join(list, "; ") + " }"
	}
	if f.Set {
		return array(row)
	}
	return row
}
