// Command quickstart uploads an interview, parses it, waits for the end, and prints the evidence. It is an
// example of a client, and uses the standard library alone.
//
//	API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… go run ./docs/quickstart interview.vtt
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

var ended = []string{"parsed", "failed", "canceled", "terminated", "timed_out"}

func run(ctx context.Context, out io.Writer, filename string) error {
	c := client{url: os.Getenv("API_URL"), key: os.Getenv("ANON_KEY")}

	// Sign in. The access token is valid for an hour.
	var session struct {
		AccessToken string `json:"access_token"`
	}
	credentials := map[string]string{"email": os.Getenv("EMAIL"), "password": os.Getenv("PASSWORD")}
	if err := c.post(ctx, "/auth/v1/token?grant_type=password", credentials, &session); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	c.token = session.AccessToken

	// A project with its hypotheses.
	type row struct{ ID string }
	var projects []struct {
		row
		Hypotheses []row
	}
	if err := c.get(ctx, "/rest/v1/projects?select=id,hypotheses!inner(id)&limit=1", &projects); err != nil {
		return fmt.Errorf("read a project: %w", err)
	}
	if len(projects) == 0 {
		return fmt.Errorf("there is no project with hypotheses")
	}
	project := projects[0]

	// Upload.
	id, err := c.upload(ctx, project.ID, filename)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}

	// Open the stream of events before the parse, so that none is missed.
	stream, err := c.send(ctx, http.MethodGet, "/api/import/"+id+"/events", "", nil)
	if err != nil {
		return fmt.Errorf("open the stream of events: %w", err)
	}
	defer func() { _ = stream.Close() }()
	var wanted struct {
		HypothesisIDs []string `json:"hypothesisIds"`
	}
	for _, hypothesis := range project.Hypotheses {
		wanted.HypothesisIDs = append(wanted.HypothesisIDs, hypothesis.ID)
	}
	if err := c.post(ctx, "/api/import/"+id+"/parse", wanted, nil); err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	if err := c.wait(ctx, id, stream); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return c.printEvidence(ctx, out, id)
}

// wait returns when an import has ended. Should the stream break, it polls.
func (c client) wait(ctx context.Context, id string, stream io.Reader) error {
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		event, _ := strings.CutPrefix(lines.Text(), "event: import.")
		if slices.Contains(ended, event) {
			break
		}
	}
	for {
		var state struct{ Status string }
		if err := c.get(ctx, "/api/import/"+id, &state); err != nil {
			return err
		}
		if slices.Contains(ended, state.Status) {
			return nil
		}
		time.Sleep(2 * time.Second)
	}
}

// printEvidence prints the evidence of an import, each with what it says about which hypothesis.
func (c client) printEvidence(ctx context.Context, out io.Writer, id string) error {
	var found []struct {
		Speaker, Quote string
		Links          []struct {
			Stance     string
			Hypotheses struct{ Statement string }
		} `json:"evidence_hypotheses"`
	}
	query := url.Values{
		"import_id": {"eq." + id},
		"select":    {"speaker,quote,evidence_hypotheses(stance,hypotheses(statement))"},
	}
	if err := c.get(ctx, "/rest/v1/evidence?"+query.Encode(), &found); err != nil {
		return fmt.Errorf("read the evidence: %w", err)
	}
	var text strings.Builder
	for _, evidence := range found {
		fmt.Fprintf(&text, "%s: %s\n", evidence.Speaker, evidence.Quote)
		for _, link := range evidence.Links {
			fmt.Fprintf(&text, "  %s: %s\n", link.Stance, link.Hypotheses.Statement)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// A client sends requests as a user.
type client struct{ url, key, token string }

func (c client) get(ctx context.Context, path string, into any) error {
	return c.decode(into)(c.send(ctx, http.MethodGet, path, "", nil))
}

func (c client) post(ctx context.Context, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.decode(into)(c.send(ctx, http.MethodPost, path, "application/json", content))
}

// decode reads JSON into a value; nil means that the answer is not needed.
func (c client) decode(into any) func(io.ReadCloser, error) error {
	return func(body io.ReadCloser, err error) error {
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		if into == nil {
			return nil
		}
		return json.NewDecoder(body).Decode(into)
	}
}

// upload uploads a file, and returns the id of the import.
func (c client) upload(ctx context.Context, project, filename string) (string, error) {
	content, err := os.ReadFile(filename)
	if err != nil {
		return "", err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("project_id", project); err != nil {
		return "", err
	}
	file, err := w.CreateFormFile("file", filepath.Base(filename))
	if err != nil {
		return "", err
	}
	if _, err := file.Write(content); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	var uploaded struct{ ImportID string }
	err = c.decode(&uploaded)(c.send(ctx, http.MethodPost, "/api/import", w.FormDataContentType(), form.Bytes()))
	return uploaded.ImportID, err
}

// send sends a request, and repeats it when the service is busy or cannot be reached. Each call has its
// own key, so that a repeated request gets the same answer.
func (c client) send(
	ctx context.Context, method, path, contentType string, body []byte,
) (io.ReadCloser, error) {
	key := rand.Text()
	for attempt := 0; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("apikey", c.key)
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 300 {
			return resp.Body, nil
		}
		message, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if attempt == 5 || !slices.Contains([]int{409, 429, 503, 504}, resp.StatusCode) {
			return nil, fmt.Errorf("%s %s", resp.Status, message)
		}
		wait := time.Second << attempt
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			wait = time.Duration(seconds) * time.Second
		}
		time.Sleep(wait)
	}
}
