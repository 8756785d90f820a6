package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/config"
	"research/db"
	"research/temporalclient"
)

func newExplainCommand(sys System) *cobra.Command {
	group := newGroup("explain", "Explains what happened to an import", newExplainImportCommand(sys))
	group.Long = `explain says what happened, in one timeline of the database and Temporal, why, and what to do.`
	return group
}

func newExplainImportCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "import IMPORT",
		Short: "Prints one timeline of an import, why it is where it is, and the next command",
		Long: `import prints what happened to an import: the requests to parse it, its latest run in Temporal, the
model's responses and what was written, in one timeline, with the time since the line before. It ends
with why the import is where it is and the next command. It reads DATABASE_URL and TEMPORAL_ADDRESS,
changes nothing, and prints no word of the transcript.`,
		Args: cobra.ExactArgs(1),
		RunE: withDatabase(sys, func(cmd *cobra.Command, cfg config.Config, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return usageErrorf("%q is not the id of an import", args[0])
			}
			e, err := explainImport(cmd.Context(), cfg, id)
			if err != nil {
				return err
			}
			return e.print(cmd.OutOrStdout())
		}),
	}
}

// A moment is a line of the timeline.
type moment struct {
	at     time.Time
	source string
	what   string
}

// timeline returns what happened, the oldest first.
func (e *explanation) timeline() []moment {
	moments := []moment{{e.imports.CreatedAt, "database", fmt.Sprintf("uploaded: %s, %d bytes",
		e.imports.Format, e.imports.SizeBytes)}}
	add := func(at *time.Time, source, what string, args ...any) {
		if at != nil {
			moments = append(moments, moment{*at, source, fmt.Sprintf(what, args...)})
		}
	}
	for _, r := range e.runs {
		name := shortID(r.ClaimID)
		what := "requested"
		if r.Refresh {
			what = "requested to read everything again"
		}
		add(&r.QueuedAt, "database", "request %s: %s, for %d hypotheses", name, what, r.Hypotheses)
		add(r.BegunAt, "database", "request %s: begun", name)
		add(r.FirstCallAt, "model", "request %s: the first call, %s", name, extractorName(r))
		add(r.FinishedAt, "database",
			"request %s: %s; %d calls, %d + %d tokens; evidence: %d added, %d changed, %d gone",
			name, withCode(string(r.Status), r.ErrorCode), r.Calls, r.InputTokens, r.OutputTokens,
			r.Added, r.Changed, r.Gone)
	}
	for _, r := range e.responses {
		add(&r.CreatedAt, "model", "a response is stored: %d + %d tokens", r.InputTokens, r.OutputTokens)
	}
	for _, c := range e.chunks {
		what := fmt.Sprintf("request %s: chunk %d is done, %d calls", shortID(c.ClaimID), c.Ordinal+1, c.Calls)
		if c.Unread > 0 {
			what += fmt.Sprintf(", %d ranges unread", c.Unread)
		}
		add(c.DoneAt, "database", "%s", what)
	}
	for _, event := range e.history.Events {
		add(&event.At, "temporal", "%s", event.What)
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	return moments
}

func extractorName(r db.ExplainRunsRow) string {
	name := "of the extractor"
	if r.Extractor != nil {
		name = *r.Extractor
	}
	if r.Model != nil && *r.Model != "" {
		name += " " + *r.Model
	}
	return name
}

func withCode(status string, code *string) string {
	if code == nil {
		return status
	}
	return status + " (" + *code + ")"
}

// shortID returns the beginning of an id, which suffices to distinguish the requests of an import.
func shortID(id uuid.UUID) string { return id.String()[:8] }

func (e *explanation) print(w io.Writer) error {
	i := e.imports
	state := withCode(string(i.Status), i.ErrorCode)
	if i.WaitingReason != nil {
		state += ", waiting: " + *i.WaitingReason
	}
	out := &firstError{w: w}
	out.printf("import    %s  %s\n", i.ID, printable(i.Title))
	out.printf("status    %s; %d of %d chunks; %.0f %% read; %d pieces of evidence, %d rejected quotes\n",
		state, i.ProgressDone, i.ProgressTotal, 100*i.Coverage, i.EvidenceCount, i.RejectedCount)
	if e.history.RunID != "" {
		out.printf("run       %s %s, %s\n", e.history.WorkflowID, e.history.RunID, e.history.Status)
	}
	out.printf("\n")
	var before time.Time
	for _, m := range e.timeline() {
		since := ""
		if gap := m.at.Sub(before).Round(time.Millisecond); !before.IsZero() && gap > 0 {
			since = "+" + gap.String()
		}
		out.printf("%s  %10s  %-8s  %s\n", m.at.UTC().Format("2006-01-02 15:04:05.000Z"), since, m.source, m.what)
		before = m.at
	}
	for _, p := range e.history.Pending {
		out.printf("%-24s  %10s  %-8s  %s\n", "now", "", "temporal", e.describePending(p))
	}
	why := e.verdict()
	out.printf("\nverdict   %s\n", why.sentence)
	out.printf("next      %s\n", cmp.Or(why.next, "nothing to do"))
	return out.err
}

func (e *explanation) describePending(p temporalclient.PendingActivity) string {
	what := fmt.Sprintf("%s, attempt %d, ", p.Name, p.Attempt)
	switch {
	case p.Paused:
		what += e.pausedBy(p)
	case p.Running && !p.Heartbeat.IsZero():
		what += fmt.Sprintf("runs on %s, last heartbeat %s ago", p.Worker, e.ago(p.Heartbeat))
	case p.Running:
		what += "runs on " + p.Worker
	case p.NextAttempt.After(e.at):
		what += "is tried again in " + p.NextAttempt.Sub(e.at).Round(time.Second).String()
	default:
		what += "waits for a worker"
	}
	if p.LastFailure != "" {
		what += "; the attempt before failed: " + p.LastFailure
	}
	return what
}

// A firstError writes until a write fails, and keeps that error.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) printf(format string, args ...any) {
	if f.err == nil {
		_, f.err = fmt.Fprintf(f.w, format, args...)
	}
}
