// Command quickstart uploads an interview, parses it for a hypothesis, waits for the end, and prints the
// evidence. It is an example of a client, and uses the standard library alone.
//
//	API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… go run ./docs/quickstart interview.vtt 'Receipts get lost.'
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
	for _, name := range []string{"API_URL", "ANON_KEY", "EMAIL", "PASSWORD"} {
		if os.Getenv(name) == "" || len(os.Args) != 3 {
			log.Fatal("usage: API_URL=… ANON_KEY=… EMAIL=… PASSWORD=… quickstart INTERVIEW HYPOTHESIS")
		}
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

var ended = []string{"parsed", "failed", "canceled", "terminated", "timed_out"}

func run(ctx context.Context, out io.Writer, filename, statement string) error {
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

	project, err := c.project(ctx)
	if err != nil {
		return fmt.Errorf("find a project: %w", err)
	}
	hypothesis, err := c.hypothesis(ctx, project, statement)
	if err != nil {
		return fmt.Errorf("find the hypothesis: %w", err)
	}

	// Upload.
	id, err := c.upload(ctx, project, filename)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}

	// Open the stream of events before the parse, so that none is missed.
	stream, err := c.send(ctx, http.MethodGet, "/api/import/"+id+"/events", "", nil)
	if err != nil {
		return fmt.Errorf("open the stream of events: %w", err)
	}
	defer func() { _ = stream.Close() }()
	wanted := map[string][]string{"hypothesisIds": {hypothesis}}
	if err := c.post(ctx, "/api/import/"+id+"/parse", wanted, nil); err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	if err := c.wait(ctx, id, stream); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return c.printEvidence(ctx, out, id)
}

// project returns the id of the first project. A new account has none: it creates a workspace, and a project
// in it.
func (c client) project(ctx context.Context) (id string, err error) {
	id, err = c.first(ctx, "/rest/v1/projects?select=id&order=created_at&limit=1")
	if err != nil || id != "" {
		return id, err
	}
	workspace, err := c.insert(ctx, "workspaces", map[string]string{"name": "My company"})
	if err != nil {
		return "", err
	}
	return c.insert(ctx, "projects", map[string]string{"workspace_id": workspace, "name": "Receipts"})
}

// hypothesis returns the id of a hypothesis, which it creates if the project does not have it.
func (c client) hypothesis(ctx context.Context, project, statement string) (id string, err error) {
	query := url.Values{"project_id": {"eq." + project}, "statement": {"eq." + statement}, "limit": {"1"}}
	id, err = c.first(ctx, "/rest/v1/hypotheses?"+query.Encode())
	if err != nil || id != "" {
		return id, err
	}
	return c.insert(ctx, "hypotheses", map[string]string{"project_id": project, "statement": statement})
}

// A row is what the program needs of a row of a table.
type row struct{ ID string }

// first returns the id of the first row of an answer, or "".
func (c client) first(ctx context.Context, path string) (id string, err error) {
	var rows []row
	if err := c.get(ctx, path, &rows); err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].ID, nil
}

// insert adds a row to a table, and returns its id.
func (c client) insert(ctx context.Context, table string, values map[string]string) (id string, err error) {
	var rows []row
	if err := c.post(ctx, "/rest/v1/"+table, values, &rows); err != nil {
		return "", err
	}
	return rows[0].ID, nil
}

// wait returns when an import was parsed. Should the stream break, it polls.
func (c client) wait(ctx context.Context, id string, stream io.Reader) error {
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		event, _ := strings.CutPrefix(lines.Text(), "event: import.")
		if slices.Contains(ended, event) {
			break
		}
	}
	for {
		var state struct{ Status, ErrorMessage string }
		if err := c.get(ctx, "/api/import/"+id, &state); err != nil {
			return err
		}
		switch {
		case state.Status == "parsed":
			return nil
		case slices.Contains(ended, state.Status):
			return fmt.Errorf("the interview is %s. %s", state.Status, state.ErrorMessage)
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
	if len(found) == 0 {
		text.WriteString("No evidence was found in the interview.\n")
	}
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
		req.Header.Set("Prefer", "return=representation") // an insert answers with the rows
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
