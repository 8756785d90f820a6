package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"research/api/token"
)

// OpenAPI says what the root answers; names in parentheses are PostgREST's.
type OpenAPI struct {
	Mode      string // "": what the caller's role may use; OpenAPIAll, OpenAPIOff (openapi-mode)
	Swagger   bool   // clients that ask for no version get 2.0, as PostgREST gives it; else 3.1
	Security  bool   // 2.0 says that a token is wanted (openapi-security-active); 3.1 always does
	PublicURL string // where clients reach the root (openapi-server-proxy-uri); may be empty
	Root      string // a function that answers instead (db-root-spec)
}

// The values of OpenAPI.Mode beside the default.
const (
	OpenAPIAll = "ignore-privileges"
	OpenAPIOff = "disabled"
)

// privileges are what the caller may do in a schema.
type privileges struct {
	Comment  string                // of the schema
	Tables   map[string]tableGrant // by name
	Routines []string              // OIDs
}

type tableGrant struct {
	Select, Insert, Update, Delete bool
	Columns                        map[string]columnGrant
}

type columnGrant struct{ Select, Insert, Update bool }

// privilegesSQL asks as the caller; $1 is the schema, $2 whether everything is shown.
const privilegesSQL = `
select json_build_object(
  'Comment', coalesce(obj_description(n.oid, 'pg_namespace'), ''),
  'Tables', (select coalesce(json_object_agg(c.relname, json_build_object(
      'Select', $2::bool or has_any_column_privilege(c.oid, 'SELECT'), 'Insert', $2::bool or has_any_column_privilege(c.oid, 'INSERT'),
      'Update', $2::bool or has_any_column_privilege(c.oid, 'UPDATE'), 'Delete', $2::bool or has_table_privilege(c.oid, 'DELETE'),
      'Columns', (select coalesce(json_object_agg(a.attname, json_build_object('Select', $2::bool or has_column_privilege(c.oid, a.attnum, 'SELECT'),
          'Insert', $2::bool or has_column_privilege(c.oid, a.attnum, 'INSERT'), 'Update', $2::bool or has_column_privilege(c.oid, a.attnum, 'UPDATE'))), '{}')
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))), '{}')
    from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'v', 'm', 'f', 'p') and ($2::bool or has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
      or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))),
  'Routines', (select coalesce(json_agg(p.oid::text), '[]') from pg_proc p where p.pronamespace = n.oid and ($2::bool or has_function_privilege(p.oid, 'EXECUTE'))))
from pg_namespace n where n.nspname = $1::text`

// openAPI answers the root: what there is, as OpenAPI.
func (h *Handler) openAPI(w http.ResponseWriter, r *http.Request, q *request) error {
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", "OPTIONS,GET,HEAD")
		w.WriteHeader(http.StatusOK)
		return nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return failure(http.StatusMethodNotAllowed, "PGRST117", "Unsupported HTTP method: "+r.Method)
	}
	if h.cfg.OpenAPI.Mode == OpenAPIOff {
		return failure(http.StatusNotFound, "PGRST126", "Root endpoint metadata is disabled")
	}
	contentType, swagger, err := h.cfg.OpenAPI.negotiate(q)
	if err != nil {
		return err
	}
	s := h.schema.Load()
	granted, err := h.privileges(r, q)
	if err != nil {
		return err
	}
	d := &document{cfg: &h.cfg, schema: s, name: q.schema, privileges: granted}
	var spec object
	if swagger {
		spec = d.swagger()
	} else {
		spec = d.openAPI()
	}
	body, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("write the description of the API: %w", err)
	}
	head := w.Header()
	head.Set("Content-Type", contentType)
	head.Set("Vary", "Accept, Authorization")
	if q.profiled {
		head.Set("Content-Profile", q.schema)
	}
	if r.Method == http.MethodGet {
		head.Set("Content-Length", fmt.Sprint(len(body)))
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client may be gone
	}
	return nil
}

