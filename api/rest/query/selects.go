package query

import (
	"fmt"
	"slices"
	"strings"
)

// How deep resources may be embedded and conditions nested, and how many resources there may be. PostgreSQL
// plans each resource as a join, and takes longer to plan a thousand of them than to run them.
const (
	maxDepth  = 20
	maxEmbeds = 100
)

const (
	selectParameter = "select parameter"
	fieldName       = "field name (* or [a..z0..9_$])"
)

var aggregates = []string{"sum", "avg", "count", "max", "min"}

// parseSelect reads ?select= into a resource.
func parseSelect(value string, into *Resource) error {
	s := &scanner{parameter: selectParameter, text: value}
	if err := s.items(into, 0); err != nil {
		return err
	}
	if strings.Trim(value[s.at:], ")") != "" { // PostgREST ignores closing parentheses at the end
		return s.fail("")
	}
	return nil
}

// items reads fields and embedded resources between commas.
func (s *scanner) items(into *Resource, depth int) error {
	if depth > maxDepth {
		return syntaxError(s.parameter, s.text, s.at, "resources are embedded too deeply")
	}
	if s.done() || s.peek() == ')' {
		return nil
	}
	for {
		if err := s.item(into, depth); err != nil {
			return err
		}
		if !s.take(",") {
			return nil
		}
	}
}

// item reads *, alias:column->path::type.aggregate()::type or ...alias:resource!hint!inner(…).
func (s *scanner) item(into *Resource, depth int) error {
	if s.take(Star) {
		into.Fields = append(into.Fields, Field{Column: Column{Name: Star}})
		return nil
	}
	spread := s.take("...")
	start := s.at
	alias, name, err := s.aliased()
	if err != nil {
		return err
	}
	afterName := s.at
	child := &Resource{Name: name, Alias: alias, Spread: spread}
	if err := s.hints(child); err != nil {
		return err
	}
	isCount := name == "count" && s.next("()") && s.at == afterName
	switch {
	case s.next("(") && !isCount:
		return s.embed(into, child, depth)
	case spread || s.at != afterName: // a field has neither
		s.at = start
		return s.failAt(afterName, "")
	}
	field, err := s.field(alias, name)
	if err != nil {
		return err
	}
	into.Fields = append(into.Fields, field)
	return nil
}

// aliased reads alias:name, or a name.
func (s *scanner) aliased() (alias, name string, err error) {
	name, ok := s.name()
	if ok && s.peek() == ':' && !s.next("::") {
		s.at++
		alias = name
		name, ok = s.name()
	}
	if !ok {
		return "", "", s.fail(fieldName)
	}
	return alias, name, nil
}

// hints reads !hint, !inner and !left, which is the default.
func (s *scanner) hints(into *Resource) error {
	for s.take("!") {
		hint, ok := s.name()
		if !ok {
			return s.fail("")
		}
		switch hint {
		case "inner":
			into.Inner = true
		case "left":
		default:
			into.Hint = hint
		}
	}
	return nil
}

// embed reads (…) after the name of an embedded resource.
func (s *scanner) embed(into, child *Resource, depth int) error {
	s.at++
	if s.embeds++; s.embeds > maxEmbeds {
		problem := fmt.Sprintf("more than %d resources are embedded", maxEmbeds)
		return syntaxError(s.parameter, s.text, s.at, problem)
	}
	if err := s.items(child, depth+1); err != nil {
		return err
	}
	if !s.take(")") {
		return s.fail(`"," or ")"`)
	}
	into.Embeds = append(into.Embeds, child)
	return nil
}

// field reads what follows the name of a column.
func (s *scanner) field(alias, name string) (Field, error) {
	f := Field{Column: Column{Name: name}, Alias: alias}
	var err error
	if name == "count" && s.take("()") {
		f.Name, f.Aggregate = Star, "count"
		f.AggregateCast, err = s.cast()
		return f, err
	}
	var ok bool
	if f.Path, ok = s.jsonPath(); !ok {
		return f, s.fail("")
	}
	if f.Cast, err = s.cast(); err != nil {
		return f, err
	}
	if s.take(".") {
		f.Aggregate, _ = s.name()
		if !slices.Contains(aggregates, f.Aggregate) || !s.take("()") {
			return f, s.fail("an aggregate: sum(), avg(), count(), max() or min()")
		}
		if f.AggregateCast, err = s.cast(); err != nil {
			return f, err
		}
	}
	if !s.done() && s.peek() != ',' && s.peek() != ')' {
		return f, s.fail("")
	}
	return f, nil
}

// cast reads ::type.
func (s *scanner) cast() (TypeName, error) {
	if !s.take("::") {
		return TypeName{}, nil
	}
	return parseTypeName(strings.TrimSpace(s.until(",).(")))
}

// keywords are names of types that are keywords of SQL's grammar. In quotes they would be names of other
// types.
var keywords = []string{
	"int", "integer", "smallint", "bigint", "decimal", "numeric", "real", "double", "float", "boolean", "bit",
	"char", "character", "varchar", "time", "timestamp", "interval", "dec", "national", "nchar",
}

// catalogTypes are the types whose values are names of PostgreSQL's catalog: a cast to one looks the name up,
// and reveals whether an object exists that the caller has no right to.
var catalogTypes = []string{
	"regclass", "regcollation", "regconfig", "regdictionary", "regnamespace", "regoper", "regoperator",
	"regproc",
	"regprocedure", "regrole", "regtype", "regdatabase",
}

// parseTypeName rejects what does not name a type: this is the only text of a client that becomes part of the
// SQL.
func parseTypeName(text string) (TypeName, error) {
	name, isArray := strings.CutSuffix(text, "[]")
	words := strings.Fields(name)
	t := TypeName{Words: words, Array: isArray}
	t.Keyword = len(words) > 0 && slices.Contains(keywords, strings.ToLower(words[0]))
	const mostWords = 4 // timestamp with time zone
	named := len(words) > 0 && len(words) <= mostWords && (len(words) == 1 || t.Keyword) &&
		!strings.ContainsFunc(name, isForeignToTypes)
	switch {
	case text == "":
		return TypeName{}, nil
	case !named:
		return TypeName{}, syntaxError(selectParameter, text, 0, "a cast names a type")
	case slices.Contains(catalogTypes, strings.ToLower(words[0])):
		return TypeName{}, syntaxError(selectParameter, text, 0, "a cast to this type is not allowed")
	}
	return t, nil
}

// isForeignToTypes reports whether a type's name cannot hold the character.
func isForeignToTypes(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != ' '
}
