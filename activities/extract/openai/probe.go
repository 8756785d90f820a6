package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"research/activities/extract"
	"research/outcome"
)

// maxModelList is more than any server's list of models; OpenRouter's is about a megabyte.
const maxModelList = 8 << 20

// Probe requests the server's list of models, which is free. Its error is an *Error with the code of a
// rejected key, an unavailable server, or a model that the list lacks. A server without such a list passes.
func (o *Extractor) Probe(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.cfg.BaseURL+"/models", nil)
	if err != nil {
		return &extract.Error{Code: outcome.CodeModelUnavailable}
	}
	if o.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+o.cfg.APIKey)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return &extract.Error{Code: outcome.CodeModelUnavailable}
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return &extract.Error{Code: outcome.CodeModelKeyRejected, Status: resp.StatusCode}
	case resp.StatusCode >= http.StatusInternalServerError:
		return &extract.Error{Code: outcome.CodeModelUnavailable, Status: resp.StatusCode}
	case resp.StatusCode != http.StatusOK:
		return nil
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxModelList)).Decode(&list)
	if err != nil && ctx.Err() != nil {
		return &extract.Error{Code: outcome.CodeModelUnavailable}
	}
	if err != nil || len(list.Data) == 0 {
		return nil
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	if !slices.ContainsFunc(names, func(name string) bool { return isListedAs(o.cfg.Model, name) }) {
		return &extract.Error{Code: outcome.CodeModelNotFound, Status: resp.StatusCode}
	}
	return nil
}

// isListedAs reports whether a listing's name is that of a model. Ollama lists "llama3.2" as
// "llama3.2:latest", Gemini "gemini-2.5-flash" as "models/gemini-2.5-flash".
func isListedAs(model, listed string) bool {
	model, listed = strings.TrimPrefix(model, "models/"), strings.TrimPrefix(listed, "models/")
	return listed == model || listed == model+":latest"
}
