package publicnet

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Document is a JSON document of a stranger.
type Document struct {
	Body []byte
	// MaxAge is how long its server lets others keep it; zero if it does not say so.
	MaxAge time.Duration
}

// A DocumentError says why there is no document, as the end of a sentence. It repeats no address.
type DocumentError struct{ Reason string }

func (e *DocumentError) Error() string { return "the document " + e.Reason }

// FetchJSON fetches a document of at most maxBytes. Only status 200 and a content type of JSON are accepted.
// Its error is a *DocumentError, or that of ctx.
func (c *Client) FetchJSON(ctx context.Context, address string, maxBytes int64) (Document, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Document{}, &DocumentError{"has an address that is not valid"}
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "research")
	resp, err := c.Do(r)
	if err != nil {
		return Document{}, documentError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return Document{}, &DocumentError{"is a redirect, and redirects are not followed"}
	case resp.StatusCode != http.StatusOK:
		return Document{}, &DocumentError{"was answered with status " + strconv.Itoa(resp.StatusCode)}
	case !isJSON(resp.Header.Get("Content-Type")):
		return Document{}, &DocumentError{"does not have the content type application/json"}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if err != nil {
		return Document{}, documentError(ctx, err)
	}
	if int64(len(body)) > maxBytes {
		return Document{}, &DocumentError{"is larger than " + strconv.FormatInt(maxBytes>>10, 10) + " KB"}
	}
	return Document{Body: body, MaxAge: maxAge(resp.Header, time.Now())}, nil
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
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrPrivate):
		return &DocumentError{"is at a private address"}
	case errors.As(err, &certificate):
		return &DocumentError{"cannot be fetched: the certificate of its host is not valid"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &DocumentError{"did not arrive in time"}
	}
	return &DocumentError{"cannot be fetched: no connection could be made, or it broke"}
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
