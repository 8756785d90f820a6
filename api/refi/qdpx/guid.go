package qdpx

import (
	"encoding/xml"
	"strings"

	"github.com/google/uuid"
)

// A GUID identifies something in a file. It is in lower case without braces, or "" for none.
type GUID string

// space is the namespace of guids that are made of names.
var space = uuid.MustParse("6f0d5a4e-7c0b-5a53-9d3c-8f3f0c1f2b77")

// NewGUID returns the guid of a thing, which is always the same for the same kind and keys.
func NewGUID(kind string, keys ...string) GUID {
	return GUID(uuid.NewSHA1(space, []byte(kind+" "+strings.Join(keys, " "))).String())
}

// UnmarshalXMLAttr reads a guid in any form. One that is not a UUID is replaced by one made of its text, so
// that what refers to it still does.
func (g *GUID) UnmarshalXMLAttr(attr xml.Attr) error {
	text := strings.ToLower(strings.Trim(strings.TrimSpace(attr.Value), "{}"))
	if text == "" {
		*g = ""
		return nil
	}
	if id, err := uuid.Parse(text); err == nil {
		*g = GUID(id.String())
		return nil
	}
	*g = NewGUID("text", text)
	return nil
}
