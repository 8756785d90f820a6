package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"research/outcome"
)

// A failure is the error that a response's body reports.
type failure struct {
	text       string // messages and codes, in lower case
	status     int    // HTTP status in the body, or 0
	retryAfter time.Duration
}

// readFailure reads {"error": {…}}, {"error": "text"}, [{"error": {…}}], and the {"detail": …} and
// {"message": "text"} of proxies. It returns nil if the body reports no error. It reads only the members that
// name the error, since some servers repeat the request beside them.
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

// read adds one part of the body: a text, an object, or a list of these.
func (f *failure) read(raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		f.text += " " + strings.ToLower(text)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			f.read(item)
		}
		return
	}
	var object failureObject
	if json.Unmarshal(raw, &object) == nil {
		f.readObject(object)
	}
}

// A failureObject holds the members by which servers name an error. Their types vary.
type failureObject struct {
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

func (f *failure) readObject(o failureObject) {
	named := []any{o.Message, o.Msg, o.Type, o.Status, o.Code, o.Param, o.InnerError.Code}
	for _, d := range o.Details {
		named = append(named, d.Reason)
		text, _ := d.RetryDelay.(string)
		if delay, err := time.ParseDuration(text); err == nil {
			f.retryAfter = min(max(delay, 0), maxRetryAfter)
		}
	}
	for _, value := range named {
		if s, ok := value.(string); ok {
			f.text += " " + strings.ToLower(s)
		}
	}
	switch code := o.Code.(type) {
	case float64:
		f.status = int(code)
	case string:
		if n, err := strconv.Atoi(code); err == nil {
			f.status = n
		}
	}
}

// The phrases by which servers name an error whose HTTP status alone would mislead. They are those of OpenAI,
// Azure, Gemini, Groq, OpenRouter, Ollama, llama.cpp, vLLM and LM Studio.
var (
	creditPhrases = []string{
		"insufficient_quota", "billing_hard_limit", "billing_not_active", "insufficient credits",
		"requires more credits", "insufficient balance",
	}
	lengthPhrases = []string{
		"context_length_exceeded", "context length", "context window", "context_window", "exceed_context_size",
		"available context size", "prompt is too long", "prompt too long", "too many tokens", "input is too long",
		"input token count", "request too large", "maximum input length", "context length of only",
	}
	refusalPhrases = []string{
		"content_filter", "content_policy", "content management policy", "responsibleaipolicyviolation",
		"requires moderation", "flagged by",
	}
	badAnswerPhrases = []string{"json_validate_failed", "failed to generate json"} // Groq
	badKeyPhrases    = []string{"invalid_api_key", "api key not valid", "api_key_invalid", "incorrect api key"}
	formatPhrases    = []string{
		"response_format", "json_schema", "json schema", "structured output", "grammar", "requested parameters",
	}
	noModelPhrases   = []string{"model_not_found", "deploymentnotfound", "model_not_available"}
	rateLimitPhrases = []string{"rate_limit_exceeded", "resource_exhausted"}
)

// code classifies the error by its phrases first, then by the HTTP status.
func (f *failure) code(status int) outcome.Code {
	switch {
	case status == http.StatusPaymentRequired, f.mentions(creditPhrases):
		return outcome.CodeModelNoCredit
	case status == http.StatusRequestEntityTooLarge, f.mentions(lengthPhrases):
		return outcome.CodeModelTooLong
	case f.mentions(refusalPhrases):
		return outcome.CodeModelRefused
	case f.mentions(badAnswerPhrases):
		return outcome.CodeModelBadAnswer
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status < 500 && f.mentions(badKeyPhrases):
		return outcome.CodeModelKeyRejected
	case status != http.StatusTooManyRequests && f.mentions(formatPhrases):
		// llama.cpp returns 500 for a schema that it cannot compile, OpenRouter 404.
		return outcome.CodeModelBadRequest
	case status == http.StatusNotFound, f.mentions(noModelPhrases):
		return outcome.CodeModelNotFound
	case status == http.StatusTooManyRequests, f.mentions(rateLimitPhrases):
		return outcome.CodeModelRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly,
		status >= 500 && status != http.StatusNotImplemented:
		return outcome.CodeModelUnavailable
	}
	return outcome.CodeModelBadRequest
}

// mentions reports whether the error contains one of the phrases.
func (f *failure) mentions(phrases []string) bool {
	return f != nil && slices.ContainsFunc(phrases, func(phrase string) bool {
		return strings.Contains(f.text, phrase)
	})
}
