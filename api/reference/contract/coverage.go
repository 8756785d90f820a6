package contract

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// Coverage lists the parts of the document, and those that were not exercised.
type Coverage struct {
	Routes, Statuses, Fields Part
}

// A Part covers routes, statuses or fields.
type Part struct {
	All    int
	Unseen []string
}

func (p Part) String() string { return fmt.Sprintf("%d of %d", p.All-len(p.Unseen), p.All) }

func (c Coverage) String() string {
	return fmt.Sprintf("routes %s, statuses %s, fields %s", c.Routes, c.Statuses, c.Fields)
}

// Coverage returns the coverage so far.
func (c *Contract) Coverage() Coverage {
	routes, statuses, fields := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for address, item := range c.Document.Paths.Map() {
		for method, operation := range item.Operations() {
			route := method + " " + address
			routes[route] = true
			for status, response := range operation.Responses.Map() {
				statuses[route+" "+status] = true
				for _, media := range response.Value.Content {
					c.listFields(fields, media.Schema, route+" "+status, nil)
				}
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return Coverage{c.part(routes), c.part(statuses), c.part(fields)}
}

func (c *Contract) part(all map[string]bool) Part {
	p := Part{All: len(all)}
	for name := range all {
		if !c.seen[name] {
			p.Unseen = append(p.Unseen, name)
		}
	}
	slices.Sort(p.Unseen)
	return p
}

// record marks the parts that an exchange exercised.
func (c *Contract) record(route *routers.Route, e Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := route.Method + " " + route.Path
	c.seen[name] = true
	response := route.Operation.Responses.Status(e.Status)
	for status, documented := range route.Operation.Responses.Map() {
		if documented == response {
			c.seen[name+" "+status] = true
			name += " " + status
			break
		}
	}
	var body any
	if json.Unmarshal(e.Body, &body) != nil {
		return
	}
	for _, media := range response.Value.Content {
		c.markFields(media.Schema, name, body)
	}
}

// fieldsOf returns the name under which the fields of a schema are listed: the name of the schema, or its
// place.
func fieldsOf(schema *openapi3.SchemaRef, place string) string {
	if schema.Ref != "" {
		return path.Base(schema.Ref)
	}
	return place
}

// alternatives returns a schema and its alternatives (allOf, anyOf, oneOf).
func alternatives(schema *openapi3.SchemaRef) []*openapi3.SchemaRef {
	return slices.Concat([]*openapi3.SchemaRef{schema}, schema.Value.AnyOf, schema.Value.OneOf)
}

func (c *Contract) listFields(
	fields map[string]bool, schema *openapi3.SchemaRef, place string, above []string,
) {
	if schema == nil {
		return
	}
	name := fieldsOf(schema, place)
	if slices.Contains(above, name) {
		return
	}
	above = append(above, name)
	for _, one := range alternatives(schema) {
		name := fieldsOf(one, name)
		for property, value := range one.Value.Properties {
			fields[name+"."+property] = true
			c.listFields(fields, value, name+"."+property, above)
		}
		c.listFields(fields, one.Value.Items, name+"[]", above)
	}
}

func (c *Contract) markFields(schema *openapi3.SchemaRef, place string, value any) {
	if schema == nil {
		return
	}
	for _, one := range alternatives(schema) {
		name := fieldsOf(one, fieldsOf(schema, place))
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				c.markFields(one.Value.Items, name+"[]", item)
			}
		case map[string]any:
			for property, child := range value {
				if documented := one.Value.Properties[property]; documented != nil {
					c.seen[name+"."+property] = true
					c.markFields(documented, name+"."+property, child)
				}
			}
		}
	}
}

// Unexplained returns the parts that were not exercised and have no reason. A reason applies to a name or to
// a suffix.
func (p Part) Unexplained(reasons map[string]string) (unexplained []string) {
	for _, name := range p.Unseen {
		explained := false
		for of := range reasons {
			explained = explained || strings.HasSuffix(name, of)
		}
		if !explained {
			unexplained = append(unexplained, name)
		}
	}
	return unexplained
}
