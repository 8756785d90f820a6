package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"research/activities/extract"
	"research/outcome"
)

// maxModelList is more than any server's list of models; OpenRouter's is about a megabyte.
const maxModelList = 8 << 20

// Errors of Probe that no call to the model has.
var (
	ErrNotListed = errors.New("the server has no list of models")
	ErrNotAPI    = errors.New("what answers at the address is no model server")
)

// Probe requests the server's list of models, which is free. Its error is an *Error with the code of a
// rejected key, an unavailable server, or a model that the list lacks; ErrNotAPI if a web page or nothing is
// at the address; and ErrNotListed if the server has no such list, so that the model could not be verified.
func (o *Extractor) Probe(ctx context.Context) error {
	reply, err := o.get(ctx, o.cfg.BaseURL)
	switch {
	case err != nil:
		return &extract.Error{Code: outcome.CodeModelUnavailable}
	case reply.status == http.StatusUnauthorized, reply.status == http.StatusForbidden:
		return &extract.Error{Code: outcome.CodeModelKeyRejected, Status: reply.status}
	case reply.status >= http.StatusInternalServerError:
		return &extract.Error{Code: outcome.CodeModelUnavailable, Status: reply.status}
	case reply.names == nil && !reply.isJSON && !o.completes(ctx):
		return ErrNotAPI
	case reply.status != http.StatusOK || len(reply.names) == 0:
		return ErrNotListed
	case !slices.ContainsFunc(reply.names, func(name string) bool { return isListedAs(o.cfg.Model, name) }):
		return &extract.Error{Code: outcome.CodeModelNotFound, Status: reply.status}
	}
	return nil
}

// WorkingAddress returns another base URL on the same server that lists models, or "": people forget /v1, or
// copy the address of one function.
func (o *Extractor) WorkingAddress(ctx context.Context) string {
	base := o.cfg.BaseURL
	for _, suffix := range []string{
		"/chat/completions", "/completions", "/responses", "/models", "/chat", "/api",
	} {
		base = strings.TrimSuffix(base, suffix)
	}
	for _, address := range []string{base, base + "/v1"} {
		if address == o.cfg.BaseURL {
			continue
		}
		if reply, err := o.get(ctx, address); err == nil && reply.names != nil {
			return address
		}
	}
	return ""
}

// A modelList is what a server answers to a request for its models.
type modelList struct {
	status int
	isJSON bool
	names  []string // nil if the answer is no list
}

// get requests the list of models at a base URL.
func (o *Extractor) get(ctx context.Context, base string) (modelList, error) {
	resp, err := o.send(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return modelList{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	reply := modelList{status: resp.StatusCode}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxModelList))
	if err != nil {
		return modelList{}, err
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	reply.isJSON = json.Valid(body)
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &list) != nil || list.Data == nil {
		return reply, nil
	}
	reply.names = []string{}
	for _, m := range list.Data {
		reply.names = append(reply.names, m.ID)
	}
	return reply, nil
}

// completes reports whether there is a path for completions, by a request that every server rejects, for
// free. Servers without a list of models have it.
func (o *Extractor) completes(ctx context.Context) bool {
	resp, err := o.send(ctx, http.MethodPost, o.cfg.BaseURL+"/chat/completions", strings.NewReader("{}"))
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusTooManyRequests:
		return !strings.Contains(resp.Header.Get("Content-Type"), "html")
	}
	return false
}

func (o *Extractor) send(ctx context.Context, method, url string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+o.cfg.APIKey)
	}
	return http.DefaultClient.Do(req)
}

// A Form is how a server lets JSON be requested.
type Form string

// The forms, the strictest first.
const (
	FormSchema Form = "schema"
	FormObject Form = "object"
	FormPrompt Form = "prompt" // by words alone, because the server rejects both
)

// Form returns the form of the requests that the server has accepted.
func (o *Extractor) Form() Form {
	d, _ := o.dialect.get()
	switch d.format {
	case formatSchema:
		return FormSchema
	case formatObject:
		return FormObject
	case formatPrompt:
	}
	return FormPrompt
}

// BaseURL returns the address of the server.
func (o *Extractor) BaseURL() string { return o.cfg.BaseURL }

// isListedAs reports whether a listing's name is that of a model. Ollama lists "llama3.2" as
// "llama3.2:latest", Gemini "gemini-2.5-flash" as "models/gemini-2.5-flash".
func isListedAs(model, listed string) bool {
	model, listed = strings.TrimPrefix(model, "models/"), strings.TrimPrefix(listed, "models/")
	return listed == model || listed == model+":latest"
}