// negotiate chooses the version by what a client accepts: application/openapi+json without a version is PostgREST's 2.0.
func (o *OpenAPI) negotiate(q *request) (contentType string, swagger bool, err error) {
	const modern = typeOpenAPI + "; version=3.1; charset=utf-8"
	var names []string
	for _, m := range q.accept {
		names = append(names, m.name)
		switch m.name {
		case typeOpenAPI:
			if strings.HasPrefix(m.options["version"], "3") {
				return modern, false, nil
			}
			return typeOpenAPI + "; charset=utf-8", true, nil
		case "application/vnd.oai.openapi+json":
			return modern, false, nil
		case typeJSON, typeAny, "application/*":
			switch {
			case o.Swagger:
				return typeOpenAPI + "; charset=utf-8", true, nil
			case m.name == typeJSON:
				return typeJSON + "; charset=utf-8", false, nil
			}
			return modern, false, nil
		}
	}
	return "", false, failure(http.StatusNotAcceptable, "PGRST107", "None of these media types are available: "+strings.Join(names, ", "))
}

func (h *Handler) privileges(r *http.Request, q *request) (privileges, error) {
	b := &builder{}
	b.param(q.schema)
	b.param(fmt.Sprint(h.cfg.OpenAPI.Mode == OpenAPIAll))
	var granted privileges
	subject := token.From(r.Context())
	rows, err := h.store.Run(r.Context(), subject, h.statement(r, q, b, privilegesSQL, true), nil)
	if err != nil {
		return granted, h.sqlError(err, subject)
	}
	if len(rows.Values) == 0 {
		return granted, nil // a schema that is exposed but not there
	}
	if err := json.Unmarshal(rows.Values[0][0], &granted); err != nil {
		return granted, fmt.Errorf("understand the privileges: %w", err)
	}
	return granted, nil
}

// A document describes one schema to one role.
type document struct {
	cfg        *Config
	schema     *schema
	name       string
	privileges privileges
}

// tables are those that the role may use, by name.
func (d *document) tables() []*table {
	var list []*table
	for _, t := range d.schema.tables[d.name] {
		if _, granted := d.privileges.Tables[t.Name]; granted {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *table) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// routines are those that the role may call, by name; overloaded ones share it.
func (d *document) routines() (names []string, byName map[string][]*routine) {
	byName = map[string][]*routine{}
	for name, list := range d.schema.routines[d.name] {
		for _, r := range list {
			if slices.Contains(d.privileges.Routines, r.OID) && r.ReturnType != "trigger" && r.ReturnType != "event_trigger" && r.callable() {
				byName[name] = append(byName[name], r)
			}
		}
		if byName[name] != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, byName
}

// callable tells whether HTTP can name the function's arguments: all have names, or the only one is the body.
func (r *routine) callable() bool {
	unnamed := 0
	for _, p := range r.Parameters {
		if p.Name == "" {
			unnamed++
		}
	}
	return unnamed == 0 || r.unnamed()
}

// unnamed tells whether the function's only argument is the body as a whole.
func (r *routine) unnamed() bool {
	return len(r.Parameters) == 1 && r.Parameters[0].Name == "" && slices.Contains([]string{"bytea", "json", "jsonb", "text", "xml"}, r.Parameters[0].Type)
}

// foreignKey is what a column refers to by itself, tables before views; nil without one.
func (d *document) foreignKey(t *table, name string) *relation {
	var found *relation
	for _, r := range d.schema.relations[t] {
		if r.forward && len(r.columns) == 1 && r.columns[0][0] == name && (found == nil || found.target.IsView && !r.target.IsView) {
			found = r
		}
	}
	return found
}

// title cuts a comment into a summary, its first line, and a description, the rest.
func title(comment string) (summary, description string) {
	summary, description, _ = strings.Cut(comment, "\n")
	return summary, strings.TrimLeft(description, "\n")
}

// An object is a JSON object whose members stay in order. Members whose value is nil, or an empty string, list or object, are left out.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range o {
		switch v := m.value.(type) {
		case nil:
			continue
		case string:
			if v == "" {
				continue
			}
		case []string:
			if len(v) == 0 {
				continue
			}
		case []object:
			if len(v) == 0 {
				continue
			}
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

func reference(to string) object { return object{{"$ref", to}} }

// pointer escapes a name within a JSON pointer (RFC 6901) that stands in a URI.
func pointer(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
