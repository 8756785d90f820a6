package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/activities"
)

func newRestoreFenceCommand(sys System) *cobra.Command {
	var since time.Time
	var unsubscribed string
	command := &cobra.Command{
		Use:   "restore-fence --since TIME",
		Short: "Keeps a restored database from mailing digests again",
		Long: `restore-fence is run once after the database was restored from a backup. The restored database
knows neither which digests were sent since the backup was made, nor who unsubscribed. Digests are held
until then.

It marks each digest that may have been sent as uncertain, so that it is not sent again, and pauses the
digests of all members until they resume them on the page: each of them may have unsubscribed. With
--unsubscribed it turns off the digests of the listed members instead, and pauses nobody. The list has
one user id per line; the log of "research serve" has them as user_id of the lines "unsubscribed from
digests". The command can be run again with the same TIME and the list, which ends the pauses and changes
no digest.

TIME is when the backup was made, or an earlier time. docs/operations.md has the whole procedure.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			restore := activities.Restore{Since: since, Now: time.Now()}
			if since.IsZero() || since.After(restore.Now) {
				return usageErrorf("--since is required, and must not be in the future")
			}
			var err error
			if unsubscribed != "" {
				if restore.Unsubscribed, err = readUserIDs(cmd.InOrStdin(), unsubscribed); err != nil {
					return err
				}
			}
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research restore-fence", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			result, err := activities.FenceRestore(cmd.Context(), store, restore)
			if err != nil {
				return err
			}
			return printRestore(cmd.OutOrStdout(), result)
		},
	}
	command.Flags().TimeVar(&since, "since", time.Time{}, []string{time.RFC3339},
		"when the backup was made, such as 2026-11-21T08:00:00Z")
	command.Flags().StringVar(&unsubscribed, "unsubscribed", "",
		"a file with the ids of the users who have unsubscribed since then; - is standard input")
	return command
}

func printRestore(w io.Writer, result activities.RestoreResult) error {
	_, err := fmt.Fprintf(w,
		"uncertain:    %d digests that may have been sent\n"+
			"unsubscribed: %d members\n"+
			"paused:       %d members, until they resume their digests on the page\n"+
			"resumed:      %d members whom an earlier restore-fence paused\n"+
			"Digests are no longer held.\n",
		result.Uncertain, result.Unsubscribed, result.Paused, result.Resumed)
	return err
}

// readUserIDs reads a file with one id per line; the name - means stdin. Its result is not nil.
func readUserIDs(stdin io.Reader, name string) ([]uuid.UUID, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	ids := []uuid.UUID{}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		id, err := uuid.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d is not a user id", name, n)
		}
		ids = append(ids, id)
	}
	return ids, lines.Err()
}
