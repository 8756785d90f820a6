package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func newImportCommand(sys System) *cobra.Command {
	group := newGroup("import", "Manages transcripts: those of all workspaces, or of your own",
		newImportAddCommand(sys), newImportListCommand(sys), newImportShowCommand(sys), newImportParseCommand(sys),
		newImportRetryCommand(sys), newImportCancelCommand(sys))
	group.Long = `import manages transcripts through the API at PUBLIC_URL: those of all workspaces with
SERVICE_ROLE_KEY, or those that you may see with ANON_KEY and your personal access token,
RESEARCH_TOKEN. The token counts if both are set. It needs the scope research:read, and
research:write for what changes something.

IMPORT and PROJECT are ids.`
	return group
}

// withAPI runs a command that is a client of the API.
func withAPI(
	sys System, run func(cmd *cobra.Command, api *apiClient, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := sys.Settings()
		if err != nil {
			return err
		}
		api, err := newAPIClient(cfg)
		if err != nil {
			return err
		}
		return run(cmd, api, args)
	}
}

// importFields are what a person says about interviews that are uploaded.
type importFields struct{ title, persona, date string }

func newImportAddCommand(sys System) *cobra.Command {
	var given importFields
	command := &cobra.Command{
		Use:   "add PROJECT FILE...",
		Short: "Uploads transcripts, and prints the id of each",
		Long: `add uploads transcripts, and prints the id of each.

Without --title and --date, an interview has the title and the day that its file proposes.`,
		Args: cobra.MinimumNArgs(2),
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, args []string) error {
			project, files := args[0], args[1:]
			if given.title != "" && len(files) > 1 {
				return errors.New("--title is of one interview: upload its FILE alone")
			}
			fields, err := given.form(cmd.Context(), api, project, cmd.Flags().Changed("date"))
			if err != nil {
				return err
			}
			for _, file := range files {
				content, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				var uploaded struct{ ImportID string }
				err = api.upload(cmd.Context(), "/api/import", file, content, fields, &uploaded)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", uploaded.ImportID, file); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	flags := command.Flags()
	flags.StringVar(&given.title, "title", "", "title of the interview, if FILE is one")
	flags.StringVar(&given.persona, "persona", "", "name or id of the persona of the interviews")
	flags.StringVar(&given.date, "date", "",
		"day of the interviews, such as 2031-04-12; empty for none, instead of what the files say")
	return command
}

// form returns the fields of an upload. A date that is given and empty is no day.
func (f importFields) form(
	ctx context.Context, api *apiClient, project string, dated bool,
) (map[string]string, error) {
	fields := map[string]string{"project_id": project}
	if f.title != "" {
		fields["title"] = f.title
	}
	if dated {
		fields["interviewed_on"] = f.date
	}
	if f.persona == "" {
		return fields, nil
	}
	id, err := findPersona(ctx, api, project, f.persona)
	if err != nil {
		return nil, err
	}
	fields["persona_id"] = id
	return fields, nil
}

// findPersona returns the id of the persona of a project with this name, in any case, or with this id.
func findPersona(ctx context.Context, api *apiClient, project, wanted string) (string, error) {
	var personas []struct{ ID, Name string }
	query := url.Values{"select": {"id,name"}, "project_id": {"eq." + project}, "order": {"name,id"}}
	if err := api.get(ctx, "/rest/v1/personas?"+query.Encode(), &personas); err != nil {
		return "", err
	}
	var names, found []string
	for _, p := range personas {
		names = append(names, strconv.Quote(p.Name))
		if strings.EqualFold(p.Name, wanted) || strings.EqualFold(p.ID, wanted) {
			found = append(found, p.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("several personas are called %q: name one by its id (%s)", wanted,
			strings.Join(found, ", "))
	case len(names) == 0:
		return "", errors.New("the project has no personas")
	}
	return "", fmt.Errorf("the project has no persona %q; it has %s", wanted, strings.Join(names, ", "))
}

// An importFilter selects imports. What is empty selects all.
type importFilter struct {
	statuses           []string
	code               string
	workspace, project string
	waiting            string
	unread             bool
	olderThan          time.Duration
	limit              uint
}

func (f *importFilter) addFlags(command *cobra.Command) {
	command.Flags().StringVar(&f.code, "error", "", "only imports with this error code")
	command.Flags().StringVar(&f.workspace, "workspace", "", "only imports of the workspace with this id")
	command.Flags().StringVar(&f.project, "project", "", "only imports of the project with this id")
	command.Flags().StringVar(&f.waiting, "waiting", "", "only open imports that wait for this reason")
	command.Flags().BoolVar(&f.unread, "unread", false, "only imports of which a part could not be read")
	command.Flags().DurationVar(&f.olderThan, "older-than", 0, "only imports that were uploaded this long ago")
	command.Flags().UintVar(&f.limit, "limit", 50, "the maximum number of imports, the newest first")
}

// An importRow is an import as the data API returns it.
type importRow struct {
	ID            uuid.UUID
	Title         string
	Status        string
	ProgressDone  int        `json:"progress_done"`
	ProgressTotal int        `json:"progress_total"`
	ErrorCode     string     `json:"error_code"`
	WaitingReason string     `json:"waiting_reason"`
	CreatedAt     *time.Time `json:"created_at"`
	Hypotheses    []string   `json:"requested_hypotheses"`
}

// listImports returns the imports that the filter selects, the newest first.
func listImports(ctx context.Context, api *apiClient, f importFilter) (rows []importRow, err error) {
	query := url.Values{
		"select": {"id,title,status,progress_done,progress_total,error_code,waiting_reason,created_at," +
			"requested_hypotheses"},
		"order": {"created_at.desc,id"},
		"limit": {strconv.FormatUint(uint64(f.limit), 10)},
	}
	if len(f.statuses) > 0 {
		query.Set("status", "in.("+strings.Join(f.statuses, ",")+")")
	}
	for column, value := range map[string]string{
		"error_code": f.code, "workspace_id": f.workspace, "project_id": f.project, "waiting_reason": f.waiting,
	} {
		if value != "" {
			query.Set(column, "eq."+value)
		}
	}
	if f.unread {
		query.Set("unread", "neq.[]")
	}
	if f.olderThan > 0 {
		query.Set("created_at", "lt."+time.Now().Add(-f.olderThan).UTC().Format(time.RFC3339Nano))
	}
	err = api.get(ctx, "/rest/v1/imports?"+query.Encode(), &rows)
	return rows, err
}

func newImportListCommand(sys System) *cobra.Command {
	var filter importFilter
	command := &cobra.Command{
		Use:   "list",
		Short: "Prints imports, the newest first",
		Args:  cobra.NoArgs,
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, _ []string) error {
			rows, err := listImports(cmd.Context(), api, filter)
			if err != nil {
				return err
			}
			table := newTable(cmd.OutOrStdout())
			fmt.Fprintln(table, "ID\tCREATED\tSTATUS\tCHUNKS\tWAITS FOR\tERROR\tTITLE")
			for _, r := range rows {
				fmt.Fprintf(table, "%s\t%s\t%s\t%d/%d\t%s\t%s\t%s\n", r.ID, formatTime(r.CreatedAt), r.Status,
					r.ProgressDone, r.ProgressTotal, cmp.Or(r.WaitingReason, "-"), cmp.Or(r.ErrorCode, "-"),
					printable(r.Title))
			}
			return table.Flush()
		}),
	}
	filter.addFlags(command)
	command.Flags().StringSliceVar(&filter.statuses, "status", nil, "only imports with one of these statuses")
	return command
}

func newImportShowCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "show IMPORT",
		Short: "Prints an import as JSON, with the link to its run in Temporal's UI",
		Args:  cobra.ExactArgs(1),
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, args []string) error {
			var answer json.RawMessage
			if err := api.get(cmd.Context(), "/api/import/"+url.PathEscape(args[0]), &answer); err != nil {
				return err
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, answer, "", "  "); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), indented.String())
			return err
		}),
	}
}

