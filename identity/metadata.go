package identity

import (
	"encoding/json"

	"research/db"
)

// Metadata are changes to the metadata of a user, by key. A null removes the key. A nil Metadata changes
// nothing.
type Metadata map[string]json.RawMessage

// MaxMetadataBytes bounds what a user can put into every access token, which travels in a header. Only users
// that were inserted by SQL can have more.
const MaxMetadataBytes = 16 << 10

// emailVerified is the key that says whether the address is proven. It is derived, and not the user's to set.
const emailVerified = "email_verified"

// emailProvider is the app_metadata of a user who signs in by e-mail.
var emailProvider = json.RawMessage(`{"provider":"email","providers":["email"]}`)

// object returns raw if it is a JSON object, and an empty object otherwise.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return json.RawMessage(`{}`)
	}
	return raw
}

// apply returns the metadata after the changes, or nil if there are none.
// Errors: ErrMetadataTooLarge, ErrMetadataNUL.
func (m Metadata) apply(old json.RawMessage) (json.RawMessage, error) {
	if m == nil {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(object(old), &all); err != nil {
		return nil, err
	}
	for key, value := range m {
		if string(value) == "null" || key == emailVerified {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	raw, err := json.Marshal(all)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > MaxMetadataBytes:
		return nil, ErrMetadataTooLarge
	case db.HasNUL(raw):
		return nil, ErrMetadataNUL
	}
	return raw, nil
}

// applyNew is apply for a new user, whose metadata must not be nil.
func (m Metadata) applyNew(initial json.RawMessage) (json.RawMessage, error) {
	if m == nil {
		m = Metadata{}
	}
	return m.apply(initial)
}
