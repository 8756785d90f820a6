package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// A response is what is kept of a server's answer beside what the client makes of it: the client loses status and Retry-After of bodies that are not
// OpenAI's (Ollama's {"error": "text"}, Gemini's arrays) and takes an error behind a 200 for an answer.
type response struct {
	status     int
	retryAfter time.Duration
	failure    *failure // what the body says went wrong
}

type responseKey struct{}

const (
	// maxErrorBody is enough to tell what kind of error it is.
	maxErrorBody = 64 << 10
	// maxAnswerBody is more than any model writes.
	maxAnswerBody = 8 << 20
)

var errAnswerTooLarge = errors.New("the answer is too large")

// keepResponse is the client's middleware.
func keepResponse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	kept, _ := req.Context().Value(responseKey{}).(*response)
	if err != nil || kept == nil {
		return resp, err
	}
	kept.status = resp.StatusCode
	kept.retryAfter = retryAfter(resp.Header, time.Now())
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if resp.StatusCode >= 400 || len(head) < maxErrorBody {
		kept.failure = readFailure(head)
	}
	body := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), &rest{body: body, err: err, left: maxAnswerBody}), body}
	return resp, nil
}

// rest reads on, up to a limit, or repeats the error that reading the head ended with.
type rest struct {
	body io.Reader
	err  error
	left int
}

func (r *rest) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.body.Read(p)
	if r.left -= n; r.left < 0 {
		return n, errAnswerTooLarge
	}
	return n, err
}

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 60 * time.Second

// retryAfter reads the header in its three forms: milliseconds (OpenAI's own), seconds, and a date (RFC 9110 §10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := time.Duration(0)
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		wait = seconds(ms / 1000)
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		wait = seconds(s)
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// seconds avoids the overflow of absurd values; NaN is none.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// A failure is what an error's body says: in words (lower case), and by a status of its own, 0 where it has none.
type failure struct {
	words      string
	status     int
	retryAfter time.Duration
}

// readFailure reads {"error": {…}}, {"error": "text"}, [{"error": {…}}], and the {"detail": …} and {"message": "text"} of proxies; nil where there is no
// error in the body. Only the fields that name the error are read: some servers repeat the question beside them.
func readFailure(raw []byte) *failure {
	raw = bytes.TrimSpace(raw)
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Object  string          `json:"object"`
		Code    any             `json:"code"`
		Type    any             `json:"type"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	var f failure
	switch {
	case len(body.Error) > 0 && string(body.Error) != "null":
		f.read(body.Error)
	case body.Object == "error": // vLLM's older form: the error is the body
		f.read(raw)
	case len(body.Message) > 0, len(body.Detail) > 0:
		f.read(body.Message)
		f.read(body.Detail)
	default:
		return nil
	}
	return &f
}

// read adds what one part of the body says: a text, an object, or a list of such.
func (f *failure) read(raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		f.words += " " + strings.ToLower(text)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			f.read(item)
		}
		return
	}
	var object struct {
		Message    any `json:"message"`
		Msg        any `json:"msg"`
		Type       any `json:"type"`
		Status     any `json:"status"`
		Code       any `json:"code"`
		Param      any `json:"param"`
		InnerError struct {
			Code any `json:"code"`
		} `json:"innererror"`
		Details []struct {
			Reason     any `json:"reason"`
			RetryDelay any `json:"retryDelay"`
		} `json:"details"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return
	}
	said := []any{object.Message, object.Msg, object.Type, object.Status, object.Code, object.Param, object.InnerError.Code}
	for _, d := range object.Details {
		said = append(said, d.Reason)
		if delay, ok := d.RetryDelay.(string); ok {
			if wait, err := time.ParseDuration(delay); err == nil {
				f.retryAfter = min(max(wait, 0), maxRetryAfter)
			}
		}
	}
	for _, field := range said {
		if s, ok := field.(string); ok {
			f.words += " " + strings.ToLower(s)
		}
	}
	switch c := object.Code.(type) {
	case float64:
		f.status = int(c)
	case string:
		if n, err := strconv.Atoi(c); err == nil {
			f.status = n
		}
	}
}

func (f *failure) says(hints ...string) bool {
	if f == nil {
		return false
	}
	for _, hint := range hints {
		if strings.Contains(f.words, hint) {
			return true
		}
	}
	return false
}

// classify says what kind of failure a response is; nil where it is none. err is the client's.
func (r *response) classify(err error) *Error {
	status := r.status
	if status < 400 && r.failure != nil {
		if status = r.failure.status; status < 400 || status > 599 { // an error without a number behind a 200
			status = http.StatusBadGateway
		}
	}
	if status < 400 {
		if err == nil {
			return nil
		}
		return &Error{Kind: Unavailable, Status: r.status} // no connection, cut off, timed out, or no JSON at all
	}
	e := &Error{Kind: r.failure.kind(status), Status: status}
	if e.Kind == RateLimited || e.Kind == Unavailable {
		e.RetryAfter = r.retryAfter
		if e.RetryAfter == 0 && r.failure != nil {
			e.RetryAfter = r.failure.retryAfter
		}
	}
	return e
}

// kind goes by the code or the words where the status alone would mislead. The words are those of OpenAI, Azure, Gemini, Groq, OpenRouter, Ollama,
// llama.cpp, vLLM and LM Studio.
func (f *failure) kind(status int) Kind {
	switch {
	case status == http.StatusPaymentRequired,
		f.says("insufficient_quota", "billing_hard_limit", "billing_not_active", "insufficient credits", "requires more credits", "insufficient balance"):
		return NoCredit
	case status == http.StatusRequestEntityTooLarge,
		f.says("context_length_exceeded", "context length", "context window", "context_window", "exceed_context_size", "available context size", "prompt is too long",
			"prompt too long", "too many tokens", "input is too long", "input token count", "request too large", "maximum input length"):
		return TooLong
	case f.says("content_filter", "content_policy", "content management policy", "responsibleaipolicyviolation", "requires moderation", "flagged by"):
		return Refused
	case f.says("json_validate_failed", "failed to generate json"): // Groq: the model did not keep to the schema
		return BadAnswer
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status < 500 && f.says("invalid_api_key", "api key not valid", "api_key_invalid", "incorrect api key"):
		return BadKey
	case status != http.StatusTooManyRequests && f.says("response_format", "json_schema", "json schema", "structured output", "grammar", "requested parameters"):
		return BadRequest // llama.cpp answers 500 to a schema that it cannot compile, OpenRouter 404
	case status == http.StatusNotFound, f.says("model_not_found", "deploymentnotfound", "model_not_available"):
		return ModelNotFound
	case status == http.StatusTooManyRequests, f.says("rate_limit_exceeded", "resource_exhausted"):
		return RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500 && status != http.StatusNotImplemented:
		return Unavailable
	}
	return BadRequest
}
