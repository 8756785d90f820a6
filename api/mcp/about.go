package mcp

import (
	"cmp"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An about describes an argument or a field of a result to the model.
type about struct {
	text   string // empty for that of its tag
	values []any  // that it may have; nil for any
}

// addDescribed is addTool for a tool whose fields have descriptions that are too long for tags, too.
func addDescribed[In, Out any](
	s *server, m *mcp.Server, t *mcp.Tool, scope string, arguments, fields map[string]about, do tool[In, Out],
) {
	input, output := schemaOf[In](), schemaOf[Out]()
	describe(input, arguments)
	describe(output, fields)
	t.InputSchema, t.OutputSchema = input, output
	mcp.AddTool(m, t, handle(s, t.Name, scope, do))
}

func describe(schema *jsonschema.Schema, fields map[string]about) {
	for name, field := range fields {
		property := schema.Properties[name]
		property.Description, property.Enum = cmp.Or(field.text, property.Description), field.values
	}
}
