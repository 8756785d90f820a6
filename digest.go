package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"research/activities"
	"research/config"
	"research/db"
	"research/temporalclient"
	"research/workflows"
)

const digestUsage = `Usage: research digest COMMAND, against DATABASE_URL and TEMPORAL_ADDRESS. USER is an e-mail address or an id, DELIVERY an id of digest_deliveries.

  preview USER [--frequency daily|weekly] [--at 2026-11-21T08:00:00Z] [--html FILE]
                         the digest about the last closed period as the user would read it; nobody is mailed, and its link does not unsubscribe
  run FREQUENCY          sends at once what is due for the last closed period, as the endpoint does, and waits for the end
  resend DELIVERY [--force]
                         sends a digest again that failed, was skipped, or is uncertain, and lifts the suppression of its address; --force: also one that was sent
  status [--since 336h]  what became of the digests of the last periods, and which need a look
`

// A digestTool is what the operations work on. The client of Temporal is made where one is needed.
type digestTool struct {
	cfg   config.Config
	store *db.Store
	dial  func() (*temporalclient.Client, func(), error)
}

var digestOperations = map[string]operation[*digestTool]{
	"preview": {func(f *flag.FlagSet) {
		f.String("frequency", workflows.Daily, "")
		f.String("at", "", "")
		f.String("html", "", "")
	}, 1, previewDigest},
	"run":    {noFlags, 1, runDigests},
	"resend": {func(f *flag.FlagSet) { f.Bool("force", false, "") }, 1, resendDigest},
	"status": {func(f *flag.FlagSet) { f.Duration("since", 14*24*time.Hour, "") }, 0, digestStatus},
}

func runDigest(ctx context.Context, cfg config.Config, _ func(string) string, args []string, log *slog.Logger) error {
	return digestCommand(ctx, cfg, args, os.Stdout, log)
}

// digestCommand is runDigest with an output of the caller's.
func digestCommand(ctx context.Context, cfg config.Config, args []string, out io.Writer, log *slog.Logger) error {
	op, c, err := readCall("digest", digestUsage, digestOperations, args, nil, out)
	if err != nil || op == nil {
		return err
	}
	store, err := openStore(ctx, cfg, "research digest")
	if err != nil {
		return err
	}
	defer store.Close()
	return op.run(ctx, &digestTool{cfg: cfg, store: store, dial: func() (*temporalclient.Client, func(), error) {
		if err := cfg.Require("TEMPORAL_ADDRESS"); err != nil {
			return nil, nil, err
		}
		settings, err := temporalSettings(cfg, "research digest", log)
		if err != nil {
			return nil, nil, err
		}
		temporal, err := temporalclient.Dial(settings)
		if err != nil {
			return nil, nil, err
		}
		return temporalclient.New(temporal), temporal.Close, nil
	}}, c)
}

func frequencyOf(text string) (db.DigestFrequency, error) {
	frequency := db.DigestFrequency(text)
	if !frequency.Valid() {
		return "", errors.New("the frequency must be daily or weekly")
	}
	return frequency, nil
}

func previewDigest(ctx context.Context, d *digestTool, c call) error {
	frequency, err := frequencyOf(c.text("frequency"))
	if err != nil {
		return err
	}
	at := time.Now()
	if text := c.text("at"); text != "" {
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return errors.New("--at must be a moment, such as 2026-11-21T08:00:00Z")
		}
	}
	preview, err := activities.PreviewDigest(ctx, d.store, d.cfg.HTTP.PublicURL, c.args[0], frequency, at)
	if errors.Is(err, db.ErrNotFound) {
		return errors.New("there is no such user")
	}
	if err != nil {
		return err
	}
	var answer strings.Builder
	fmt.Fprintf(&answer, "To:      %s\nPeriod:  %s, due %s\n", printable(preview.Message.To), preview.Period.Name, minute(&preview.Period.Due))
	if preview.Obstacle != "" {
		fmt.Fprintf(&answer, "Obstacle: %s: it would not be sent\n", preview.Obstacle)
	}
	file := c.text("html")
	switch {
	case preview.Empty:
		fmt.Fprintln(&answer, "Nothing worth a mail happened.")
	case file != "":
		if err := os.WriteFile(file, []byte(preview.Message.HTML), 0o600); err != nil {
			return err
		}
	default:
		fmt.Fprintf(&answer, "Subject: %s\n\n%s", preview.Message.Subject, preview.Message.Text)
	}
	_, err = io.WriteString(c.out, answer.String())
	return err
}

