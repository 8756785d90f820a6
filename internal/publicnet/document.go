package publicnet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Document is a JSON document of a stranger.
type Document struct {
	Body []byte
	// MaxAge is how long its server lets others keep it; zero if it does not say so.
	MaxAge time.Duration
}

// A DocumentError says why there is no document, as the end of a sentence. It repeats no address.
type DocumentError struct {
	Reason string
	// Temporary means that a later attempt may succeed: the server cannot be reached now, or says that it has a
	// problem.
	Temporary bool

	cause error
}

// Causes of a DocumentError, beside ErrPrivate, that somebody who runs the client may remove. There is none
// for a document that arrived.
var (
	// ErrUnknownHost means that the name of a host does not resolve.
	ErrUnknownHost = errors.New("the name of the host is unknown")
	// ErrUnknownAuthority means that the certificate of a host is of an authority that is not trusted.
	ErrUnknownAuthority = errors.New("the certificate authority of the host is unknown")
	// ErrCertificate means that the certificate of a host is not valid for another reason.
	ErrCertificate = errors.New("the certificate of the host is not valid")
	// ErrUnreachable means that a connection was refused, broke, or took too long.
	ErrUnreachable = errors.New("the host cannot be reached")
)

func (e *DocumentError) Error() string { return "the document " + e.Reason }

// Unwrap returns the cause: ErrPrivate, ErrUnknownHost, ErrUnknownAuthority, ErrCertificate, ErrUnreachable,
// or nil.
func (e *DocumentError) Unwrap() error { return e.cause }

// FetchJSON fetches a document of at most maxBytes. Only status 200 and a content type of JSON are accepted.
// Its error is a *DocumentError, or that of ctx.
func (c *Client) FetchJSON(ctx context.Context, address string, maxBytes int64) (Document, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Document{}, &DocumentError{Reason: "has an address that is not valid"}
	}
	return c.RequestJSON(r, maxBytes)
}

// RequestJSON is FetchJSON with a request that may have more headers.
func (c *Client) RequestJSON(r *http.Request, maxBytes int64) (Document, error) {
	r.Header.Set("Accept", "application/json")
	resp, err := c.Fetch(r, maxBytes)
	if failed := resp.requireJSON(); failed != nil {
		return Document{}, failed
	}
	if err != nil {
		return Document{}, err
	}
	return Document{Body: resp.Body, MaxAge: maxAge(resp.Header, time.Now())}, nil
}

// A Response is a response with a bounded body. Its Status is zero if there was none.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Fetch sends a request, and reads a response with a body of at most maxBytes. Its error is a *DocumentError,
// or that of the request's context. The response has its status and header also if its body could not be
// read.
func (c *Client) Fetch(r *http.Request, maxBytes int64) (Response, error) {
	r.Header.Set("User-Agent", "research")
	resp, err := c.Do(r)
	if err != nil {
		return Response{}, documentError(r.Context(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	fetched := Response{Status: resp.StatusCode, Header: resp.Header}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	switch {
	case err != nil:
		return fetched, documentError(r.Context(), err)
	case int64(len(body)) > maxBytes:
		return fetched, &DocumentError{Reason: "is larger than " + strconv.FormatInt(maxBytes>>10, 10) + " KB"}
	}
	fetched.Body = body
	return fetched, nil
}

// requireJSON rejects a response that is not one of status 200 with JSON. It does not know responses that did
// not arrive.
func (r Response) requireJSON() error {
	switch {
	case r.Status == 0:
		return nil
	case r.Status >= 300 && r.Status < 400:
		return &DocumentError{Reason: "is a redirect, and redirects are not followed"}
	case r.Status != http.StatusOK:
		return &DocumentError{
			Reason: "was answered with status " + strconv.Itoa(r.Status), Temporary: isTemporary(r.Status),
		}
	case !isJSON(r.Header.Get("Content-Type")):
		return &DocumentError{Reason: "does not have the content type application/json"}
	}
	return nil
}

func isTemporary(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// isJSON reports whether a content type is application/json, or one that is derived from it.
func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == "application/json" ||
		strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json"))
}

func documentError(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name *net.DNSError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrPrivate):
		return &DocumentError{Reason: "is at a private address", cause: ErrPrivate}
	case errors.As(err, &authority):
		return &DocumentError{
			Reason: "cannot be fetched: the certificate authority of its host is unknown", cause: ErrUnknownAuthority,
		}
	case errors.As(err, &certificate):
		return &DocumentError{
			Reason: "cannot be fetched: the certificate of its host is not valid", cause: ErrCertificate,
		}
	case errors.As(err, &name) && name.IsNotFound:
		return &DocumentError{
			Reason: "cannot be fetched: the name of its host is unknown", Temporary: true, cause: ErrUnknownHost,
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &DocumentError{Reason: "did not arrive in time", Temporary: true, cause: ErrUnreachable}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &DocumentError{
			Reason: "cannot be fetched: its host refuses connections", Temporary: true, cause: ErrUnreachable,
		}
	}
	return &DocumentError{
		Reason: "cannot be fetched: no connection could be made, or it broke", Temporary: true,
		cause: ErrUnreachable,
	}
}

// maxAge returns how long a response is fresh (RFC 9111, section 4.2). It is zero if the response must not be
// kept, or does not say so.
func maxAge(header http.Header, now time.Time) time.Duration {
	fresh := time.Duration(0)
	directives := map[string]string{}
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		directives[strings.ToLower(name)] = strings.Trim(value, `"`)
	}
	for _, never := range []string{"no-store", "no-cache", "private"} {
		if _, found := directives[never]; found {
			return 0
		}
	}
	seconds, shared := directives["s-maxage"]
	if !shared {
		seconds, shared = directives["max-age"]
	}
	if shared {
		fresh = deltaSeconds(seconds)
	} else if expires, err := http.ParseTime(header.Get("Expires")); err == nil {
		from, err := http.ParseTime(header.Get("Date"))
		if err != nil {
			from = now
		}
		fresh = expires.Sub(from)
	}
	return max(0, fresh-deltaSeconds(header.Get("Age")))
}

// deltaSeconds reads a number of seconds (RFC 9111, section 1.2.2); one that is too large is a year.
func deltaSeconds(s string) time.Duration {
	const year = 365 * 24 * 60 * 60
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		n = year
	case err != nil:
		return 0
	}
	return time.Duration(min(n, year)) * time.Second
}
