package openai

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"research/activities/extract"
	"research/outcome"
)

// A reply is the HTTP response to a call. It is read here, and not by the client library, which loses the
// status and Retry-After of errors that are not in OpenAI's form (Ollama's {"error": "text"}, Gemini's
// arrays), takes an error with status 200 for a completion, and rejects odd completions.
type reply struct {
	status     int
	retryAfter time.Duration
	body       any   // decoded, or nil if it is not JSON
	err        error // that ended the body early

	lines   *answerLines // of the text while it arrives, or nil
	written string       // text and thoughts that arrived as a stream
	endless bool         // the stream was longer than anything that is read
}

// replyKey is the context's key of the *reply that captureReply fills in.
type replyKey struct{}

// maxCompletionBody is more than any model writes.
const maxCompletionBody = 8 << 20

// captureReply is the client's middleware. It leaves an empty body to the library.
func captureReply(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	got, _ := req.Context().Value(replyKey{}).(*reply)
	if err != nil || got == nil {
		return resp, err
	}
	got.status = resp.StatusCode
	got.retryAfter = retryAfter(resp.Header, time.Now())
	if got.lines != nil && got.status < 400 {
		got.readStream(resp.Body)
	} else {
		got.readWhole(resp.Body)
	}
	_ = resp.Body.Close()
	resp.Body = http.NoBody
	return resp, nil
}

// readWhole reads the body at once.
func (r *reply) readWhole(body io.Reader) {
	raw, err := io.ReadAll(io.LimitReader(body, maxCompletionBody))
	if r.body, r.err = readBody(raw), err; r.body == nil && r.status >= 400 {
		r.body = plainError(raw)
	}
}

// plainError returns the words of an error that is neither JSON nor a page.
func plainError(raw []byte) any {
	raw = bytes.TrimSpace(raw[:min(len(raw), maxErrorText)])
	if bytes.HasPrefix(raw, []byte("<")) {
		return nil
	}
	return map[string]any{"error": strings.ToValidUTF8(string(raw), "")}
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

// classify returns the error that a reply stands for, and what the server says of it, if anything. Both are
// nil for a completion with a choice. If the status reports success, choices are read first: some servers
// write an error beside them that is none.
func (r *reply) classify(a answer) (*extract.Error, *failure) {
	said := readFailure(r.body)
	switch {
	case r.status >= 400:
		return r.failed(said.code(r.status), r.status, said), said
	case r.status == 0, r.err != nil: // no connection, a timeout, or one that was cut
		return &extract.Error{Code: outcome.CodeModelUnavailable, Status: r.status}, nil
	case a.isAnswered(), a.hasChoice && said == nil:
		return nil, nil
	}
	if said != nil && said.status >= 400 { // OpenRouter
		return r.failed(said.code(said.status), said.status, said), said
	}
	if code := said.named(r.status); code != "" { // LM Studio
		return r.failed(code, r.status, said), said
	}
	if a.isCompletion { // without a choice
		return &extract.Error{Code: outcome.CodeModelBadAnswer, Status: r.status}, said
	}
	return &extract.Error{Code: outcome.CodeModelUnavailable, Status: r.status, NoCompletion: true}, said
}

// failed returns the error with a code. What may pass is retried when the server says.
func (r *reply) failed(code outcome.Code, status int, said *failure) *extract.Error {
	e := &extract.Error{Code: code, Status: status}
	if code == outcome.CodeModelRateLimited || code == outcome.CodeModelUnavailable {
		e.RetryAfter = r.retryAfter
		if e.RetryAfter == 0 && said != nil {
			e.RetryAfter = said.retryAfter
		}
	}
	return e
}
