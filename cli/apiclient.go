package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"time"

	"research/config"
)

// maxAnswer bounds the answer to a request, in bytes.
const maxAnswer = 64 << 20

// apiHTTP follows no redirect: another host would get the keys. It waits for an answer for longer than the
// service takes for one (server.writeTimeout), which does not count the time of an upload.
var apiHTTP = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // of net/http
	transport.ResponseHeaderTimeout = 6 * time.Minute
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}()

// An apiClient calls the HTTP API, so that what commands do passes the same checks as what other clients do.
type apiClient struct{ url, key, bearer string }

// newAPIClient returns a client that acts for the user of RESEARCH_TOKEN, or as an operator with the service
// key.
func newAPIClient(cfg config.Config) (*apiClient, error) {
	if cfg.MCP.Token != "" {
		if err := cfg.Require("ANON_KEY"); err != nil {
			return nil, err
		}
		return &apiClient{url: cfg.HTTP.PublicURL, key: cfg.Keys.Anon, bearer: cfg.MCP.Token}, nil
	}
	if err := cfg.Require("SERVICE_ROLE_KEY"); err != nil {
		return nil, err
	}
	return &apiClient{url: cfg.HTTP.PublicURL, key: cfg.Keys.Service, bearer: cfg.Keys.Service}, nil
}

func (c *apiClient) get(ctx context.Context, path string, answer any) error {
	return c.do(ctx, http.MethodGet, path, "", nil, answer)
}

// post sends body as JSON; nil means no body.
func (c *apiClient) post(ctx context.Context, path string, body, answer any) error {
	if body == nil {
		return c.do(ctx, http.MethodPost, path, "", nil, answer)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, "application/json", bytes.NewReader(raw), answer)
}

// upload sends a file as a multipart form, with these fields beside it.
func (c *apiClient) upload(
	ctx context.Context, path, file string, content []byte, fields map[string]string, answer any,
) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", filepath.Base(file))
	if err != nil {
		return err
	}
	if _, err := part.Write(content); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, form.FormDataContentType(), &body, answer)
}

// do sends a request and decodes the answer. The error of a refused request is the API's message.
func (c *apiClient) do(
	ctx context.Context, method, path, contentType string, body io.Reader, answer any,
) error {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("apikey", c.key)
	r.Header.Set("Authorization", "Bearer "+c.bearer)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := apiHTTP.Do(r)
	if err != nil {
		return fmt.Errorf("%w (PUBLIC_URL is the address of the API)", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(content) > maxAnswer {
		return fmt.Errorf("the answer of %s is longer than %d MB", c.url, maxAnswer>>20)
	}
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		return fmt.Errorf("%s redirects to %q, and was not followed: set PUBLIC_URL to the address that the "+
			"service itself has", c.url, printable(location))
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		var refused struct{ Message string }
		if json.Unmarshal(content, &refused) != nil || refused.Message == "" {
			return fmt.Errorf("%s answers %s: is PUBLIC_URL the address of the API?", c.url, response.Status)
		}
		return errors.New(printable(refused.Message))
	}
	return json.Unmarshal(content, answer)
}
