package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/mcp"
	"research/api/reference"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

// An object is one of JSON.
type object = map[string]any

// A described lists what a JSON schema or an OpenAPI document describes. The names of a document's schemas
// and operations are listed as well, since generated clients have them.
type described struct {
	surface
	document object // for references
	seen     map[string]bool
}

// describedDocument reads the OpenAPI document of /api and /auth/v1.
func describedDocument(t *testing.T, s surface) described {
	t.Helper()
	content, err := reference.Document()
	require.NoError(t, err)
	d := described{surface: s, seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(content, &d.document))
	return d
}

// resolve follows a reference, and returns the name of what it leads to, or place.
func (d described) resolve(place string, node any) (string, object) {
	o, _ := node.(object)
	for {
		ref, isRef := o["$ref"].(string)
		if !isRef {
			return place, o
		}
		place = path.Base(ref)
		var at any = d.document
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(object)[step]
		}
		o, _ = at.(object)
	}
}

// listSchema lists the fields of a schema with their types, and the values of enums. Of what clients send, it
// lists all required fields in one line, since one more would be a change; of what they get, each field that
// is always there.
func (d described) listSchema(place string, node any, isSent bool) {
	place, schema := d.resolve(place, node)
	if _, isRef := node.(object)["$ref"]; isRef {
		key := fmt.Sprint(place, isSent)
		if d.seen[key] {
			return
		}
		d.seen[key] = true
	}
	values, _ := schema["enum"].([]any)
	if value, isConst := schema["const"]; isConst {
		values = append(values, value)
	}
	for _, value := range values {
		d.addf("%s = %v", place, value)
	}
	properties, _ := schema["properties"].(object)
	for name, property := range properties {
		_, resolved := d.resolve("", property)
		d.addf("%s.%s %s", place, name, typeOf(resolved))
		d.listSchema(place+"."+name, property, isSent)
	}
	d.listRequired(place, schema, isSent)
	for _, several := range []string{"allOf", "anyOf", "oneOf"} {
		alternatives, _ := schema[several].([]any)
		for _, alternative := range alternatives {
			d.listSchema(place, alternative, isSent)
		}
	}
	for key, suffix := range map[string]string{
		"items": "[]", "additionalProperties": "{}", "contentSchema": "",
	} {
		if _, isSchema := schema[key].(object); isSchema {
			d.listSchema(place+suffix, schema[key], isSent)
		}
	}
}

func (d described) listRequired(place string, schema object, isSent bool) {
	required := texts(schema["required"])
	switch {
	case schema["properties"] == nil:
	case isSent:
		d.addf("%s requires %s", place, listed(required))
	default:
		for _, name := range required {
			d.addf("%s.%s is always there", place, name)
		}
	}
}

// typeOf returns the type of a schema, with its format. Types that depend on the value are "any".
func typeOf(schema object) string {
	types := texts(schema["type"])
	if one, isOne := schema["type"].(string); isOne {
		types = []string{one}
	}
	slices.Sort(types)
	if len(types) == 0 {
		return "any"
	}
	if format, has := schema["format"].(string); has {
		return strings.Join(types, "|") + " " + format
	}
	return strings.Join(types, "|")
}

