package temporalclient

import (
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc/codes"
)

// A RefusedError means that Temporal responds, and refuses what is asked of it. Nothing was started. Trying
// again does not help until an operator acts.
type RefusedError struct {
	// Code is PermissionDenied, Unauthenticated, NotFound (of the namespace), Unimplemented or InvalidArgument.
	Code codes.Code
	text string // what Temporal says of an invalid argument: names of search attributes, no payload
}

func (e *RefusedError) Error() string {
	what := "temporal refuses it: " + e.why() + " (" + e.Code.String() + ")"
	if e.text != "" {
		what += ": " + e.text
	}
	return what
}

func (e *RefusedError) why() string {
	switch e.Code {
	case codes.Unauthenticated:
		return "it does not accept the API key or the certificate"
	case codes.PermissionDenied:
		return "the API key or the certificate has no right to it"
	case codes.NotFound:
		return "there is no such namespace"
	case codes.Unimplemented:
		return "it does not know the call"
	}
	return "it does not understand the call"
}

// Unavailable marks the error as caused by an unusable dependency.
func (e *RefusedError) Unavailable() bool { return true }

// NeedsOperator marks the error as one that lasts until an operator acts.
func (e *RefusedError) NeedsOperator() bool { return true }

// State names the state of Temporal, for readiness.
func (e *RefusedError) State() string {
	switch e.Code {
	case codes.Unauthenticated, codes.PermissionDenied:
		return "denied"
	case codes.NotFound:
		return "no_namespace"
	}
	return "refused"
}

// maxRefusalText bounds what is kept of the text of an error.
const maxRefusalText = 200

// Failure returns the error of an operation of the SDK that failed with cause: a *RefusedError, or else
// ErrUnavailable with the kind of the cause.
func Failure(doing string, cause error) error {
	var refused *RefusedError
	switch {
	case errors.As(cause, &refused):
		return fmt.Errorf("%s: %w", doing, refused)
	case isRefusal(codeOf(cause)):
		refused = &RefusedError{Code: codeOf(cause)}
		if refused.Code == codes.InvalidArgument {
			refused.text = oneLine(cause.Error())
		}
		return fmt.Errorf("%s: %w", doing, refused)
	}
	return fmt.Errorf("%s: %w", doing, newUnreachable(cause))
}

// An unreachableError is ErrUnavailable with its cause.
type unreachableError struct{ why, do string }

func newUnreachable(cause error) *unreachableError {
	var known *unreachableError
	if errors.As(cause, &known) {
		return known
	}
	why, do := causeOf(cause)
	if why == "" {
		why = kindOf(cause)
	}
	return &unreachableError{why, do}
}

func (e *unreachableError) Error() string { return ErrUnavailable.Error() + ": " + e.why }
func (e *unreachableError) Unwrap() error { return ErrUnavailable }

// codeOf returns the gRPC code of an error of the SDK. That of a missing run is Unknown: it is an answer.
func codeOf(err error) codes.Code {
	if errors.As(err, new(*serviceerror.NamespaceNotFound)) {
		return codes.NotFound
	}
	if code := serviceerror.ToStatus(err).Code(); code != codes.NotFound {
		return code
	}
	return codes.Unknown
}

func isRefusal(code codes.Code) bool {
	switch code {
	case codes.PermissionDenied, codes.Unauthenticated, codes.NotFound, codes.Unimplemented,
		codes.InvalidArgument:
		return true
	}
	return false
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxRefusalText {
		text = strings.ToValidUTF8(text[:maxRefusalText], "") + "…"
	}
	return text
}

// connectionCauses are the reasons why no connection comes about, by what gRPC's text contains. gRPC does not
// return the error itself. The first that is contained wins.
var connectionCauses = []struct{ contains, why, do string }{
	{"first record does not look like a TLS handshake", "what listens at its address does not speak TLS",
		"remove TEMPORAL_TLS and the TEMPORAL_TLS_ settings, or correct TEMPORAL_ADDRESS; with " +
			"TEMPORAL_API_KEY and no TLS: TEMPORAL_TLS=false"},
	{"unknown authority", "its certificate is of an authority that is not known here",
		"set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority"},
	{"certificate is valid for", "its certificate is for another name",
		"set TEMPORAL_TLS_SERVER_NAME to a name in the certificate"},
	{"certificate is not valid for", "its certificate is for another name",
		"set TEMPORAL_TLS_SERVER_NAME to a name in the certificate"},
	{"cannot validate certificate for", "its certificate is for another name",
		"set TEMPORAL_TLS_SERVER_NAME to a name in the certificate"},
	{"expired or is not yet valid", "its certificate is not valid at this time",
		"renew the certificate, or set this machine's clock"},
	{"certificate required", "it requires a client's certificate",
		"set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"},
	{"remote error: tls: ", "it does not accept the client's certificate",
		"correct TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"},
	{"authentication handshake failed", "TLS failed", "check the TEMPORAL_TLS settings"},
	{"error reading server preface", "it closes connections without TLS, or does not speak gRPC",
		"set TEMPORAL_TLS=true if the server requires TLS, or correct TEMPORAL_ADDRESS"},
	{"no such host", "the host of its address does not exist", "correct the host in TEMPORAL_ADDRESS"},
	{
		"produced zero addresses", "the host of its address does not exist", "correct the host in TEMPORAL_ADDRESS",
	},
	{"connection refused", "nothing listens at its address",
		"correct TEMPORAL_ADDRESS, and check that Temporal runs there; its usual port is 7233"},
	{"unreachable", "there is no route to its address", "check the network"},
	{"unexpected HTTP status code", "what listens at its address does not speak gRPC",
		"correct TEMPORAL_ADDRESS: Temporal's gRPC port, usually 7233, and not that of its UI"},
	{"received unexpected content-type", "what listens at its address does not speak gRPC",
		"correct TEMPORAL_ADDRESS: Temporal's gRPC port, usually 7233, and not that of its UI"},
	{"deadline exceeded", "it does not answer in time",
		"check TEMPORAL_ADDRESS, and that firewalls admit this machine"},
}

// causeOf returns why Temporal cannot be reached, and what an operator does about it. Both are empty if that
// is not known.
func causeOf(err error) (why, do string) {
	text := err.Error()
	for _, c := range connectionCauses {
		if strings.Contains(text, c.contains) {
			return c.why, c.do
		}
	}
	return "", ""
}

// Advice returns what keeps Temporal from being used, by an error of this package, and what an operator does
// about it.
func Advice(err error, namespace string) (found, do string) {
	var refused *RefusedError
	var unreachable *unreachableError
	switch {
	case errors.As(err, &unreachable) && unreachable.do != "":
		return "unavailable: " + unreachable.why, unreachable.do
	case !errors.As(err, &refused):
		return "unavailable: it does not answer as Temporal",
			"check TEMPORAL_ADDRESS, whether Temporal runs there, and whether it requires TLS (TEMPORAL_TLS, " +
				"TEMPORAL_API_KEY)"
	case refused.Code == codes.Unauthenticated:
		return refused.Error(), "correct TEMPORAL_API_KEY or the client's certificate: it may have expired, or " +
			"be for another account or namespace"
	case refused.Code == codes.PermissionDenied:
		return refused.Error(), "check TEMPORAL_API_KEY or the client's certificate, and permit it to read and " +
			"write in the namespace " + namespace
	case refused.Code == codes.NotFound:
		return "there is no namespace " + namespace, "correct TEMPORAL_NAMESPACE, or make it"
	}
	return refused.Error(), "check that TEMPORAL_ADDRESS is Temporal's own gRPC address, and its version"
}
