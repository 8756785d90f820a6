package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A failure is the error that a response's body reports.
type failure struct {
	codes      string // what identifies the error: codes, types, names of parameters; in lower case
	words      string // messages, in lower case
	said       string // the first message, as the server wrote it
	status     int    // HTTP status in the body, or 0
	retryAfter time.Duration
}

// Bounds of what is read of an error.
const (
	maxErrorDepth = 8
	maxErrorItems = 16 // of a list
	maxErrorWords = 4 << 10
	maxErrorText  = 1 << 10 // of a message: what follows may repeat the request
)

// The members of an error, by what they hold. Others are not read: some servers repeat the request in them.
var (
	// reportMembers say that a body reports an error, unless they are empty.
	reportMembers = []string{"error", "errors", "message", "detail", "details"}
	nestedMembers = []string{
		"error", "errors", "message", "msg", "detail", "details", "innererror", "inner_error", "metadata", "raw",
		"title", "description", "error_description", "reason", "reasons",
	}
	codeMembers = []string{
		"code", "type", "param", "status", "error_code", "error_type", "loc", "reason", "object",
	}
	statusMembers = []string{"code", "status", "status_code", "http_status_code", "statuscode"}
)

// readFailure reads {"error": {…}}, {"error": "text"}, [{"error": {…}}], {"errors": […]}, and the {"detail":
// …} and {"message": …} of proxies and FastAPI. It returns nil if the body reports no error.
func readFailure(body any) *failure {
	if list := listOf(body); len(list) > 0 {
		body = list[0]
	}
	object, _ := body.(map[string]any)
	if !slices.ContainsFunc(reportMembers, func(name string) bool { return !isEmpty(object[name]) }) {
		return nil
	}
	var f failure
	f.read(object, 0)
	return &f
}

// read adds an object, a list, or a text, which may be JSON itself.
func (f *failure) read(v any, depth int) {
	if depth > maxErrorDepth {
		return
	}
	switch v := v.(type) {
	case string:
		var inner any
		if strings.HasPrefix(strings.TrimSpace(v), "{") && json.Unmarshal([]byte(v), &inner) == nil {
			f.read(inner, depth+1)
			return
		}
		f.addWords(v)
	case []any:
		for _, item := range v[:min(len(v), maxErrorItems)] {
			f.read(item, depth+1)
		}
	case map[string]any:
		f.readObject(v, depth)
	}
}

func (f *failure) readObject(object map[string]any, depth int) {
	for _, name := range codeMembers {
		f.addCode(object[name])
	}
	for _, name := range statusMembers {
		f.addStatus(object[name])
	}
	if delay, err := time.ParseDuration(textOf(object["retryDelay"])); err == nil {
		f.retryAfter = min(max(delay, 0), maxRetryAfter)
	}
	for _, name := range nestedMembers {
		f.read(object[name], depth+1)
	}
}

func (f *failure) addWords(text string) {
	if f.said == "" {
		f.said = text[:min(len(text), maxErrorText)]
	}
	if len(f.words) < maxErrorWords {
		f.words += " " + strings.ToLower(text[:min(len(text), maxErrorText)])
	}
}

// addCode adds an identifier, or a list of them: the place of a parameter.
func (f *failure) addCode(v any) {
	for _, item := range listOf(v) {
		if text, isText := item.(string); isText {
			f.addCode(text)
		}
	}
	if text := textOf(v); text != "" && len(text) <= 128 && len(f.codes) < maxErrorWords {
		f.codes += " " + strings.ToLower(text)
	}
}

// addStatus keeps the first status: that of the server which answered. Those within are of its providers.
func (f *failure) addStatus(v any) {
	n := int(numberOf(v))
	if text := textOf(v); text != "" {
		n, _ = strconv.Atoi(text) // "invalid_api_key" is none
	}
	if f.status == 0 && n >= 400 && n <= 599 {
		f.status = n
	}
}
