package openapi

import (
	"bytes"
	"encoding/json"

	"research/api/rest/catalog"
)

// The parts of documents. Both versions share them: a field that a version does not have is left empty, and
// empty fields are not written.

// An object is a JSON object whose members keep their order: that of a table's columns.
type object[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

func (o *object[T]) set(name string, value T) { *o = append(*o, member[T]{name, value}) }

// MarshalJSON implements json.Marshaler.
func (o object[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// types are the names of a value's JSON types. A single one is written as a string.
type types []string

// MarshalJSON implements json.Marshaler.
func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// A schema describes a JSON value.
type schema struct {
	Ref                  string          `json:"$ref,omitempty"`
	Type                 types           `json:"type,omitempty"`
	Format               string          `json:"format,omitempty"`
	Pattern              string          `json:"pattern,omitempty"`
	Items                *schema         `json:"items,omitempty"`
	MaxLength            int             `json:"maxLength,omitempty"`
	Minimum              *int            `json:"minimum,omitempty"`
	Enum                 []*string       `json:"enum,omitempty"` // nil is null
	Examples             []string        `json:"examples,omitempty"`
	Description          string          `json:"description,omitempty"`
	Default              any             `json:"default,omitempty"` // a value of the described type
	ReadOnly             bool            `json:"readOnly,omitempty"`
	Required             []string        `json:"required,omitempty"`
	Properties           object[*schema] `json:"properties,omitzero"`
	AdditionalProperties *bool           `json:"additionalProperties,omitempty"`
	OneOf                []*schema       `json:"oneOf,omitempty"`
	AnyOf                []*schema       `json:"anyOf,omitempty"`

	SQLType    string      `json:"x-type,omitempty"`
	ForeignKey *foreignKey `json:"x-foreign-key,omitempty"`
	PrimaryKey []string    `json:"x-primary-key,omitempty"`
	Related    []related   `json:"x-related,omitempty"`
}

// A foreignKey says which column a column refers to.
type foreignKey struct {
	Table  string `json:"table"`
	Column string `json:"column"`
}

// A related resource can be embedded, under its name and with the hint.
type related struct {
	Resource    string `json:"resource"`
	Cardinality string `json:"cardinality"` // one or many
	Hint        string `json:"hint,omitempty"`
}

func reference(to string) *schema { return &schema{Ref: to} }

// enum are the values of a column's enumeration.
func enum(c *catalog.Column) []*string {
	var values []*string
	for _, v := range c.Enum {
		values = append(values, &v)
	}
	return values
}

// textDefault leaves out an empty text, as PostgREST does.
func textDefault(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// A parameter is one of a query string, a header or, in OpenAPI 2.0, the body.
type parameter struct {
	Ref         string  `json:"$ref,omitempty"`
	Name        string  `json:"name,omitempty"`
	In          string  `json:"in,omitempty"`
	Description string  `json:"description,omitempty"`
	Required    *bool   `json:"required,omitempty"`
	Schema      *schema `json:"schema,omitempty"`

	// Of OpenAPI 2.0 only.
	Type             string   `json:"type,omitempty"`
	Format           string   `json:"format,omitempty"`
	Items            *schema  `json:"items,omitempty"`
	CollectionFormat string   `json:"collectionFormat,omitempty"`
	Default          string   `json:"default,omitempty"`
	Enum             []string `json:"enum,omitempty"`
}

// An operation is a method of a path.
type operation struct {
	ID          string           `json:"operationId,omitempty"`
	Tags        []string         `json:"tags,omitempty"`
	Summary     string           `json:"summary,omitempty"`
	Description string           `json:"description,omitempty"`
	Produces    []string         `json:"produces,omitempty"` // of OpenAPI 2.0 only
	Parameters  []parameter      `json:"parameters,omitempty"`
	RequestBody *requestBody     `json:"requestBody,omitempty"`
	Responses   object[response] `json:"responses"`
}

type requestBody struct {
	Required bool            `json:"required,omitempty"`
	Content  object[content] `json:"content"`
}

// A content is a body in one media type.
type content struct {
	Schema *schema `json:"schema,omitempty"`
}

type response struct {
	Description string          `json:"description"`
	Headers     object[header]  `json:"headers,omitempty"`
	Content     object[content] `json:"content,omitempty"`
	Schema      *schema         `json:"schema,omitempty"` // of OpenAPI 2.0 only
}

type header struct {
	Ref         string  `json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *schema `json:"schema,omitempty"`
}

type info struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
}

type securityScheme struct {
	Type         string `json:"type"`
	Description  string `json:"description,omitempty"`
	In           string `json:"in,omitempty"`
	Name         string `json:"name,omitempty"`
	Scheme       string `json:"scheme,omitempty"`
	BearerFormat string `json:"bearerFormat,omitempty"`
}

// A requirement names the security schemes that a request must meet, each with its scopes.
type requirement map[string][]string
