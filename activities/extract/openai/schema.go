package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"research/outcome"
)

// responseSchema describes the model's response. It is the same for every request: servers put it before the
// prompt, so that another schema would not find the prompt in the cache, and compile a grammar for each. The
// ids are checked when the response is read. The properties are in the order in which a model should write
// them: the rationale before the stance.
var responseSchema = newResponseSchema()

// A namedSchema is a schema as requests have it.
type namedSchema struct {
	name   string
	schema schema
}

func newResponseSchema() namedSchema {
	finding := objectSchema(
		property{"hypothesis", stringSchema},
		property{"utterances", arraySchema(stringSchema)},
		property{"quote", stringSchema},
		property{"rationale", stringSchema},
		property{"stance", enumSchema([]string{
			string(outcome.StanceSupports), string(outcome.StanceContradicts), string(outcome.StanceNeutral),
		})},
		property{"strength", enumSchema([]string{
			string(outcome.StrengthWeak), string(outcome.StrengthMedium), string(outcome.StrengthStrong),
		})},
		property{"summary", stringSchema},
	)
	question := objectSchema(
		property{"hypothesis", stringSchema},
		property{"text", stringSchema},
	)
	return namedSchema{"findings", objectSchema(
		property{"findings", arraySchema(finding)},
		property{"questions", arraySchema(question)},
	)}
}

// A schema is a JSON schema with ordered properties.
type schema struct {
	Type       string     `json:"type"`
	Enum       []string   `json:"enum,omitempty"`
	Items      *schema    `json:"items,omitempty"`
	Properties properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
}

type property struct {
	name   string
	schema schema
}

type properties []property

// MarshalJSON writes an object with its members in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, member := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(member.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", member.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

var stringSchema = schema{Type: "string"}

func enumSchema(allowed []string) schema { return schema{Type: "string", Enum: allowed} }

func arraySchema(items schema) schema { return schema{Type: "array", Items: &items} }

// objectSchema requires every property and allows no other, as strict mode demands
// (https://platform.openai.com/docs/guides/structured-outputs).
func objectSchema(members ...property) schema {
	additional := false
	s := schema{Type: "object", Properties: members, Additional: &additional}
	for _, m := range members {
		s.Required = append(s.Required, m.name)
	}
	return s
}
