package oidc

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"strconv"

	"research/internal/publicnet"
)

// An Error says why a provider did not sign somebody in. It has no secrets, codes, tokens or addresses, and
// of the provider's own words at most an error code of 60 characters.
type Error struct {
	// Provider is the name of the provider, as in its Config. Only the log needs it: Error leaves it out.
	Provider string
	// Reason is the predicate of a sentence about the provider: "does not answer: its key set did not arrive
	// in time".
	Reason string
	// Temporary means that the provider does not answer now, and that a later attempt may succeed.
	Temporary bool

	cause error  // of package publicnet, or nil
	host  string // host:port of the request that failed, for Check
}

func (e *Error) Error() string { return "the provider " + e.Reason }

// named returns an error with the name of the provider. An Error is copied: requests share the one of a
// document that could not be fetched.
func (p *Provider) named(err error) error {
	var known *Error
	if !errors.As(err, &known) {
		return err
	}
	named := *known
	named.Provider = p.config.Name
	return &named
}

// unusable returns an Error about something of the provider that cannot be used.
func unusable(what, why string) error {
	return &Error{Reason: "cannot be used: its " + what + " " + why}
}

// badToken returns an Error about an ID token.
func badToken(why string) error {
	return &Error{Reason: "gave no ID token that is accepted: " + why}
}

// notFetched returns an Error about something that could not be fetched. Errors that are not those of package
// publicnet are returned as they are: they are the context's.
func notFetched(what string, address *url.URL, err error) error {
	var document *publicnet.DocumentError
	if !errors.As(err, &document) {
		return err
	}
	failed := &Error{
		Reason: "cannot be used: its " + what + " " + document.Reason, Temporary: document.Temporary,
		cause: errors.Unwrap(document), host: hostAndPort(address),
	}
	if document.Temporary {
		failed.Reason = "does not answer: its " + what + " " + document.Reason
	}
	return failed
}

// hostAndPort returns where an address connects to.
func hostAndPort(address *url.URL) string {
	port := address.Port()
	if port == "" && address.Scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(address.Hostname(), cmp.Or(port, "443"))
}

// failedStatus describes a response without an error code.
func failedStatus(status int) string {
	return "was answered with status " + strconv.Itoa(status) + " and no error code"
}

// maxErrorCode bounds what is repeated of a provider's words. The longest registered error code has 34
// characters (IANA's registry of OAuth extension errors).
const maxErrorCode = 60

// safeCode returns an error code of a provider, or "" if it is not a plain word.
func safeCode(code string) string {
	if len(code) > maxErrorCode {
		return ""
	}
	for _, c := range []byte(code) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' ||
			c == '.'
		if !plain {
			return ""
		}
	}
	return code
}
