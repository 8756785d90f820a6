package oidc

import (
	"encoding/json"
	"slices"
	"strings"
)

// claims are those of an ID token or a userinfo response, by their exact names. Package encoding/json would
// fill a field for "email" with a claim "Email", which people may be able to set.
type claims map[string]json.RawMessage

// protocolClaims decide whether a token is accepted.
var protocolClaims = []string{"iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash"}

// parseClaims rejects claims that differ from one of the protocol only in case: package oidc would take them
// for it.
func parseClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil || c == nil {
		return nil, badToken("its claims are not a JSON object")
	}
	for name := range c {
		for _, known := range protocolClaims {
			if name != known && strings.EqualFold(name, known) {
				return nil, badToken("it has two claims that differ only in case")
			}
		}
	}
	return c, nil
}

// has reports whether there is a claim. One that is null is none.
func (c claims) has(name string) bool { return len(c[name]) > 0 && string(c[name]) != "null" }

// text returns a claim that is a string, or "".
func (c claims) text(name string) string {
	var s string
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// texts returns a claim that is a list of strings. Other elements are left out.
func (c claims) texts(name string) (list []string) {
	var raw []json.RawMessage
	if json.Unmarshal(c[name], &raw) != nil {
		return nil
	}
	for _, item := range raw {
		var s string
		if json.Unmarshal(item, &s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// isOneOf reports whether a claim is one of these JSON values.
func (c claims) isOneOf(name string, values ...string) bool {
	return slices.Contains(values, string(c[name]))
}
