package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
)

// A demoClient is a client of the API.
type demoClient struct{ base, key, token string }

func (c demoClient) post(ctx context.Context, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, "application/json", bytes.NewReader(raw), into)
}

func (c demoClient) patch(ctx context.Context, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPatch, path, "application/json", bytes.NewReader(raw), nil)
}

func (c demoClient) get(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodGet, path, "", nil, into)
}

// upload uploads an interview of Lena Fischer with a persona, or without one where that is empty.
func (c demoClient) upload(
	ctx context.Context, filename, title, persona string, data []byte,
) (id string, err error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	fields := map[string]string{
		"project_id": demoProject.String(), "title": title,
		"speakers": `{"Lena Fischer": {"role": "interviewer"}}`,
	}
	if persona != "" {
		fields["persona_id"] = persona
	}
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			return "", err
		}
	}
	part, err := w.CreateFormFile("file", filename)
	if err != nil {
		return "", err
	}
	if _, err := part.Write(data); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	var answer struct {
		ImportID string `json:"importId"`
	}
	err = c.do(ctx, http.MethodPost, "/api/import", w.FormDataContentType(), &form, &answer)
	return answer.ImportID, err
}

func (c demoClient) do(
	ctx context.Context, method, path, contentType string, body io.Reader, into any,
) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("apikey", c.key)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}
