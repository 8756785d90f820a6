package identity

import (
	"net/mail"
	"strings"
	"unicode/utf8"
)

// maxEmailBytes is the size of the column.
const maxEmailBytes = 255

// parseEmail returns the normalized form of an address that will be stored. It rejects the same as GoTrue
// with ErrInvalidEmail.
func parseEmail(s string) (string, error) {
	s = normalizeEmail(s)
	if !validEmail(s) {
		return "", ErrInvalidEmail
	}
	return s, nil
}

func normalizeEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// validEmail reports whether a mail server might accept the address.
func validEmail(s string) bool {
	if len(s) > maxEmailBytes || !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable) {
		return false
	}
	local, domain, found := strings.Cut(s, "@")
	if !found || local == "" || len(local) > 64 || strings.Contains(domain, "@") { // RFC 5321 §4.5.3.1.1
		return false
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && parsed.Name == "" && validDomain(domain)
}

func unprintable(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }

func validDomain(domain string) bool {
	if domain == "" || len(domain) > 253 {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}
