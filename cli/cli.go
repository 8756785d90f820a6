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
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"research/config"
	"research/telemetry"
)

// A System is the environment of a command: that of the process, or that of a test.
type System struct {
	Settings       func() (config.Config, error) // reads and checks the settings
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

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

// The exit codes of commands. `research dev -- COMMAND` returns that of COMMAND.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2 // wrong arguments or settings
)

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
		newBackupCommand(sys), newRestoreCommand(sys), newRestoreFenceCommand(sys), newDrillCommand(sys), newSecretsCommand(),
		newSettingsCommand(sys), newVersionCommand())
	return root
}

const (
	groupPrograms  = "programs"
	groupOperators = "operators"
)

// newGroup makes a command that only has commands below it. `research user help` does what `research help
// user` does.
func newGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: showHelp}
	group.AddCommand(commands...)
	group.AddCommand(&cobra.Command{
		Use: "help", Short: "Prints this help", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return group.Help() },
	})
	return group
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// A usageError is a mistake in how a command was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An exitError ends a command with a code, after the command has reported why.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

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
		return exitFailure
	}
}

// newLog returns a logger that writes lines of JSON at the level of LOG_LEVEL.
func newLog(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(strings.ToUpper(level))); err != nil {
		l = slog.LevelInfo
	}
	return telemetry.NewLog(w, l)
}
