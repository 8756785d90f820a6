// Package mailbox writes e-mail addresses as mail servers know them. A domain with letters beyond ASCII has a
// second form (RFC 5890), in which it is in the DNS, and which every mail server accepts.
package mailbox

import (
	"strings"

	"golang.org/x/net/idna"
)

// domains maps domains as browsers do (UTS #46, without transitional forms).
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false))

// ASCIIDomain returns an address with its domain in ASCII: a@bücher.example is a@xn--bcher-kva.example. An
// address whose domain is in ASCII already, or cannot be in the DNS, is returned as it is.
func ASCIIDomain(address string) string {
	at := strings.LastIndexByte(address, '@')
	domain := address[at+1:]
	if at < 0 || !strings.ContainsFunc(domain, func(r rune) bool { return r > 127 }) {
		return address
	}
	ascii, err := domains.ToASCII(domain)
	if err != nil {
		return address
	}
	return address[:at+1] + ascii
}
