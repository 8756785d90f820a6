package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

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

// The exit codes of commands. `research dev -- COMMAND` returns that of COMMAND.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2 // wrong arguments or settings
)

// A usageError is a mistake in how a command was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An exitError ends a command with a code, after the command has reported why.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

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

// withDatabase runs a command that needs DATABASE_URL, and a database that may lack migrations.
func withDatabase(
	sys System, run func(cmd *cobra.Command, cfg config.Config, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := sys.Settings()
		if err != nil {
			return err
		}
		if err := cfg.Require("DATABASE_URL"); err != nil {
			return err
		}
		return run(cmd, cfg, args)
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