func newImportParseCommand(sys System) *cobra.Command {
	var hypotheses []string
	command := &cobra.Command{
		Use:   "parse IMPORT",
		Short: "Starts parsing an import",
		Args:  cobra.ExactArgs(1),
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, args []string) error {
			if len(hypotheses) > 0 {
				return startParse(cmd.Context(), api, args[0], hypotheses, cmd.OutOrStdout())
			}
			var before []importRow
			path := "/rest/v1/imports?select=requested_hypotheses&id=eq." + url.QueryEscape(args[0])
			if err := api.get(cmd.Context(), path, &before); err != nil {
				return err
			}
			if len(before) == 0 {
				return errors.New("there is no such import")
			}
			return startParse(cmd.Context(), api, args[0], before[0].Hypotheses, cmd.OutOrStdout())
		}),
	}
	command.Flags().StringSliceVar(&hypotheses, "hypotheses", nil,
		"ids of hypotheses; without them, those of the last parse are used")
	return command
}

func startParse(ctx context.Context, api *apiClient, id string, hypotheses []string, out io.Writer) error {
	if len(hypotheses) == 0 {
		return errors.New("this import was never parsed: name its hypotheses with --hypotheses")
	}
	var started struct{ Status, RunID string }
	body := map[string][]string{"hypothesisIds": hypotheses}
	if err := api.post(ctx, "/api/import/"+url.PathEscape(id)+"/parse", body, &started); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s  %s  run %s\n", id, started.Status, started.RunID)
	return err
}

func newImportRetryCommand(sys System) *cobra.Command {
	filter := importFilter{statuses: []string{"failed", "terminated", "timed_out"}}
	command := &cobra.Command{
		Use:   "retry",
		Short: "Parses imports again that failed, were terminated or timed out",
		Long: `retry parses imports again that failed, were terminated or timed out: after a key was corrected, or
when a model is available again. It continues after an import that cannot be started, and reports it
at the end.`,
		Args: cobra.NoArgs,
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, _ []string) error {
			rows, err := listImports(cmd.Context(), api, filter)
			if err != nil {
				return err
			}
			var errs []error
			for _, r := range rows {
				if err := startParse(cmd.Context(), api, r.ID.String(), r.Hypotheses, cmd.OutOrStdout()); err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", r.ID, err))
				}
			}
			return errors.Join(errs...)
		}),
	}
	filter.addFlags(command)
	return command
}

func newImportCancelCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel IMPORT",
		Short: "Cancels the run of an import; evidence found so far remains as suggestions",
		Args:  cobra.ExactArgs(1),
		RunE: withAPI(sys, func(cmd *cobra.Command, api *apiClient, args []string) error {
			var answer struct{ Status string }
			path := "/api/import/" + url.PathEscape(args[0]) + "/cancel"
			if err := api.post(cmd.Context(), path, nil, &answer); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", args[0], answer.Status)
			return err
		}),
	}
}
