package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"research/config"
)

const importUsage = `Usage: research import COMMAND, against the API at PUBLIC_URL, with SERVICE_ROLE_KEY. IMPORT and PROJECT are ids.

  add PROJECT FILE...                   uploads transcripts; prints the id of each
  list [--status STATUS] [--error CODE] [--limit 50]
                                        imports of all workspaces, the newest first
  show IMPORT                           what GET /api/import/{id} says, with the link to its run in Temporal UI
  parse IMPORT [--hypotheses ID,ID]     starts parsing; without --hypotheses for those it was parsed for before
  retry [--error CODE] [--limit 50]     parses again what failed, was terminated or timed out: when a key was put right, or a model is back
  cancel IMPORT                         asks the run to stop; what was found stays as suggestions
`

var importOperations = map[string]operation[*importTool]{
	"add": {noFlags, severalArgs, addImports},
	"list": {func(f *flag.FlagSet) {
		f.String("status", "", "")
		endedFlags(f)
	}, 0, listImports},
	"show":   {noFlags, 1, showImport},
	"parse":  {func(f *flag.FlagSet) { f.String("hypotheses", "", "") }, 1, parseImport},
	"retry":  {endedFlags, 0, retryImports},
	"cancel": {noFlags, 1, cancelImport},
}

func endedFlags(f *flag.FlagSet) {
	f.String("error", "", "")
	f.Uint("limit", 50, "")
}

func runImport(ctx context.Context, cfg config.Config, _ func(string) string, args []string, _ *slog.Logger) error {
	return importCommand(ctx, cfg, args, os.Stdin, os.Stdout)
}

// importCommand is runImport over streams of the caller's.
func importCommand(ctx context.Context, cfg config.Config, args []string, in io.Reader, out io.Writer) error {
	op, c, err := readCall("import", importUsage, importOperations, args, in, out)
	if err != nil || op == nil {
		return err
	}
	if err := cfg.Require("SERVICE_ROLE_KEY"); err != nil {
		return err
	}
	return op.run(ctx, &importTool{url: cfg.HTTP.PublicURL, key: cfg.Keys.Service}, c)
}

// An importTool is a client of the API like any other, so that what it starts and stops passes the same checks.
type importTool struct{ url, key string }

// ask makes a request and reads the answer into a value. Its error is the API's sentence.
func (i *importTool) ask(ctx context.Context, method, path, contentType string, body io.Reader, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, i.url+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("apikey", i.key)
	r.Header.Set("Authorization", "Bearer "+i.key)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%w (PUBLIC_URL says where the API is)", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		var refusal struct{ Message string }
		if json.Unmarshal(content, &refusal) != nil || refusal.Message == "" {
			return fmt.Errorf("%s answers %s: is PUBLIC_URL that of the API?", i.url, response.Status)
		}
		return errors.New(printable(refusal.Message))
	}
	return json.Unmarshal(content, answer)
}

func addImports(ctx context.Context, i *importTool, c call) error {
	if len(c.args) < 2 {
		return errors.New("import add: name the project's id, and one transcript or more")
	}
	for _, path := range c.args[1:] {
		id, err := i.upload(ctx, c.args[0], path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if _, err := fmt.Fprintf(c.out, "%s  %s\n", id, path); err != nil {
			return err
		}
	}
	return nil
}

func (i *importTool) upload(ctx context.Context, project, path string) (id string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("project_id", project); err != nil {
		return "", err
	}
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err != nil {
		return "", err
	}
	if _, err := part.Write(content); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	var answer struct {
		ImportID string `json:"importId"`
	}
	err = i.ask(ctx, http.MethodPost, "/api/import", form.FormDataContentType(), &body, &answer)
	return answer.ImportID, err
}

// An importRow is an import as the data API gives it.
type importRow struct {
	ID            uuid.UUID
	Title         string
	Status        string
	ProgressDone  int        `json:"progress_done"`
	ProgressTotal int        `json:"progress_total"`
	ErrorCode     string     `json:"error_code"`
	CreatedAt     *time.Time `json:"created_at"`
	Hypotheses    []string   `json:"requested_hypotheses"`
}

// rows are imports, the newest first.
func (i *importTool) rows(ctx context.Context, c call, statuses ...string) (rows []importRow, err error) {
	query := url.Values{"select": {"id,title,status,progress_done,progress_total,error_code,created_at,requested_hypotheses"}, "order": {"created_at.desc,id"}, "limit": {c.text("limit")}}
	if len(statuses) > 0 {
		query.Set("status", "in.("+strings.Join(statuses, ",")+")")
	}
	if code := c.text("error"); code != "" {
		query.Set("error_code", "eq."+code)
	}
	err = i.ask(ctx, http.MethodGet, "/rest/v1/imports?"+query.Encode(), "", nil, &rows)
	return rows, err
}

func listImports(ctx context.Context, i *importTool, c call) error {
	var statuses []string
	if status := c.text("status"); status != "" {
		statuses = strings.Split(status, ",")
	}
	rows, err := i.rows(ctx, c, statuses...)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tCREATED\tSTATUS\tCHUNKS\tERROR\tTITLE")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d/%d\t%s\t%s\n", r.ID, minute(r.CreatedAt), r.Status, r.ProgressDone, r.ProgressTotal, cmp.Or(r.ErrorCode, "-"), printable(r.Title))
	}
	return w.Flush()
}

func showImport(ctx context.Context, i *importTool, c call) error {
	var mirror json.RawMessage
	if err := i.ask(ctx, http.MethodGet, "/api/import/"+url.PathEscape(c.args[0]), "", nil, &mirror); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, mirror, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.out, out.String())
	return err
}

func parseImport(ctx context.Context, i *importTool, c call) error {
	if list := c.text("hypotheses"); list != "" {
		return i.start(ctx, c, c.args[0], strings.Split(list, ","))
	}
	var before []importRow
	if err := i.ask(ctx, http.MethodGet, "/rest/v1/imports?select=requested_hypotheses&id=eq."+url.QueryEscape(c.args[0]), "", nil, &before); err != nil {
		return err
	}
	if len(before) == 0 {
		return errors.New("there is no such import")
	}
	return i.start(ctx, c, c.args[0], before[0].Hypotheses)
}

func (i *importTool) start(ctx context.Context, c call, id string, hypotheses []string) error {
	if len(hypotheses) == 0 {
		return errors.New("this import was never parsed: name what to look for by --hypotheses")
	}
	body, err := json.Marshal(map[string][]string{"hypothesisIds": hypotheses})
	if err != nil {
		return err
	}
	var run struct {
		Status string
		RunID  string `json:"runId"`
	}
	if err := i.ask(ctx, http.MethodPost, "/api/import/"+url.PathEscape(id)+"/parse", "application/json", bytes.NewReader(body), &run); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s  %s  run %s\n", id, run.Status, run.RunID)
	return err
}

// retryImports goes on after an import that cannot be started, and then says so.
func retryImports(ctx context.Context, i *importTool, c call) error {
	rows, err := i.rows(ctx, c, "failed", "terminated", "timed_out")
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range rows {
		if err := i.start(ctx, c, r.ID.String(), r.Hypotheses); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.ID, err))
		}
	}
	return errors.Join(errs...)
}

func cancelImport(ctx context.Context, i *importTool, c call) error {
	var answer struct{ Status string }
	if err := i.ask(ctx, http.MethodPost, "/api/import/"+url.PathEscape(c.args[0])+"/cancel", "", nil, &answer); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s  %s\n", c.args[0], answer.Status)
	return err
}
