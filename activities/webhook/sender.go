package webhook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"research/internal/publicnet"
)

// Config configures the sender. The zero value is that of production.
type Config struct {
	// AllowedHosts are exempt from the rules about addresses and https: "host" or "host:port" as in the URL.
	AllowedHosts []string
	// Timeout bounds an attempt; zero means Timeout.
	Timeout time.Duration
}

// Timeout is how long a receiver may take to answer. The specification recommends 15 to 30 seconds.
const Timeout = 15 * time.Second

// excerptBytes is how much of an answer is read and kept.
const excerptBytes = 1 << 10

// A Message is one attempt to deliver an event.
type Message struct {
	URL     string
	Secrets []string // whsec_…; several while a secret is being replaced
	ID      string   // the same in every attempt
	Body    []byte   // JSON
}

// A Response is that of a receiver.
type Response struct {
	Status  int
	Excerpt string // the beginning of the body, as valid UTF-8
}

// Accepted reports whether the receiver has taken the event.
func (r Response) Accepted() bool { return r.Status >= 200 && r.Status < 300 }

// Gone reports whether the receiver wants no more events (status 410).
func (r Response) Gone() bool { return r.Status == http.StatusGone }

// An Error says to an admin why there was no answer. It repeats no address.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

// Reasons of errors.
const (
	ReasonURL     = "The URL is not valid."
	ReasonNoTLS   = "The URL must begin with https://."
	ReasonPrivate = "The host is a private address."
	ReasonTimeout = "There was no answer in time."
	ReasonBroken  = "No connection could be made, or it broke before the answer."
)

// A Sender sends events. It is safe for concurrent use.
type Sender struct {
	client *publicnet.Client
	now    func() time.Time
}

// NewSender returns a Sender.
func NewSender(cfg Config) *Sender {
	return &Sender{now: time.Now, client: publicnet.NewClient(publicnet.Config{
		ExemptHosts: cfg.AllowedHosts, Timeout: cmp.Or(cfg.Timeout, Timeout),
	})}
}

// Send sends an event once. Its error is an *Error, or that of ctx.
func (s *Sender) Send(ctx context.Context, m Message) (Response, error) {
	target, err := url.Parse(m.URL)
	if err != nil || target.Hostname() == "" || target.User != nil {
		return Response{}, &Error{ReasonURL}
	}
	if target.Scheme != "https" && !s.client.Exempts(target) {
		return Response{}, &Error{ReasonNoTLS}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Response{}, &Error{ReasonURL}
	}
	at := s.now()
	signature, err := sign(m.Secrets, m.ID, at, m.Body)
	if err != nil {
		return Response{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "research-webhooks")
	req.Header.Set("Webhook-Id", m.ID)
	req.Header.Set("Webhook-Timestamp", timestamp(at))
	req.Header.Set("Webhook-Signature", signature)
	resp, err := s.client.Do(req)
	if err != nil {
		return Response{}, reasonOf(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	// The status decides. An excerpt that breaks off is one as well.
	excerpt, _ := io.ReadAll(io.LimitReader(resp.Body, excerptBytes))
	return Response{Status: resp.StatusCode, Excerpt: readable(excerpt)}, nil
}

// reasonOf translates an error of net/http, whose text has the address.
func reasonOf(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, publicnet.ErrPrivate):
		return &Error{ReasonPrivate}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{ReasonTimeout}
	}
	return &Error{ReasonBroken}
}

// readable drops what PostgreSQL cannot store.
func readable(text []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(text), ""), "\x00", "")
}
