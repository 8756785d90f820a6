package openapi

import (
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
)

// guideHead is how the guide begins. The rest is about each table and each function.
const guideHead = `# Tables of the data API

What a signed-in user may use at %s, over PostgREST's wire. Rows are those of workspaces where the user is a
member. For programs, the root describes the same as OpenAPI.

## How to call

Every request has the public API key and the access token of a sign-in (see [the API](api.md#headers)).

%[2]ssh
api() { curl "%[1]s$1" -H "apikey: $ANON_KEY" -H "Authorization: Bearer $TOKEN" "${@:2}"; }
api '/hypotheses?project_id=eq.…&status=in.(untested,testing)&select=id,statement&order=created_at&limit=20'
api '/evidence?import_id=eq.…&select=quote,evidence_hypotheses(stance,hypotheses(statement))'
api /hypotheses -H 'Prefer: return=representation' \
  --json '{"project_id": "…", "statement": "Receipts get lost."}'
api '/hypotheses?id=eq.…' -X PATCH --json '{"status": "validated", "decision_reason": "Eight of nine."}'
api '/hypotheses?id=eq.…' -X DELETE
api /rpc/search_project --json '{"project": "…", "query": "receipt"}'
%[2]s

With @supabase/supabase-js, the second is

%[2]sjs
const { data, error } = await createClient(url, anonKey)
  .from('evidence')
  .select('quote,evidence_hypotheses(stance,hypotheses(statement))')
  .eq('import_id', id);
%[2]s

An insert may leave out what is optional, and what the database fills. Filters, order and embedding are those
of [PostgREST](https://docs.postgrest.org/en/stable/references/api.html); [compatibility](compat.md) has the
differences.
`

// Guide describes the API to people, in Markdown.
func Guide(cfg Config, c *catalog.Catalog, schema string, p Privileges) []byte {
	d := describer{cfg, c, schema, p}
	var b strings.Builder
	fmt.Fprintf(&b, guideHead, cfg.PublicURL+cfg.prefix(), "```")
	for _, t := range d.tables() {
		d.writeTable(&b, t)
	}
	b.WriteString("\n## Functions\n")
	d.functions(func(name string, overloads []*catalog.Function) {
		for _, f := range overloads {
			writeFunction(&b, name, f)
		}
	})
	return []byte(b.String())
}

// prefix is that of paths, where there is no address.
func (cfg Config) prefix() string {
	if cfg.PublicURL != "" {
		return ""
	}
	return cfg.Prefix
}

// writeTable writes a table with its columns.
func (d *describer) writeTable(b *strings.Builder, t *catalog.Table) {
	grant := d.privileges.Tables[t.Name]
	methods := d.methods(t, grant)
	if len(methods) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n%s", t.Name, t.Comment, strings.Join(methods, ", "))
	if related := d.embeddable(t); len(related) > 0 {
		fmt.Fprintf(b, ". Embeds %s", strings.Join(related, ", "))
	}
	b.WriteString(".\n\n| column | type | on insert | |\n|---|---|---|---|\n")
	for _, c := range t.Columns {
		g := grant.Columns[c.Name]
		if g.Select || g.Insert || g.Update {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, guideType(c), onInsert(t, c, grant), cell(c.Comment))
		}
	}
}

// methods are what the role may do with a table.
func (d *describer) methods(t *catalog.Table, grant TableGrant) []string {
	var methods []string
	for _, m := range []struct {
		name    string
		granted bool
	}{
		{"GET", grant.Select},
		{"POST", grant.Insert && t.Insertable},
		{"PATCH", grant.Update && t.Updatable},
		{"DELETE", grant.Delete && t.Deletable},
	} {
		if m.granted {
			methods = append(methods, "`"+m.name+"`")
		}
	}
	return methods
}

// embeddable are the names of the tables that the role can embed.
func (d *describer) embeddable(t *catalog.Table) []string {
	var names []string
	for _, r := range d.related(t) {
		names = append(names, "`"+r.Resource+"`")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// onInsert says what an insert does with a column.
func onInsert(t *catalog.Table, c *catalog.Column, grant TableGrant) string {
	row := insertSchema(t, grant)
	switch {
	case !grant.Insert || !t.Insertable:
		return ""
	case slices.Contains(row.Required, c.Name):
		return "required"
	case slices.ContainsFunc(row.Properties, func(m member[*schema]) bool { return m.name == c.Name }):
		return "optional"
	}
	return "filled"
}

// guideType is the type of a column, with the values of an enumeration.
func guideType(c *catalog.Column) string {
	name := cell(c.Type)
	if len(c.Enum) > 0 {
		name = cell(strings.Join(c.Enum, ", "))
	}
	if c.Nullable {
		name += " or null"
	}
	return name
}

// writeFunction writes a function with its parameters.
func writeFunction(b *strings.Builder, name string, f *catalog.Function) {
	methods := "`POST`"
	if !f.Volatile {
		methods = "`GET`, `POST`"
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n%s `/rpc/%s`\n", name, f.Comment, methods, name)
	if len(f.Parameters) == 0 {
		return
	}
	b.WriteString("\n| parameter | type | |\n|---|---|---|\n")
	for _, p := range f.Parameters {
		need := "optional"
		if p.Required {
			need = "required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.Name, cell(p.Type), need)
	}
}

// cell makes a text fit for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
