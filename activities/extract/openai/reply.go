package openai

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"

	"research/activities/extract"
	"research/outcome"
)

// A reply is the part of an HTTP response that the client library drops: it loses the status and Retry-After
// of errors that are not in OpenAI's form (Ollama's {"error": "text"}, Gemini's arrays), and takes an error
// with status 200 for a completion.
type reply struct {
	status     int
	retryAfter time.Duration
	failure    *failure // the error that the body reports, if any
}

// replyKey is the context's key of the *reply that captureReply fills in.
type replyKey struct{}

const (
	// maxErrorBody is how much of a body is read for an error.
	maxErrorBody = 64 << 10
	// maxCompletionBody is more than any model writes.
	maxCompletionBody = 8 << 20
)

// captureReply is the client's middleware.
func captureReply(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	got, _ := req.Context().Value(replyKey{}).(*reply)
	if err != nil || got == nil {
		return resp, err
	}
	got.status = resp.StatusCode
	got.retryAfter = retryAfter(resp.Header, time.Now())
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if resp.StatusCode >= 400 || len(head) < maxErrorBody {
		got.failure = readFailure(head)
	}
	body := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), &remainder{body: body, err: err, left: maxCompletionBody}), body}
	return resp, nil
}

var errCompletionTooLarge = errors.New("the completion is too large")

// A remainder reads the rest of a body up to a limit, or repeats the error that reading its head returned.
type remainder struct {
	body io.Reader
	err  error
	left int
}

func (r *remainder) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.body.Read(p)
	if r.left -= n; r.left < 0 {
		return n, errCompletionTooLarge
	}
	return n, err
}

// maxRetryAfter bounds the delay that a server may request.
const maxRetryAfter = 60 * time.Second

// retryAfter reads the header in its three forms: milliseconds (OpenAI's own), seconds, and a date (RFC 9110
// §10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	delay := time.Duration(0)
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		delay = seconds(ms / 1000)
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		delay = seconds(s)
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		delay = at.Sub(now)
	}
	return min(max(delay, 0), maxRetryAfter)
}

// seconds converts without overflow; NaN and negative numbers are 0.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// classify returns the error that a reply stands for, or nil if it is a success. err is the client's.
func (r *reply) classify(err error) *extract.Error {
	status := r.status
	if status < 400 && r.failure != nil {
		status = r.failure.status
		if status < 400 || status > 599 { // an error without a status in a response with status 200
			status = http.StatusBadGateway
		}
	}
	if status < 400 {
		if err == nil {
			return nil
		}
		// No connection, a connection that was cut, a timeout, or a body that is not JSON.
		return &extract.Error{Code: outcome.CodeModelUnavailable, Status: r.status}
	}
	e := &extract.Error{Code: r.failure.code(status), Status: status}
	if e.Code == outcome.CodeModelRateLimited || e.Code == outcome.CodeModelUnavailable {
		e.RetryAfter = r.retryAfter
		if e.RetryAfter == 0 && r.failure != nil {
			e.RetryAfter = r.failure.retryAfter
		}
	}
	return e
}
