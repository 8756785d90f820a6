package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/activities"
	"research/activities/digest"
	"research/api/notifications"
	"research/db"
)

// A frequencyFlag is daily or weekly.
type frequencyFlag struct{ db.DigestFrequency }

func (f *frequencyFlag) String() string { return string(f.DigestFrequency) }
func (f *frequencyFlag) Type() string   { return "daily|weekly" }

func (f *frequencyFlag) Set(text string) error {
	frequency := db.DigestFrequency(text)
	if !frequency.Valid() {
		return errors.New("the frequency must be daily or weekly")
	}
	f.DigestFrequency = frequency
	return nil
}

func newDigestPreviewCommand(sys System) *cobra.Command {
	frequency := frequencyFlag{db.DigestFrequencyDaily}
	var at time.Time
	var htmlFile string
	command := &cobra.Command{
		Use:   "preview USER",
		Short: "Prints a digest as the user would read it",
		Long: `preview prints the digest about the last closed period as the user would read it. No mail is sent,
and its link does not unsubscribe.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research digest", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			if at.IsZero() {
				at = time.Now()
			}
			preview, err := activities.PreviewDigest(
				cmd.Context(), store, cfg.HTTP.PublicURL, args[0], frequency.DigestFrequency, at)
			if errors.Is(err, db.ErrNotFound) {
				return errors.New("there is no such user")
			}
			if err != nil {
				return err
			}
			return printPreview(cmd.OutOrStdout(), preview, htmlFile)
		},
	}
	command.Flags().Var(&frequency, "frequency", "which digest")
	command.Flags().TimeVar(&at, "at", time.Time{}, []string{time.RFC3339},
		"the digest as of this moment, such as 2026-11-21T08:00:00Z (default: now)")
	command.Flags().StringVar(&htmlFile, "html", "",
		"write the HTML part to this file instead of printing the text")
	return command
}

// digestPreviews composes the previews of the API.
type digestPreviews struct {
	store     *db.Store
	publicURL string
}

func (p digestPreviews) PreviewDigest(
	ctx context.Context, user uuid.UUID, frequency string,
) (notifications.Preview, error) {
	preview, err := activities.PreviewDigest(
		ctx, p.store, p.publicURL, user.String(), db.DigestFrequency(frequency), time.Now())
	return notifications.Preview{
		Period:   preview.Period.Name,
		Due:      preview.Period.Due,
		Empty:    preview.Empty,
		Obstacle: preview.Obstacle,
		Mailable: preview.Mailable,
		Subject:  preview.Message.Subject,
		Text:     preview.Message.Text,
		HTML:     preview.Message.HTML,
	}, err
}

func printPreview(out io.Writer, preview digest.Preview, htmlFile string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "To:      %s\nPeriod:  %s, due %s\n",
		printable(preview.Message.To), preview.Period.Name, formatTime(&preview.Period.Due))
	if preview.Obstacle != "" {
		fmt.Fprintf(&text, "Obstacle: %s: it would not be sent\n", preview.Obstacle)
	}
	switch {
	case preview.Empty:
		fmt.Fprintln(&text, "Nothing worth a mail happened.")
	case htmlFile != "":
		if err := os.WriteFile(htmlFile, []byte(preview.Message.HTML), 0o600); err != nil {
			return err
		}
	default:
		fmt.Fprintf(&text, "Subject: %s\n\n%s", preview.Message.Subject, preview.Message.Text)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
