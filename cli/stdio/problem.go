package stdio

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A problem is why the service has not answered, in sentences that say what to do. Assistants show them to
// their users, and models read them.
type problem struct {
	sentences string
	status    int // of HTTP; 0 if there was no response
}

func (p problem) Error() string { return p.sentences }

func problemf(status int, format string, args ...any) problem {
	return problem{fmt.Sprintf(format, args...), status}
}

var (
	errLong = problemf(0, "The message is longer than %d MB and was skipped.", maxMessage>>20)
	errLate = problemf(0, "The service has not answered for %s. Try again.", maxWait)
	errFull = problem{sentences: "Too many requests are open. Wait for answers, or cancel requests."}
	errBusy = problem{sentences: "A request with this id is open already."}

	errEnded = problem{sentences: "The input has ended, and the service has not answered in time. What was " +
		"asked may have been done: look before you ask again."}

	errLarge = problemf(0, "The answer is longer than %d MB and was not read.", maxMessage>>20)
	errCut   = problem{sentences: "The answer broke off, or is not one of MCP. Try again. If it repeats, look " +
		"for a proxy that changes or holds back event streams."}
)

// answer is the response to a request that the service has not answered.
func answer(id jsonrpc.ID, err error) *jsonrpc.Response {
	wire := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	var p problem
	if errors.As(err, &p) && p.status != 0 {
		wire.Data, _ = json.Marshal(map[string]int{"status": p.status})
	}
	var given *jsonrpc.Error
	if errors.As(err, &given) {
		wire = given
	}
	return &jsonrpc.Response{ID: id, Error: wire}
}

// unreachable is the problem of a request without a response.
func unreachable(endpoint string, err error) problem {
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return problemf(0, "The certificate of %s is not trusted on this machine (%v). Check PUBLIC_URL, or "+
			"install the certificate of your authority.", endpoint, untrusted.Err)
	}
	return problemf(0, "%s cannot be reached (%v). Check PUBLIC_URL and the network, and whether the service "+
		"runs.", endpoint, err)
}

// refused is the problem of a response that is no success, and not of MCP.
func refused(endpoint string, response *http.Response, body []byte) problem {
	said := sentence(body)
	var advice string
	switch status := response.StatusCode; {
	case status < http.StatusBadRequest:
		return problemf(status, "%s redirects to %q, and was not followed. Set PUBLIC_URL to the address that the "+
			"service itself has.", endpoint, printable(response.Header.Get("Location")))
	case status == http.StatusUnauthorized:
		return problemf(status, "The service does not accept RESEARCH_TOKEN: it is not a personal access token of "+
			"%s, has expired, or was revoked. Make one under Settings, and start the assistant again with it.",
			endpoint)
	case status == http.StatusForbidden:
		if scope := scopeWanted(response.Header); scope != "" {
			return problemf(status, "RESEARCH_TOKEN lacks a scope. Make a token with %s under Settings, and start "+
				"the assistant again.", strings.Join(strings.Fields(scope), " and "))
		}
		advice = "The service does not permit this."
	case status == http.StatusNotFound:
		return problemf(status, "There is no MCP server at %s. %s", endpoint,
			cmp.Or(said, "Check PUBLIC_URL, and whether the service has MCP=off."))
	case status == http.StatusTooManyRequests:
		advice = "The service gets too many requests."
		if after := response.Header.Get("Retry-After"); after != "" {
			advice += fmt.Sprintf(" Try again in %s seconds.", printable(after))
		}
	case status == http.StatusRequestEntityTooLarge:
		advice = "The message is longer than the service reads. Send less at once."
	case status >= http.StatusInternalServerError:
		advice = "The service is not available at the moment. Try again later."
	}
	return problemf(response.StatusCode, "%s answers %d. %s", endpoint, response.StatusCode,
		cmp.Or(said, advice, "Check PUBLIC_URL, and the version of the service."))
}

// notMCP is the problem of a page where an answer was expected.
func notMCP(endpoint, media string) problem {
	return problemf(http.StatusOK, "%s answers with %s, not as an MCP server does. Check PUBLIC_URL, and "+
		"whether a proxy answers in its place.", endpoint, printable(media))
}

// sentence returns what the service says in the body of an error: our format, or that of OAuth.
func sentence(body []byte) string {
	var said struct {
		Message     string `json:"message"`
		Msg         string `json:"msg"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	return printable(cmp.Or(said.Message, said.Msg, said.Description))
}

var scopeOfChallenge = regexp.MustCompile(`\bscope="([^"]*)"`)

// scopeWanted returns the scopes that a challenge asks for because one is missing (RFC 6750, section 3).
func scopeWanted(h http.Header) string {
	challenge := h.Get("WWW-Authenticate")
	m := scopeOfChallenge.FindStringSubmatch(challenge)
	if m == nil || !strings.Contains(challenge, "insufficient_scope") {
		return ""
	}
	return printable(m[1])
}

// printable makes a text of a server safe for a terminal, and short.
func printable(text string) string {
	const enough = 500
	clean := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, text)
	if runes := []rune(clean); len(runes) > enough {
		return string(runes[:enough]) + "…"
	}
	return clean
}
