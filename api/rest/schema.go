package rest

import (
	"strings"

	"research/db"
)

// A schema is what the database offers: loaded at once, and never changed after.
type schema struct {
	tables    map[string]map[string]*table     // by schema and name
	routines  map[string]map[string][]*routine // by schema and name
	relations map[*table][]*relation
	computed  map[*table][]*relation // functions that embed
	casts     map[[2]string]string   // of domains to and from text and json: by source and target type, the function
	handlers  map[handlerKey]*handler
	settings  map[string][]db.Setting // of roles
}

// A table is a table or a view.
type table struct {
	Schema, Name string
	Comment      string
	IsView       bool
	Insertable   bool
	Updatable    bool
	Deletable    bool
	Columns      []*tableColumn
	Key          []string
	byName       map[string]*tableColumn
}

func (t *table) sql() string { return quote(t.Schema) + "." + quote(t.Name) }

type tableColumn struct {
	Name, Comment string
	Type          string // as format_type gives it
	BaseType      string // of a domain
	Nullable      bool
	Default       string
	MaxLength     int
	Enum          []string
	Generated     bool
}

// A relation embeds target in source.
type relation struct {
	source, target *table
	constraint     string
	columns        [][2]string // of source and target
	toOne          bool
	oneToOne       bool // the key is unique: one on both sides
	forward        bool // the source holds the key
	many           *junction
	function       *routine // a computed relationship
	self           bool
}

// A junction is the table in the middle of a many-to-many relationship.
type junction struct {
	table                  *table
	constraint1            string
	constraint2            string
	sourceSide, targetSide [][2]string // column of source or target, column of the junction
}

// A routine is a function.
type routine struct {
	Schema, Name, Comment string
	OID                   string
	Parameters            []parameter
	ReturnType            string
	ReturnSchema          string
	ReturnTable           string // of a composite type
	Set                   bool
	Scalar                bool
	Void                  bool
	Volatile              bool
	Variadic              bool
	Callable              bool // by the API: named parameters, or a single one that takes the body
	Settings              []db.Setting
	Single                bool // a to-one computed relationship: ROWS 1
}

type parameter struct {
	Name, Type string
	Longest    string // the type for an argument of any length: bit would cut it
	Required   bool
	Variadic   bool
	OfSchema   string // where the type is a table's: its schema and name
	OfTable    string
}

func (r *routine) sql() string { return quote(r.Schema) + "." + quote(r.Name) }

// A handler makes an answer of a media type: an aggregate over a table's rows (or any), or a function that returns the type itself.
type handler struct {
	function string // of an aggregate, quoted
	cast     string // of an aggregate over one table: its row type
	scalar   bool
	media    string
	bytes    bool // it gives bytea
}

// A handlerKey is what a handler is for: a table or function by schema and name (or "" for any), and a media type.
type handlerKey struct{ schema, name, media string }

// quote makes an identifier of a name from the catalogue.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteLiteral makes a string of a name from the catalogue.
func quoteLiteral(name string) string {
	quoted := "'" + strings.ReplaceAll(name, "'", "''") + "'"
	if strings.Contains(quoted, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}
