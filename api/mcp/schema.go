package mcp

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTool adds a tool to the server of the SDK. Its schemas follow from the types, whose tags describe what
// the arguments leave out.
func addTool[In, Out any](
	s *server, m *mcp.Server, t *mcp.Tool, scope string, arguments map[string]about, do tool[In, Out],
) {
	addDescribed(s, m, t, scope, arguments, nil, do)
}

// schemaOf returns the schema of a type. The SDK lets lists be null, since a nil slice is; ours never are,
// and clients that are strict about types do not read such a schema.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{})
	if err != nil {
		panic("mcp: " + err.Error()) // of a type of this package
	}
	withoutNull(schema)
	return schema
}

func withoutNull(schema *jsonschema.Schema) {
	if schema == nil {
		return
	}
	if types := slices.DeleteFunc(schema.Types, func(t string) bool { return t == "null" }); len(types) == 1 {
		schema.Type, schema.Types = types[0], nil
	}
	withoutNull(schema.Items)
	for _, property := range schema.Properties {
		withoutNull(property)
	}
}

// valuesOf returns the values of an enum of the database, for about.
func valuesOf[T ~string](values ...T) []any {
	texts := make([]any, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}
