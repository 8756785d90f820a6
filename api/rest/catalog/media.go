package catalog

// A MediaHandler produces responses of a media type: an aggregate over the rows of a table or of anything, or
// a function that returns the media type itself.
type MediaHandler struct {
	Schema    string // of the handler
	Function  string // the aggregate's qualified name; empty if a function returns the media type itself
	ForSchema string // of the table or function that it serves
	ForName   string
	Any       bool   // an aggregate over rows of any table
	Scalar    bool   // a function that returns the media type itself
	Name      string // the media type as a request names it, in lower case; */* is any
	Media     string // the media type of the response
	Bytes     bool   // it returns bytea
}

// A mediaKey identifies what a handler serves: a table, a function or anything, and a media type.
type mediaKey struct{ schema, name, media string }

// MediaHandler returns the handler of a media type for a table or function alone, or nil.
func (c *Catalog) MediaHandler(schema, name, media string) *MediaHandler {
	return c.media[mediaKey{schema, name, media}]
}

// CommonMediaHandler returns the handler of a media type for the rows of anything, or nil.
func (c *Catalog) CommonMediaHandler(media string) *MediaHandler {
	return c.media[mediaKey{media: media}]
}

func (c *Catalog) addMediaHandler(h MediaHandler) {
	key := mediaKey{h.ForSchema, h.ForName, h.Name}
	if h.Any {
		key = mediaKey{media: h.Name}
	}
	c.media[key] = &h
}

// mediaSQL reads the aggregates and functions that return a domain whose name is a media type.
const mediaSQL = domainsSQL + `,
media as (
  select t.oid,
    lower(t.typname) as name,
    case t.typname when '*/*' then 'application/octet-stream' else t.typname end as resolved,
    b.base = 'bytea'::regtype as bytes
  from pg_type t
  join bases b on b.oid = t.oid
  where t.typbasetype <> 0 and (t.typname ~ '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$' or t.typname = '*/*'))
select coalesce(json_agg(h), '[]')
from (
  select n.nspname as "Schema",
    format('%I.%I', n.nspname, p.proname) as "Function",
    an.nspname as "ForSchema",
    a.typname as "ForName",
    a.oid = 'anyelement'::regtype as "Any",
    false as "Scalar",
    m.name as "Name",
    m.resolved as "Media",
    m.bytes as "Bytes"
  from media m
  join pg_proc p on p.prorettype = m.oid
  join pg_namespace n on n.oid = p.pronamespace
  join pg_aggregate g on g.aggfnoid = p.oid
  join pg_type a on a.oid = p.proargtypes[0]
  join pg_namespace an on an.oid = a.typnamespace
  where p.pronargs = 1 and (a.typtype = 'c' or a.oid = 'anyelement'::regtype)
  union all
  select n.nspname, '', n.nspname, p.proname, false, true, m.name, m.resolved, m.bytes
  from media m
  join pg_proc p on p.prorettype = m.oid
  join pg_namespace n on n.oid = p.pronamespace
  where p.prokind = 'f' and not p.proretset
) h`
