package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"research/outcome"
)

// maxEnum bounds the ids that the schema lists. OpenAI rejected schemas with more than 500 enum values, and
// with more than 15,000 characters in long enums.
const maxEnum = 380

// responseSchema describes the model's response. It lists the ids of the request, as far as servers accept
// the list. The properties are in the order in which a model should write them: the rationale before the
// stance.
func responseSchema(r Request) schema {
	hypotheses := make([]string, len(r.Hypotheses))
	for i := range hypotheses {
		hypotheses[i] = "h" + strconv.Itoa(i+1)
	}
	var utterances []string
	if n := r.Chunk.To - r.Chunk.From; n+len(hypotheses) <= maxEnum {
		for i := range n {
			utterances = append(utterances, "u"+strconv.Itoa(r.Chunk.From+i))
		}
	}
	finding := objectSchema(
		property{"hypothesis", enumSchema(hypotheses)},
		property{"utterances", arraySchema(enumSchema(utterances))},
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
		property{"hypothesis", enumSchema(hypotheses)},
		property{"text", stringSchema},
	)
	return objectSchema(
		property{"findings", arraySchema(finding)},
		property{"questions", arraySchema(question)},
	)
}

// A schema is a JSON schema whose properties keep their order.
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