func runDigests(ctx context.Context, d *digestTool, c call) error {
	frequency, err := frequencyOf(c.args[0])
	if err != nil {
		return err
	}
	client, closeClient, err := d.dial()
	if err != nil {
		return err
	}
	defer closeClient()
	run, err := client.SendDigests(ctx, string(frequency))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.out, "run:       %s %s\n", run.WorkflowID, run.RunID); err != nil {
		return err
	}
	result, err := run.Wait(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "sent:      %d\nskipped:   %d\nfailed:    %d\nuncertain: %d\n", result.Sent, result.Skipped, result.Failed, result.Uncertain)
	return err
}

func resendDigest(ctx context.Context, d *digestTool, c call) error {
	id, err := uuid.Parse(c.args[0])
	if err != nil {
		return errors.New("resend: DELIVERY must be an id, as `research digest status` shows it")
	}
	client, closeClient, err := d.dial()
	if err != nil {
		return err
	}
	defer closeClient()
	frequency, err := activities.ReplanDigest(ctx, d.store, id, c.on("force"))
	if errors.Is(err, db.ErrNotFound) {
		return errors.New("there is no such delivery")
	}
	if errors.Is(err, activities.ErrDigestSent) {
		return fmt.Errorf("%w; --force sends it again", err)
	}
	if err != nil {
		return err
	}
	if err := client.RetryDigests(ctx, string(frequency)); err != nil {
		return fmt.Errorf("it is planned, and goes out with the next tick: %w", err)
	}
	_, err = fmt.Fprintln(c.out, "planned; it goes out within five minutes")
	return err
}

// troubledDigests is how many of those that need a look are listed.
const troubledDigests = 50

func digestStatus(ctx context.Context, d *digestTool, c call) error {
	since, err := time.ParseDuration(c.text("since"))
	if err != nil {
		return err
	}
	from := time.Now().Add(-since)
	var periods []db.SummarizeDigestsRow
	var troubled []db.ListFailedOrUncertainDigestsRow
	var suppressed int64
	err = d.store.AsService(ctx, func(q *db.Queries) (err error) {
		if periods, err = q.SummarizeDigests(ctx, from); err != nil {
			return err
		}
		if troubled, err = q.ListFailedOrUncertainDigests(ctx, db.ListFailedOrUncertainDigestsParams{Since: from, Size: troubledDigests}); err != nil {
			return err
		}
		suppressed, err = q.CountSuppressedAddresses(ctx)
		return err
	})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FREQUENCY\tPERIOD\tSTATUS\tREASON\tDIGESTS")
	for _, p := range periods {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", p.Frequency, p.Period, p.Status, cmp.Or(p.Reason, "-"), p.Deliveries)
	}
	if len(troubled) > 0 {
		fmt.Fprintln(w, "\nDELIVERY\tUSER\tPERIOD\tSTATUS\tREASON\tATTEMPTS\tSINCE")
	}
	for _, t := range troubled {
		fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\t%d\t%s\n", t.ID, t.UserID, t.Frequency, t.Period, t.Status, cmp.Or(t.Reason, "-"), t.Attempts, minute(&t.UpdatedAt))
	}
	fmt.Fprintf(w, "\naddresses suppressed: %d\n", suppressed)
	return w.Flush()
}
