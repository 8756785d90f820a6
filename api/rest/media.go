package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// headerCut tells how many rows one answer may hold, where more would have matched; PostgREST cuts in silence.
const headerCut = "X-Rows-Cut"

// The media types that we know.
const (
	typeJSON        = "application/json"
	typeGeoJSON     = "application/geo+json"
	typeCSV         = "text/csv"
	typeText        = "text/plain"
	typeXML         = "text/xml"
	typeOpenAPI     = "application/openapi+json"
	typeSingular    = "application/vnd.pgrst.object+json"
	typeSingularOld = "application/vnd.pgrst.object"
	typeArray       = "application/vnd.pgrst.array+json"
	typeArrayOld    = "application/vnd.pgrst.array"
	typePlan        = "application/vnd.pgrst.plan"
	typeBinary      = "application/octet-stream"
	typeForm        = "application/x-www-form-urlencoded"
	typeAny         = "*/*"
)

// A mediaType is one that a client accepts or sends. Of the types that we do not know, the name has the parameters too, as they were given.
type mediaType struct {
	name     string
	options  map[string]string
	stripped bool  // members that are null are left out
	plan     *plan // of application/vnd.pgrst.plan
}

// A plan is how PostgreSQL explains what it would do instead of an answer.
type plan struct {
	of      mediaType
	json    bool // else text
	options []string
}

// The options of EXPLAIN that a client may ask for.
var planOptions = []string{"analyze", "verbose", "settings", "buffers", "wal"}

// decodeMedia reads a media type.
func decodeMedia(text string) mediaType {
	parts := splitUnquoted(strings.TrimSpace(text), ';')
	options := map[string]string{}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		options[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	name := strings.ToLower(strings.TrimSpace(parts[0]))
	stripped := options["nulls"] == "stripped"
	switch name {
	case typeJSON, typeGeoJSON, typeCSV, typeText, typeXML, typeOpenAPI, typeForm, typeBinary, typeAny:
		return mediaType{name: name, options: options}
	case typeSingular, typeSingularOld:
		return mediaType{name: typeSingular, stripped: stripped}
	case typeArray, typeArrayOld:
		if stripped {
			return mediaType{name: typeArray, stripped: true}
		}
		return mediaType{name: typeJSON}
	case typePlan, typePlan + "+text", typePlan + "+json":
		p := &plan{json: strings.HasSuffix(name, "json"), of: mediaType{name: typeJSON}}
		if of, given := options["for"]; given {
			p.of = decodeMedia(of)
		}
		wanted := strings.Split(options["options"], "|")
		for _, known := range planOptions {
			if slices.Contains(wanted, known) {
				p.options = append(p.options, known)
			}
		}
		return mediaType{name: typePlan, plan: p}
	}
	return mediaType{name: strings.TrimSpace(text), options: options}
}

func (m mediaType) String() string {
	if p := m.plan; p != nil {
		text := typePlan + "+text"
		if p.json {
			text = typePlan + "+json"
		}
		text += `; for="` + p.of.String() + `"`
		if len(p.options) > 0 {
			text += "; options=" + strings.Join(p.options, "|")
		}
		return text
	}
	if m.stripped {
		return m.name + ";nulls=stripped"
	}
	return m.name
}

// contentType is the header of an answer.
func (m mediaType) contentType() string {
	switch m.name {
	case typeJSON, typeGeoJSON, typeCSV, typeText, typeXML, typeOpenAPI, typeSingular, typeArray, typePlan:
		return m.String() + "; charset=utf-8"
	}
	return m.String()
}

// readAccept lists what a client accepts: by quality, then the more specific first.
func readAccept(h http.Header) []mediaType {
	type accepted struct {
		mediaType
		quality     float64
		specificity int
	}
	var list []accepted
	for one := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		a := accepted{quality: 1}
		parts := splitUnquoted(one, ';')
		kept := parts[:1]
		for _, part := range parts[1:] {
			if text, is := strings.CutPrefix(strings.TrimSpace(part), "q="); is {
				if q, err := strconv.ParseFloat(text, 64); err == nil {
					a.quality = q
				}
				continue
			}
			kept = append(kept, part)
		}
		a.mediaType = decodeMedia(strings.Join(kept, ";"))
		a.specificity = len(kept) - strings.Count(kept[0], "*")
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b accepted) int {
		switch {
		case a.quality > b.quality || a.quality == b.quality && a.specificity > b.specificity:
			return -1
		case a.quality < b.quality || a.specificity < b.specificity:
			return 1
		}
		return 0
	})
	if len(list) == 0 {
		return []mediaType{{name: typeAny}}
	}
	var types []mediaType
	for _, a := range list {
		types = append(types, a.mediaType)
	}
	return types
}

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

// A shape is the form of an answer: how PostgreSQL makes it, and what it is called.
type shape struct {
	media    mediaType // what is made
	handler  *handler  // where the database has its own way
	answered mediaType // for Content-Type
}

func (f shape) singular() bool { return f.media.name == typeSingular }

// negotiate picks the first accepted media type that there is a way to make. A table's or function's own handlers stand for all its columns only: whole tells whether
// the client selects all.
func negotiate(accept []mediaType, s *schema, ofSchema, of string, whole, plans bool) (shape, error) {
	find := func(m mediaType) (shape, bool) {
		if m.name == typeSingular || m.name == typeArray {
			return shape{media: m, answered: m}, true
		}
		if whole {
			for _, name := range []string{typeAny, m.name} {
				if own := s.handlers[handlerKey{ofSchema, of, name}]; own != nil {
					return shape{handler: own, answered: decodeMedia(own.media)}, true
				}
			}
		}
		if all := s.handlers[handlerKey{"", "", m.name}]; all != nil {
			return shape{handler: all, answered: decodeMedia(all.media)}, true
		}
		switch m.name {
		case typeAny, "application/*":
			m = mediaType{name: typeJSON}
			return shape{media: m, answered: m}, true
		case typeJSON, typeCSV, typeGeoJSON:
			return shape{media: m, answered: m}, true
		}
		return shape{}, false
	}
	var names []string
	for _, m := range accept {
		names = append(names, m.String())
		asked := m
		if m.plan != nil {
			if !plans {
				continue
			}
			asked = m.plan.of
		}
		form, found := find(asked)
		if !found {
			continue
		}
		if m.plan != nil {
			form.answered = m
		}
		return form, nil
	}
	return shape{}, failure(http.StatusNotAcceptable, "PGRST107", "None of these media types are available: "+strings.Join(names, ", "))
}