func texts(value any) (all []string) {
	list, _ := value.([]any)
	for _, item := range list {
		if text, isText := item.(string); isText {
			all = append(all, text)
		}
	}
	return all
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// listAPI lists the operations of /api and /auth/v1: parameters, statuses, fields and error codes.
func listAPI(t *testing.T, s surface) {
	d := describedDocument(t, s)
	for address, item := range d.document["paths"].(object) {
		for method, operation := range item.(object) {
			if operation, isOperation := operation.(object); isOperation {
				shared, _ := item.(object)["parameters"].([]any)
				d.listOperation(strings.ToUpper(method)+" "+address, operation, shared)
			}
		}
	}
}

func (d described) listOperation(route string, operation object, parameters []any) {
	d.addf("%s is %s", route, operation["operationId"])
	own, _ := operation["parameters"].([]any)
	var required []string
	for _, node := range slices.Concat(parameters, own) {
		_, parameter := d.resolve("", node)
		name := fmt.Sprintf("%s %s", parameter["in"], parameter["name"])
		d.addf("%s takes %s", route, name)
		d.listSchema(route+" "+name, parameter["schema"], true)
		if parameter["required"] == true {
			required = append(required, name)
		}
	}
	_, body := d.resolve("", operation["requestBody"])
	if body["required"] == true {
		required = append(required, "body")
	}
	d.addf("%s requires %s", route, listed(required))
	d.listContent(route+" body", body, true)
	for status, node := range operation["responses"].(object) {
		d.addf("%s answers %s", route, status)
		_, response := d.resolve("", node)
		d.listContent(route+" answers "+status, response, false)
	}
}

func (d described) listContent(place string, message object, isSent bool) {
	content, _ := message["content"].(object)
	for mediaType, media := range content {
		d.addf("%s %s", place, mediaType)
		d.listSchema(place, media.(object)["schema"], isSent)
	}
}

var (
	eventRow   = regexp.MustCompile("(?m)^\\| `[a-z_]+\\.[^|]*\\|([^|]*)\\|")
	eventField = regexp.MustCompile("`([a-zA-Z]+)`")
)

// listEvents lists the types and the fields of events, and the headers of webhooks.
func listEvents(t *testing.T, s surface) {
	d := describedDocument(t, s)
	d.listSchema("StreamEvent", object{"$ref": "#/components/schemas/StreamEvent"}, false)
	webhook := d.document["webhooks"].(object)["event"].(object)["post"].(object)
	for _, parameter := range webhook["parameters"].([]any) {
		s.addf("webhook has header %s", parameter.(object)["name"])
	}
	database := dbtest.New(t)
	for _, name := range dbtest.Value[[]string](t, database, `select array(select private.event_types())`) {
		s.addf("event %s", name)
	}
	// What is documented of a type, and written by the schema.
	guide, err := os.ReadFile("../docs/events.md")
	require.NoError(t, err)
	schema, err := os.ReadFile("../db/schema.sql")
	require.NoError(t, err)
	for _, row := range eventRow.FindAllSubmatch(guide, -1) {
		for _, field := range eventField.FindAllSubmatch(row[1], -1) {
			name := string(field[1])
			isStatus := slices.Contains(outcome.AnswerStatuses, outcome.AnswerStatus(name))
			if !isStatus && strings.Contains(string(schema), "'"+name+"'") {
				s.addf("event data.%s", name)
			}
		}
	}
}

// The parts of the data API. Columns and functions are those that clients with either key may use.
var dataParts = []string{
	`select format('enum %s = %s', t.typname, e.enumlabel)
		from pg_type t join pg_enum e on e.enumtypid = t.oid
		where t.typnamespace = 'public'::regnamespace`,
	`select format('%s.%s %s', c.relname, a.attname, x.promise)
		from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
			lateral (values (format_type(a.atttypid, a.atttypmod)),
				(case when a.attnotnull then 'is never null' end)) x (promise)
		where x.promise is not null
			and (has_column_privilege('authenticated', c.oid, a.attnum, 'select')
				or has_column_privilege('service_role', c.oid, a.attnum, 'select'))`,
	`select format('%s may %s %s.%s', r, p, c.relname, a.attname)
		from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
			unnest('{anon,authenticated}'::text[]) r, unnest('{select,insert,update}'::text[]) p
		where has_column_privilege(r, c.oid, a.attnum, p)`,
	`select format('%s may delete %s', r, c.relname)
		from relations c, unnest('{anon,authenticated}'::text[]) r
		where has_table_privilege(r, c.oid, 'delete')`,
	`select format('insert into %s requires %s', c.relname,
			coalesce(string_agg(a.attname, ', ' order by a.attname)
				filter (where a.attnotnull and not a.atthasdef and a.attidentity = ''), 'nothing'))
		from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where has_any_column_privilege('authenticated', c.oid, 'insert')
		group by c.relname`,
	// One more foreign key between two tables makes an embedding ambiguous.
	`select format('%s embeds %s by %s', k.conrelid::regclass, k.confrelid::regclass,
			string_agg(k.conname, ', ' order by k.conname))
		from pg_constraint k
		where k.contype = 'f' and k.conrelid in (select oid from relations)
			and k.confrelid in (select oid from relations)
		group by k.conrelid, k.confrelid`,
	`select format('%s() by %s', f.proname, r)
		from functions f, unnest('{anon,authenticated,service_role}'::text[]) r
		where has_function_privilege(r, f.oid, 'execute')`,
	`select format('%s() takes %s %s', f.proname, x.name, x.type::regtype) from functions f, arguments(f.oid) x
		where x.mode in ('i', 'b', 'v')`,
	`select format('%s() returns %s %s', f.proname, x.name, x.type::regtype) from functions f, arguments(f.oid) x
		where x.mode in ('o', 'b', 't')`,
	`select format('%s() returns %s%s', f.proname, case when f.proretset then 'setof ' else '' end,
			f.prorettype::regtype)
		from functions f`,
	`select format('%s() requires %s', f.proname, coalesce(nullif(array_to_string(array(
			select name from unnest(f.proargnames[:f.pronargs - f.pronargdefaults]) name order by 1), ', '), ''),
			'nothing'))
		from functions f`,
}

const dataSQL = `
	with relations as (
		select c.* from pg_class c
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
			and (has_any_column_privilege('authenticated', c.oid, 'select, insert, update')
				or has_any_column_privilege('service_role', c.oid, 'select, insert, update'))
	),
	functions as (
		select p.* from pg_proc p
		where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
			and (has_function_privilege('authenticated', p.oid, 'execute')
				or has_function_privilege('service_role', p.oid, 'execute'))
	)
	`

// argumentsSQL makes the arguments of a function rows.
const argumentsSQL = `
	create function pg_temp.arguments(f oid) returns table (name text, type oid, mode text) language sql as $$
		select a.name, a.type, coalesce(a.mode, 'i')
		from pg_proc p,
			unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes::text[])
				a (name, type, mode)
		where p.oid = f
	$$`

// listData lists what the data API serves: tables, views, functions, and who may do what with them.
func listData(t *testing.T, s surface) {
	dbtest.New(t).AsOwner(t, func(c *pgx.Conn) {
		_, err := c.Exec(t.Context(), argumentsSQL)
		require.NoError(t, err)
		for _, part := range dataParts {
			part = strings.ReplaceAll(part, " arguments(", " pg_temp.arguments(")
			rows, err := c.Query(t.Context(), dataSQL+part)
			require.NoError(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err, part)
			require.NotEmpty(t, lines, part)
			for _, line := range lines {
				s.addf("%s", line)
			}
		}
	})
}

// everybody is admitted.
type everybody struct{}

func (everybody) AdmitResource(*http.Request, string) (token.Principal, error) {
	return token.Principal{}, nil
}

// listTools lists the tools and prompts of assistants, with their arguments and results.
func listTools(t *testing.T, s surface) {
	handler, err := mcp.New(mcp.Config{PublicURL: "http://example.com"}, mcp.Deps{
		Store: &db.Store{}, Authenticator: everybody{}, Asker: struct{ mcp.Asker }{},
		Answers: struct{ mcp.Answers }{}, Prover: struct{ mcp.Prover }{}, Log: silent(),
		Guide: func(context.Context, *db.Queries, uuid.UUID) (string, error) { return "", nil },
	})
	require.NoError(t, err)
	list := func(kind string) []any {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
			strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "`+kind+`/list"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var answer struct{ Result object }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body.String())
		require.NotEmpty(t, answer.Result[kind], w.Body.String())
		return answer.Result[kind].([]any)
	}
	for _, tool := range list("tools") {
		tool := tool.(object)
		name := fmt.Sprintf("tool %s", tool["name"])
		s.addf("%s", name)
		described{s, tool["inputSchema"].(object), map[string]bool{}}.listSchema(
			name+" input", tool["inputSchema"], true)
		if result, has := tool["outputSchema"].(object); has {
			described{s, result, map[string]bool{}}.listSchema(name+" output", result, false)
		}
	}
	for _, prompt := range list("prompts") {
		prompt := prompt.(object)
		arguments, _ := prompt["arguments"].([]any)
		var required []string
		for _, argument := range arguments {
			argument := argument.(object)
			s.addf("prompt %s takes %s", prompt["name"], argument["name"])
			if argument["required"] == true {
				required = append(required, argument["name"].(string))
			}
		}
		s.addf("prompt %s requires %s", prompt["name"], listed(required))
	}
}
