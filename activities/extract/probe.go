package extract

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
)

// maxModelList is above the list of models of any server; OpenRouter's is about a megabyte.
const maxModelList = 8 << 20

// Probe asks the server for its list of models, which costs nothing. Its error is an *Error: BadKey, Unavailable, or ModelNotFound where the list lacks the configured one. A
// server without a list is fine.
func (o *OpenAI) Probe(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.cfg.BaseURL+"/models", nil)
	if err != nil {
		return &Error{Kind: Unavailable}
	}
	if o.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+o.cfg.APIKey)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return &Error{Kind: Unavailable}
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return &Error{Kind: BadKey, Status: resp.StatusCode}
	case resp.StatusCode >= http.StatusInternalServerError:
		return &Error{Kind: Unavailable, Status: resp.StatusCode}
	case resp.StatusCode != http.StatusOK:
		return nil
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxModelList)).Decode(&list)
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	// Ollama lists "llama3.2:latest" for what is asked for as "llama3.2".
	if err == nil && len(names) > 0 && !slices.Contains(names, o.cfg.Model) && !slices.Contains(names, o.cfg.Model+":latest") {
		return &Error{Kind: ModelNotFound, Status: resp.StatusCode}
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &Error{Kind: Unavailable}
	}
	return nil
}
