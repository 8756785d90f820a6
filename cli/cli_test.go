package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/cli"
	"research/config"
)

// A result is what a command left.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a command with these settings, as NAME=value, and this standard input.
func run(t *testing.T, settings []string, stdin string, args ...string) result {
	t.Helper()
	env := map[string]string{}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	var stdout, stderr bytes.Buffer
	code := cli.Run(t.Context(), args, cli.System{
		Settings: func() (config.Config, error) {
			return config.Load(func(name string) string { return env[name] })
		},
		Stdin:  strings.NewReader(stdin),
		Stdout: &stdout,
		Stderr: &stderr,
	})
	return result{code, stdout.String(), stderr.String()}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"help"}, {"-h"}, {"--help"}} {
		r := run(t, nil, "", args...)
		require.Zero(t, r.code, args)
		require.Empty(t, r.stderr, args)
		for _, command := range []string{
			"dev", "serve", "worker", "migrate", "user", "import", "digest", "keys", "eval", "doctor",
			"secrets", "settings", "backup", "restore", "restore-fence", "drill", "version", "ready", "mcp",
		} {
			require.Regexp(t, `(?m)^  `+command+` +\S`, r.stdout)
		}
	}

	t.Run("groups list their commands", func(t *testing.T) {
		t.Parallel()
		for group, command := range map[string]string{
			"user": "set-password", "import": "retry", "digest": "resend", "keys": "rotate",
		} {
			for _, args := range [][]string{{group}, {group, "help"}, {group, "--help"}, {"help", group}} {
				r := run(t, nil, "", args...)
				require.Zero(t, r.code, args)
				require.Contains(t, r.stdout, command, args)
			}
		}
	})

	t.Run("needs no valid settings", func(t *testing.T) {
		t.Parallel()
		require.Zero(t, run(t, []string{"HTTP_ADDR=nonsense"}, "", "help").code)
		require.Zero(t, run(t, []string{"HTTP_ADDR=nonsense"}, "", "completion", "bash").code)
	})
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"an unknown command":              {"explode"},
		"an unknown command of a group":   {"user", "explode"},
		"an unknown flag":                 {"doctor", "--explode"},
		"an argument too many":            {"migrate", "now"},
		"an argument too few":             {"user", "create"},
		"an invalid value of a flag":      {"user", "ban", "ada@example.com", "--for", "soon"},
		"an invalid argument":             {"keys", "mint", "postgres"},
		"a command before --":             {"dev", "sh", "--", "true"},
		"no command after --":             {"dev", "--"},
		"a command for dev without a --":  {"dev", "true"},
		"a delivery that is not an id":    {"digest", "resend", "x"},
		"a backup without a folder":       {"backup"},
		"a frequency that does not exist": {"digest", "run", "hourly"},
		"a restore without a time":        {"restore-fence"},
		"a restore in the future":         {"restore-fence", "--since", "2999-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, nil, "", args...)
			require.Equal(t, 2, r.code, r.stderr)
			require.Empty(t, r.stdout)
			require.Regexp(t, `^research: .+\nRun 'research.* --help' for usage.\n$`, r.stderr)
		})
	}
}

func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	r := run(t, []string{"HTTP_ADDR=nonsense", "PARSE_TIMEOUT=nonsense"}, "", "serve")
	require.Equal(t, 2, r.code)
	require.Equal(t, "research: these settings are not valid (docs/settings.md lists all settings):\n"+
		"  HTTP_ADDR must be host:port, or :port for all addresses\n"+
		"  PARSE_TIMEOUT must be a duration from 1s to 168h, written like 15s or 2h30m\n", r.stderr)

	r = run(t, nil, "", "worker")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "  DATABASE_URL is missing\n  TEMPORAL_ADDRESS is missing\n")
}

func TestSettingsCommand(t *testing.T) {
	t.Parallel()
	r := run(t, []string{"CRON_SECRET=sekret-sekret-sekret", "LOG_LEVEL=debug"}, "", "settings")
	require.Zero(t, r.code)
	require.Contains(t, r.stdout, "LOG_LEVEL=debug\n")
	require.Contains(t, r.stdout, "CRON_SECRET=***\n")
}

func TestSecretsCommand(t *testing.T) {
	t.Parallel()
	first, second := run(t, nil, "", "secrets"), run(t, nil, "", "secrets")
	require.Zero(t, first.code)
	require.Regexp(t, `^ANON_KEY=\S{20,}\nSERVICE_ROLE_KEY=\S{20,}\nCRON_SECRET=\S{20,}\n`+
		`METRICS_TOKEN=\S{20,}\nPOSTGRES_PASSWORD=\S{20,}\nDATABASE_SERVE_PASSWORD=\S{20,}\n`+
		`DATABASE_WORKER_PASSWORD=\S{20,}\n$`, first.stdout)
	require.NotEqual(t, first.stdout, second.stdout)
}

func TestEvalCommand(t *testing.T) {
	t.Parallel()
	table := run(t, nil, "", "eval")
	require.Zero(t, table.code, table.stderr)
	r := run(t, nil, "", "eval", "--json")
	require.Zero(t, r.code, r.stderr)
	require.True(t, strings.HasPrefix(r.stdout, "{"), r.stdout)
	missing := run(t, nil, "", "eval", t.TempDir()+"/none")
	require.Equal(t, 1, missing.code)
	require.Contains(t, missing.stderr, "load the known evidence")
}

func TestVersionCommand(t *testing.T) {
	t.Parallel()
	r := run(t, []string{"HTTP_ADDR=nonsense"}, "", "version")
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `^version +\S+\ncommit +\S+.*\ngo +go1\.\S+ \w+/\w+\nmigration +\d{4}_\w+\n$`, r.stdout)
	r = run(t, nil, "", "version", "--json")
	var version struct{ Version, Go, Migration string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &version))
	require.NotEmpty(t, version.Version)
	require.Regexp(t, `^\d{4}_\w+$`, version.Migration)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	code := cli.Run(t.Context(), []string{"settings"}, cli.System{
		Settings: func() (config.Config, error) { return config.Config{}, errors.New("the disk is on fire") },
		Stderr:   &stderr,
	})
	require.Equal(t, 1, code)
	require.Equal(t, "research: the disk is on fire\n", stderr.String())
}

func TestProgramsThatAreStoppedWhileTheyStart(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"serve", "worker"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			settings := map[string]string{
				"DATABASE_URL": "postgres://owner:secret@127.0.0.1:1/research", "TEMPORAL_ADDRESS": "127.0.0.1:1",
				"ANON_KEY": "anon-key", "SERVICE_ROLE_KEY": "service-key", "CRON_SECRET": "cron-secret-cron-secret",
			}
			var stderr bytes.Buffer
			start := func(ctx context.Context) int {
				return cli.Run(ctx, []string{program}, cli.System{
					Settings: func() (config.Config, error) {
						return config.Load(func(name string) string { return settings[name] })
					},
					Stdin: strings.NewReader(""), Stdout: &stderr, Stderr: &stderr,
				})
			}
			require.NotZero(t, start(t.Context()))
			require.Contains(t, stderr.String(), "database unavailable")

			stopped, stop := context.WithCancel(t.Context())
			stop()
			stderr.Reset()
			require.Zero(t, start(stopped), &stderr)
			require.Empty(t, stderr.String())
		})
	}
}
