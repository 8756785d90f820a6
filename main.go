// Command research is the Workspace Research Service: one binary, whose sub-commands are programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"research/config"
	"research/telemetry"
)

const usage = `research finds in interview transcripts what speaks for and against your hypotheses, with quotes proven against the source.

Usage: research COMMAND

  dev        everything on one machine: PostgreSQL, Temporal with its UI, demo data, API and worker
  dev -- CMD runs CMD beside a throw-away PostgreSQL and Temporal (TEST_DATABASE_URL, TEST_TEMPORAL_ADDRESS)
  serve      the HTTP API and the web page
  worker     the Temporal worker: parses transcripts
  migrate    applies the database migrations that are missing
  user       the people who can sign in: create, list, ban, import, set-password, sessions; research user help
  import     the transcripts of all workspaces: add, list, show, parse, retry, cancel; research import help
  digest     the mails about what changed: preview, run, resend, status; research digest help
  keys       the keys that sign access tokens: list, rotate, mint; research keys help
  eval       measures the model, or the keyword extractor, by transcripts whose evidence is known
  doctor     checks every dependency and setting, and says what to do
  secrets    prints new values for ANON_KEY, SERVICE_ROLE_KEY and CRON_SECRET, for a .env file
  settings   prints every setting as the programs read it, with secrets masked

Settings are environment variables, or NAME=value lines in a file .env beside the binary. README.md lists them all.
`

// A command is a program of the binary.
type command func(ctx context.Context, cfg config.Config, getenv func(string) string, args []string, log *slog.Logger) error

var commands = map[string]command{
	"dev":      runDev,
	"serve":    runServe,
	"worker":   runWorker,
	"migrate":  runMigrate,
	"user":     runUser,
	"import":   runImport,
	"digest":   runDigest,
	"keys":     runKeys,
	"eval":     runEval,
	"doctor":   runDoctor,
	"secrets":  printSecrets,
	"settings": printSettings,
}

func main() {
	end := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if len(os.Args) < 2 || os.Args[1] != "serve" { // which reloads the schema on it
		end = append(end, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), end...)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// exitCode is the error of a command that ended with a code of its own and has said why.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func run(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		_, _ = fmt.Fprint(os.Stdout, usage)
		return 0
	}
	program, known := commands[args[0]]
	if !known {
		_, _ = fmt.Fprintf(os.Stderr, "research: there is no command %q\n\n%s", args[0], usage)
		return 2
	}
	getenv, err := config.Environment()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "research:", err)
		return 2
	}
	cfg, err := config.Load(getenv)
	if err != nil {
		return report(err)
	}
	log := newLog(cfg, args[0] == "dev" && getenv("LOG_LEVEL") == "")
	var code exitCode
	switch err := program(ctx, cfg, getenv, args[1:], log); {
	case errors.As(err, &code):
		return int(code)
	case err != nil:
		return report(err)
	}
	return 0
}

// report says on standard error what is wrong; settings a line each.
func report(err error) int {
	var problems *config.Problems
	if errors.As(err, &problems) {
		_, _ = fmt.Fprintln(os.Stderr, "research: these settings must be put right (README.md lists them all):")
		for _, p := range problems.List {
			_, _ = fmt.Fprintf(os.Stderr, "  %s %s\n", p.Setting, p.Reason)
		}
		return 2
	}
	_, _ = fmt.Fprintln(os.Stderr, "research:", err)
	return 1
}

// newLog writes JSON to standard error: one line a fact. `dev` is read by people, so that it is quiet: it only shows what is wrong unless LOG_LEVEL says otherwise.
func newLog(cfg config.Config, quiet bool) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	if quiet {
		level = slog.LevelWarn
	}
	return telemetry.NewLog(os.Stderr, level)
}
