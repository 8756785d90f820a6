package identity

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The bounds of the redirect URIs of a client.
const (
	maxRedirectURIs     = 10
	maxRedirectURIBytes = 2000
)

// appSchemes are the private-use schemes without a dot of apps that people connect. RFC 8252, section 7.1,
// wants a reversed domain name, which these apps do not use. Schemes that browsers and operating systems
// interpret are too many to list; docs/decisions/0414 says more.
var appSchemes = []string{"cursor", "raycast", "vscode", "vscode-insiders", "warp", "windsurf"}

// reversedDomain matches a private-use scheme such as com.example.app.
var reversedDomain = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$`)

// uriCharacters matches the characters of URIs (RFC 3986, section 2), without those of a fragment.
var uriCharacters = regexp.MustCompile(`^[A-Za-z0-9\-._~:/?@!$&'()*+,;=%\[\]]+$`)

// loopbackURI matches an http URI of this machine. Its groups are the host and what follows the port.
var loopbackURI = regexp.MustCompile(`^http://(localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?([/?].*)?$`)

// checkRedirectURI returns what is wrong with a redirect URI, as the end of a sentence, or "". Allowed are
// https, http of this machine, and private-use schemes of native apps (RFC 8252, section 7).
func checkRedirectURI(uri string) string {
	if len(uri) > maxRedirectURIBytes {
		return "is longer than 2000 bytes"
	}
	if strings.Contains(uri, "#") {
		return "has a fragment"
	}
	parsed, err := url.Parse(uri)
	if err != nil || !uriCharacters.MatchString(uri) || parsed.Scheme == "" || parsed.Opaque != "" {
		return "is not an absolute URI"
	}
	if parsed.User != nil {
		return "has a user name"
	}
	if !hasPlainHost(parsed) {
		return "has a host that is not in ASCII: international domain names begin with xn--"
	}
	if name := answerParameter(parsed); name != "" {
		return "has the parameter " + name + ", which answers have"
	}
	switch scheme := parsed.Scheme; {
	case scheme == "https":
		if parsed.Hostname() == "" {
			return "has no host"
		}
	case scheme == "http":
		if !loopbackURI.MatchString(uri) {
			return "must begin with https://: http is for localhost, 127.0.0.1 and [::1] only"
		}
	case !isAppScheme(scheme):
		return "has a scheme that is not allowed: use https, http on this machine, or a scheme that is a " +
			"reversed domain name such as com.example.app"
	}
	return ""
}

// hasPlainHost reports whether people can read the host of a URI without being misled. url.Parse decodes
// percent-encoded bytes of a host, so that it may have letters that look like others.
func hasPlainHost(uri *url.URL) bool {
	return !strings.ContainsFunc(uri.Host, func(r rune) bool { return r == '%' || r > unicode.MaxASCII })
}

// answerParameter returns a parameter of a redirect URI that an answer has as well, or "". An app could not
// tell which is ours.
func answerParameter(uri *url.URL) string {
	query := uri.Query()
	for _, name := range []string{"code", "error", "error_description", "iss", "state"} {
		if query.Has(name) {
			return name
		}
	}
	return ""
}

// isAppScheme reports whether a scheme is one that only an installed app handles.
func isAppScheme(scheme string) bool {
	return slices.Contains(appSchemes, scheme) || reversedDomain.MatchString(scheme)
}

// isSameLoopback reports whether two URIs lead to the same place of this machine but for the port. An app
// listens on any that is free (RFC 8252, section 7.3).
func isSameLoopback(known, wanted string) bool {
	a, b := loopbackURI.FindStringSubmatch(known), loopbackURI.FindStringSubmatch(wanted)
	return a != nil && b != nil && slices.Equal(a[1:], b[1:])
}

// RedirectHost returns where a redirect URI leads, for people: the host with its port, "localhost" and the
// like without one, or the scheme of an app such as "cursor:".
func RedirectHost(uri string) string {
	if local := loopbackURI.FindStringSubmatch(uri); local != nil {
		return local[1]
	}
	parsed, err := url.Parse(uri)
	switch {
	case err != nil:
		return ""
	case parsed.Scheme == "https":
		return strings.ToLower(parsed.Host)
	}
	return parsed.Scheme + ":"
}
