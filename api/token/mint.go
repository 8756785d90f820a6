package token

import (
	"crypto/rand"
	"encoding/base64"
)

// NewAnonKey makes an API key in Supabase's newer form; it is safe in client code.
func NewAnonKey() string { return "sb_publishable_" + random() }

// NewServiceKey makes an API key that passes row-level security; it never belongs into client code.
func NewServiceKey() string { return "sb_secret_" + random() }

// random is 192 bits.
func random() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}
