// Package cli implements the commands of the binary `research`: its programs, and the tools of operators.
//
// A file has one command or one group of them. Commands read their input, call the package that does the
// work, and print the result.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"research/config"
	"research/db"
)

// Main runs the command that the process's arguments name, and returns the process's exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, os.Args[1:], System{
		Settings: func() (config.Config, error) {
			getenv, err := config.Environment()
			if err != nil {
				return config.Config{}, err
			}
			return config.Load(getenv)
		},
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	})
}

// Run runs the command that args name until it is done or ctx ends, and returns its exit code.
func Run(ctx context.Context, args []string, sys System) int {
	root := newRootCommand(sys)
	root.SetArgs(args)
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	command, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		err = usageError{err} // cobra refused the arguments
	}
	return report(sys.Stderr, command, err)
}

func newRootCommand(sys System) *cobra.Command {
	root := &cobra.Command{
		Use:   "research",
		Short: "Finds evidence for and against hypotheses in interview transcripts",
		Long: `research finds evidence for and against your hypotheses in interview transcripts, with quotes that
are proven against the source.

Settings are environment variables, or NAME=value lines in a file .env beside the binary;
docs/settings.md lists all of them.`,
		Args:          cobra.NoArgs,
		RunE:          showHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddGroup(
		&cobra.Group{ID: groupPrograms, Title: "Programs:"},
		&cobra.Group{ID: groupOperators, Title: "Tools of operators:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, command := range commands {
			command.GroupID = group
			root.AddCommand(command)
		}
	}
	add(groupPrograms, newDevCommand(sys), newServeCommand(sys), newWorkerCommand(sys), newMigrateCommand(sys))
	add(groupOperators,
		newUserCommand(sys), newImportCommand(sys), newDigestCommand(sys), newKeysCommand(sys), newEvalCommand(sys),
		newTypesCommand(sys), newTemporalCommand(sys), newDoctorCommand(sys), newExplainCommand(sys),
		newReadyCommand(sys), newMCPCommand(sys),
		newBackupCommand(sys), newRestoreCommand(sys), newRestoreFenceCommand(sys), newDrillCommand(sys),
		newSecretsCommand(), newSettingsCommand(sys), newVersionCommand())
	return root
}

const (
	groupPrograms  = "programs"
	groupOperators = "operators"
)

// report prints an error, and returns its exit code. Settings get a line each.
func report(stderr io.Writer, command *cobra.Command, err error) int {
	var exit exitError
	var problems *config.Problems
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(stderr, "research: these settings are not valid (docs/settings.md lists all settings):")
		for _, p := range problems.List {
			_, _ = fmt.Fprintf(stderr, "  %s %s\n", p.Setting, p.Reason)
		}
		return exitUsage
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(stderr, "research: %v\nRun '%s --help' for usage.\n", err, command.CommandPath())
		return exitUsage
	default:
		_, _ = fmt.Fprintln(stderr, "research:", err)
		if errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrReadOnly) {
			_, _ = fmt.Fprintln(stderr, "  →", db.Advice(err))
		}
		return exitFailure
	}
}
