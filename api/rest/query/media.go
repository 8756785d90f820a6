package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The media types of the grammar.
const (
	TypeJSON     = "application/json"
	TypeGeoJSON  = "application/geo+json"
	TypeCSV      = "text/csv"
	TypeText     = "text/plain"
	TypeXML      = "text/xml"
	TypeOpenAPI  = "application/openapi+json"
	TypeSingular = "application/vnd.pgrst.object+json"
	TypeArray    = "application/vnd.pgrst.array+json"
	TypePlan     = "application/vnd.pgrst.plan"
	TypeBinary   = "application/octet-stream"
	TypeForm     = "application/x-www-form-urlencoded"
	TypeAny      = "*/*"
)

// The older names of types.
const (
	typeSingularOld = "application/vnd.pgrst.object"
	typeArrayOld    = "application/vnd.pgrst.array"
)

// A MediaType is one that a client accepts or sends. The name of an unknown type includes the parameters as
// they were sent.
type MediaType struct {
	Name     string
	Options  map[string]string
	Stripped bool     // members that are null are left out
	Explain  *Explain // of TypePlan
}

// An Explain requests PostgreSQL's plan instead of the data.
type Explain struct {
	For     MediaType // the answer's media type
	JSON    bool      // otherwise text
	Options []string  // of EXPLAIN
}

// The options of EXPLAIN that a client may ask for.
var explainOptions = []string{"analyze", "verbose", "settings", "buffers", "wal"}

// ParseMediaType reads a media type with its parameters.
func ParseMediaType(text string) MediaType {
	parts := splitUnquoted(strings.TrimSpace(text), ';')
	options := map[string]string{}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		options[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	name := strings.ToLower(strings.TrimSpace(parts[0]))
	stripped := options["nulls"] == "stripped"
	switch name {
	case TypeJSON, TypeGeoJSON, TypeCSV, TypeText, TypeXML, TypeOpenAPI, TypeForm, TypeBinary, TypeAny:
		return MediaType{Name: name, Options: options}
	case TypeSingular, typeSingularOld:
		return MediaType{Name: TypeSingular, Stripped: stripped}
	case TypeArray, typeArrayOld:
		if stripped {
			return MediaType{Name: TypeArray, Stripped: true}
		}
		return MediaType{Name: TypeJSON}
	case TypePlan, TypePlan + "+text", TypePlan + "+json":
		return MediaType{Name: TypePlan, Explain: parseExplain(name, options)}
	}
	return MediaType{Name: strings.TrimSpace(text), Options: options}
}

func parseExplain(name string, options map[string]string) *Explain {
	e := &Explain{JSON: strings.HasSuffix(name, "json"), For: MediaType{Name: TypeJSON}}
	if of, given := options["for"]; given {
		e.For = ParseMediaType(of)
	}
	asked := strings.Split(options["options"], "|")
	for _, known := range explainOptions {
		if slices.Contains(asked, known) {
			e.Options = append(e.Options, known)
		}
	}
	return e
}

func (m MediaType) String() string {
	switch {
	case m.Explain != nil:
		return m.Explain.mediaType()
	case m.Stripped:
		return m.Name + ";nulls=stripped"
	}
	return m.Name
}

func (e *Explain) mediaType() string {
	text := TypePlan + "+text"
	if e.JSON {
		text = TypePlan + "+json"
	}
	text += `; for="` + e.For.String() + `"`
	if len(e.Options) > 0 {
		text += "; options=" + strings.Join(e.Options, "|")
	}
	return text
}

// ContentType is the value of an answer's Content-Type header.
func (m MediaType) ContentType() string {
	switch m.Name {
	case TypeJSON, TypeGeoJSON, TypeCSV, TypeText, TypeXML, TypeOpenAPI, TypeSingular, TypeArray, TypePlan:
		return m.String() + "; charset=utf-8"
	}
	return m.String()
}

// An accepted media type has a quality from 0 to 1. It is more specific the fewer wildcards and the more
// parameters it has.
type accepted struct {
	MediaType
	quality     float64
	specificity int
}

// parseAccept reads the lines of an Accept header, and returns the best type first: by quality, then by
// specificity.
func parseAccept(lines []string) []MediaType {
	var list []accepted
	for text := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, parseAccepted(text))
		}
	}
	slices.SortStableFunc(list, func(a, b accepted) int {
		return cmp.Or(cmp.Compare(b.quality, a.quality), cmp.Compare(b.specificity, a.specificity))
	})
	if len(list) == 0 {
		return []MediaType{{Name: TypeAny}}
	}
	var types []MediaType
	for _, a := range list {
		types = append(types, a.MediaType)
	}
	return types
}

func parseAccepted(text string) accepted {
	a := accepted{quality: 1}
	parts := splitUnquoted(text, ';')
	kept := parts[:1]
	for _, part := range parts[1:] {
		number, isQuality := strings.CutPrefix(strings.TrimSpace(part), "q=")
		if !isQuality {
			kept = append(kept, part)
		} else if q, err := strconv.ParseFloat(number, 64); err == nil {
			a.quality = q
		}
	}
	a.MediaType = ParseMediaType(strings.Join(kept, ";"))
	a.specificity = len(kept) - strings.Count(kept[0], "*")
	return a
}

// splitUnquoted splits a string at a byte, but not within quotes.
func splitUnquoted(s string, at byte) []string {
	var parts []string
	quoted := false
	start := 0
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == at && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
