package identity

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/mailbox"
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

// normalizeEmail returns the form in which addresses are stored and compared: in lower case, with the domain
// in ASCII, so that a mailbox has one account however its domain is written.
func normalizeEmail(s string) string {
	return mailbox.ASCIIDomain(strings.ToLower(strings.TrimSpace(s)))
}

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

// unprintable reports whether a character is a space, a control, or one that changes how the text around it
// reads.
func unprintable(r rune) bool {
	return r <= ' ' || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z)
}

// validDomain reports whether a domain may be that of a mail server. One beyond ASCII is none, since
// normalizeEmail has changed those that are.
func validDomain(domain string) bool {
	if domain == "" || strings.ContainsFunc(domain, func(r rune) bool { return r > unicode.MaxASCII }) ||
		len(domain) > 253 {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}
