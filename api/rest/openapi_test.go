package rest_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/db/dbtest"
)

// A tree is a JSON value whose parts are found by their path.
type tree struct {
	t     testing.TB
	value any
}

func parse(t testing.TB, body string) tree {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(body), &v), "%.300s", body)
	return tree{t, v}
}

// at follows the names. A missing value is nil.
func (n tree) at(path ...string) any {
	v := n.value
	for _, name := range path {
		object, is := v.(map[string]any)
		if !is {
			return nil
		}
		v = object[name]
	}
	return v
}

// references are the values of all $ref.
func references(v any) []string {
	var list []string
	switch v := v.(type) {
	case map[string]any:
		for name, one := range v {
			if to, is := one.(string); is && name == "$ref" {
				list = append(list, to)
			}
			list = append(list, references(one)...)
		}
	case []any:
		for _, one := range v {
			list = append(list, references(one)...)
		}
	}
	return list
}

// requireSound requires that every reference of a document leads somewhere, and that operations have
// different ids.
func requireSound(t *testing.T, doc tree) {
	t.Helper()
	all := references(doc.value)
	require.NotEmpty(t, all)
	for _, to := range all {
		path, inside := strings.CutPrefix(to, "#/")
		require.True(t, inside, to)
		path, err := url.PathUnescape(path)
		require.NoError(t, err)
		names := strings.Split(path, "/")
		for i, name := range names {
			names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
		require.NotNil(t, doc.at(names...), to)
	}
	seen := map[any]string{}
	for path, item := range doc.at("paths").(map[string]any) {
		for method, operation := range item.(map[string]any) {
			if id := operation.(map[string]any)["operationId"]; id != nil {
				require.Empty(t, seen[id], "%s %s has the operationId of another: %v", method, path, id)
				seen[id] = path
			}
		}
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	e := begin(t, func(_ *rest.Config, d *dbtest.DB) {
		d.Exec(t, `create table "odd name/{x}" (
			id bigint generated always as identity primary key,
			"order" text,
			n smallint default 7,
			at timestamptz not null default now(),
			kind text not null default 'it''s',
			tags text[] not null default '{}',
			limited varchar(5),
			whole jsonb not null default '{"a": 1}')`)
		d.Exec(t,
			`grant select, delete on "odd name/{x}" to authenticated;
			grant insert (n), update (n, kind) on "odd name/{x}" to authenticated`)
		d.Exec(t,
			`comment on table "odd name/{x}" is E'An odd table\n\nin every way';
			comment on column "odd name/{x}".n is 'a number'`)
		d.Exec(t,
			`create function add_them(a int, b int default 2) returns int stable language sql as 'select $1 + $2';
			comment on function add_them is 'Adds'`)
		d.Exec(t,
			`create function add_them(a int, b int, c int) returns bigint stable language sql as
				'select $1 + $2 + $3'`)
		d.Exec(t,
			`create function take(json) returns void language sql as 'select';
			create function hidden() returns int language sql as 'select 1'`)
		d.Exec(t,
			`grant execute on function add_them(int, int), add_them(int, int, int), take(json) to authenticated`)
	})
	user := e.as(t, e.Owner)
	answered := user.get("/", "Accept", "application/openapi+json;version=3.1")
	require.Equal(t, http.StatusOK, answered.status, answered.body)
	require.Equal(t, "application/openapi+json; version=3.1; charset=utf-8", answered.header.Get("Content-Type"))
	doc := parse(t, answered.body)
	requireSound(t, doc)
	require.Equal(t, "3.1.0", doc.at("openapi"))

	t.Run("a table has what the role may do", func(t *testing.T) {
		t.Parallel()
		const path, name = "/odd name%2F%7Bx%7D", "odd-20-name-2f--7b-x-7d-"
		require.Equal(t, "An odd table", doc.at("paths", path, "get", "summary"))
		require.Equal(t, "in every way", doc.at("paths", path, "get", "description"))
		for _, method := range []string{"get", "post", "patch", "delete", "put"} {
			require.NotNil(t, doc.at("paths", path, method), method)
		}
		row := doc.at("components", "schemas", name).(map[string]any)
		require.Equal(t, []any{"id"}, row["x-primary-key"])
		properties := row["properties"].(map[string]any)
		require.Equal(t, map[string]any{"type": "integer", "format": "int64", "readOnly": true, "x-type": "bigint"},
			properties["id"])
		require.Equal(t,
			map[string]any{
				"type": []any{"integer", "null"}, "format": "int32", "default": 7.0, "description": "a number",
				"x-type": "smallint",
			},
			properties["n"])
		require.Equal(t,
			map[string]any{"type": "string", "format": "date-time", "x-type": "timestamp with time zone"},
			properties["at"])
		require.Equal(t, map[string]any{"type": "string", "default": "it's", "x-type": "text"}, properties["kind"])
		require.Equal(t,
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "x-type": "text[]"},
			properties["tags"])
		require.Equal(t,
			map[string]any{"type": []any{"string", "null"}, "maxLength": 5.0, "x-type": "character varying(5)"},
			properties["limited"])
		require.Equal(t, map[string]any{"default": map[string]any{"a": 1.0}, "x-type": "jsonb"},
			properties["whole"])
		require.Len(t, doc.at("components", "schemas", name+".insert", "properties"), 1)
		require.Len(t, doc.at("components", "schemas", name+".update", "properties"), 2)
		require.Nil(t, doc.at("components", "parameters", name+".filter.order"),
			"a column of a parameter's name cannot be filtered")
	})

	t.Run("the product's tables", func(t *testing.T) {
		t.Parallel()
		status := doc.at("components", "schemas", "hypotheses", "properties", "status").(map[string]any)
		require.Equal(t, []any{"untested", "testing", "validated", "invalidated", "inconclusive", "parked"},
			status["enum"])
		require.Contains(t, doc.at("components", "schemas", "hypotheses", "x-related"),
			map[string]any{"resource": "projects", "cardinality": "one", "hint": "hypotheses_project_id_fkey"})
		require.Contains(t, doc.at("components", "schemas", "projects.insert", "required"), "name")
		require.NotNil(t, doc.at("paths", "/imports", "get"))
		require.Nil(t, doc.at("paths", "/imports", "post"), "clients do not write imports")
	})

	t.Run("functions", func(t *testing.T) {
		t.Parallel()
		get := doc.at("paths", "/rpc/add_them", "get", "parameters").([]any)
		require.Len(t, get, 3)
		require.Equal(t,
			map[string]any{
				"name": "a", "in": "query", "required": true,
				"schema": map[string]any{"type": "integer", "format": "int32"},
			},
			get[0])
		require.Equal(t, false, get[1].(map[string]any)["required"], "b has a default in one of them")
		require.Len(t,
			doc.at("paths", "/rpc/add_them", "post", "requestBody", "content", "application/json", "schema", "anyOf"),
			2)
		require.NotNil(t, doc.at("paths", "/rpc/take", "post", "responses", "204"))
		require.Nil(t, doc.at("paths", "/rpc/take", "get"))
		require.Nil(t, doc.at("paths", "/rpc/hidden"))
	})

	t.Run("whoever has not signed in reads what signed-in users can do", func(t *testing.T) {
		t.Parallel()
		anon := e.asAnon(t).get("/")
		require.Equal(t, http.StatusOK, anon.status)
		require.Equal(t, user.get("/").body, anon.body)
		require.Contains(t, anon.body, "add_them")
	})

	t.Run("2.0 as PostgREST's clients ask for it", func(t *testing.T) {
		t.Parallel()
		old := user.get("/", "Accept", "application/json")
		require.Equal(t, "application/openapi+json; charset=utf-8", old.header.Get("Content-Type"))
		swagger := parse(t, old.body)
		requireSound(t, swagger)
		require.Equal(t, "2.0", swagger.at("swagger"))
		require.Equal(t, "a number", swagger.at("definitions", "odd name/{x}", "properties", "n", "description"))
	})

	t.Run("negotiation", func(t *testing.T) {
		t.Parallel()
		for accept, want := range map[string]string{
			"application/json":                     "2.0",
			"application/openapi+json":             "2.0",
			"application/openapi+json;version=3.1": "3.1.0",
			"application/vnd.oai.openapi+json":     "3.1.0",
			"text/html, */*;q=0.1":                 "2.0",
		} {
			answer := parse(t, user.get("/", "Accept", accept).body)
			require.Equal(t, want, cmp.Or(answer.at("openapi"), answer.at("swagger")), accept)
		}
		require.Equal(t, "PGRST107", user.get("/", "Accept", "text/csv").code())
		require.Equal(t, http.StatusMethodNotAllowed, user.do(http.MethodPost, "/", "{}").status)
		head := user.do(http.MethodHead, "/", "")
		require.Equal(t, http.StatusOK, head.status)
		require.Empty(t, head.body)
	})
}
