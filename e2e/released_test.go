package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"research/cli"
	"research/config"
	"research/db/dbtest"
	"research/temporalclient"
	"research/workflows"
)

var update = flag.Bool("update", false, "add what is new to the files of what releases promise")

// releasedHeader begins each file of testdata/released.
const releasedHeader = "" +
	"# What releases since 1.0.0 promise: docs/compat.md says for how long. Lines are added by\n" +
	"# `go run . dev -- go test ./e2e -run TestReleased -update`, and never removed within 1.x.\n"

// A surface is what other programs use of the service, a line for each thing that stays. What may change,
// such as defaults and descriptions, is not in it.
type surface map[string]bool

func (s surface) addf(format string, args ...any) { s[fmt.Sprintf(format, args...)] = true }

// TestReleased compares what other programs use with what releases had. Additions pass.
func TestReleased(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(*testing.T, surface){
		"api": listAPI, "commands": listCommands, "data": listData, "events": listEvents, "metrics": listMetrics,
		"settings": listSettings, "temporal": listTemporal, "tools": listTools,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := surface{}
			list(t, now)
			require.NotEmpty(t, now)
			file := filepath.Join("testdata", "released", name+".txt")
			content, err := os.ReadFile(file)
			if !*update || !os.IsNotExist(err) {
				require.NoError(t, err)
			}
			if *update {
				content = []byte(withNew(string(content), now))
				require.NoError(t, os.WriteFile(file, content, 0o644))
			}
			require.NoError(t, checkPromised(file, string(content), now))
		})
	}
}

// promised returns the lines of a file of what releases promise.
func promised(content string) (lines []string) {
	for line := range strings.Lines(content) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// withNew returns the content of a file with the lines that it lacks.
func withNew(content string, now surface) string {
	lines := promised(content)
	for line := range now {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return releasedHeader + strings.Join(slices.Compact(lines), "\n") + "\n"
}

// checkPromised returns an error if something that releases promise is not there any more.
func checkPromised(file, content string, now surface) error {
	var gone []string
	for _, line := range promised(content) {
		if !now[line] {
			gone = append(gone, "  "+line)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return fmt.Errorf("these lines of %s were promised by a release of 1.x, and are removed or changed:\n%s\n"+
		"Keep them, and deprecate them as docs/compat.md says. Only a new major version removes the lines, by hand",
		file, strings.Join(gone, "\n"))
}

func TestPromisesAreAppendOnly(t *testing.T) {
	t.Parallel()
	content := withNew("", surface{"b": true, "a": true})
	require.Equal(t, releasedHeader+"a\nb\n", content)
	require.NoError(t, checkPromised("x.txt", content, surface{"a": true, "b": true, "c": true}))
	require.ErrorContains(t, checkPromised("x.txt", content, surface{"a": true, "c": true}),
		"these lines of x.txt were promised by a release of 1.x, and are removed or changed:\n  b\nKeep them")
	require.Equal(t, releasedHeader+"a\nb\nc\n", withNew(content, surface{"c": true}), "a promise stays")
}

func listSettings(_ *testing.T, s surface) {
	for _, setting := range config.Settings() {
		s.addf("%s", setting.Name)
	}
}

// runCommand returns what a command prints on standard output.
func runCommand(t *testing.T, getenv func(string) string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cli.Run(t.Context(), args, cli.System{
		Settings: func() (config.Config, error) { return config.Load(getenv) },
		Stdin:    strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
	})
	return stdout.String()
}

// listCommands lists commands with their flags, as cobra completes them, and the fields that programs read.
func listCommands(t *testing.T, s surface) {
	complete := func(path []string, begun string) (words []string) {
		output := runCommand(t, nil, slices.Concat([]string{"__complete"}, path, []string{begun})...)
		for line := range strings.Lines(output) {
			word, _, described := strings.Cut(line, "\t")
			if described && word != "-h" && word != "--help" {
				words = append(words, word)
			}
		}
		return words
	}
	var list func(path []string)
	list = func(path []string) {
		for _, name := range slices.Concat(complete(path, "-"), complete(path, "")) {
			below := append(slices.Clone(path), name)
			s.addf("research %s", strings.Join(below, " "))
			if strings.HasPrefix(name, "-") {
				continue
			}
			if name != "completion" && name != "help" {
				list(below)
			}
		}
	}
	list(nil)

	d := dbtest.New(t)
	d.Tenant(t)
	getenv := func(name string) string {
		return map[string]string{"DATABASE_URL": d.URL, "LOG_LEVEL": "error"}[name]
	}
	for _, command := range []string{"version", "user list", "doctor"} {
		output := json.NewDecoder(strings.NewReader(runCommand(t, getenv,
			append(strings.Fields(command), "--json")...)))
		for output.More() {
			var value any
			require.NoError(t, output.Decode(&value), command)
			listFields(s, "research "+command+" --json prints ", value)
		}
	}
}

// listFields lists the names of the fields of a JSON value.
func listFields(s surface, place string, value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			listFields(s, place+"[]", item)
		}
	case map[string]any:
		for name, field := range value {
			s.addf("%s.%s", place, name)
			listFields(s, place+"."+name, field)
		}
	}
}

// metricRow matches a row of the table of metrics in docs/operations.md: its names.
var (
	metricRow        = regexp.MustCompile("(?m)^\\| ((?:`research_[a-z_]+`(?:, )?)+) \\|")
	documentedMetric = regexp.MustCompile("`(research_[a-z_]+)`")
	instrument       = regexp.MustCompile(`"(research_[a-z_]+)"`)
)

// listMetrics lists the metrics that are documented and exported. Exporters add units and types to names.
func listMetrics(t *testing.T, s surface) {
	files, err := filepath.Glob("../telemetry/*.go")
	require.NoError(t, err)
	exported := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range instrument.FindAllSubmatch(content, -1) {
			exported[string(match[1])] = true
		}
	}
	operations, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	for _, row := range metricRow.FindAllSubmatch(operations, -1) {
		for _, name := range documentedMetric.FindAllSubmatch(row[1], -1) {
			base := strings.TrimSuffix(strings.TrimSuffix(string(name[1]), "_total"), "_seconds")
			if exported[string(name[1])] || exported[base] {
				s.addf("%s", name[1])
			}
		}
	}
}

// listTemporal lists the names by which operators find runs.
func listTemporal(_ *testing.T, s surface) {
	workflows.Register(registeredNames{s})
	for _, queue := range workflows.Queues {
		s.addf("task queue %s", queue)
	}
	for _, key := range workflows.SearchAttributes {
		s.addf("search attribute %s %s", key.GetName(), key.GetValueType())
	}
	id, at := uuid.Nil, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for _, workflowID := range []string{
		workflows.ParseWorkflowID(id), workflows.AnswerWorkflowID(id), workflows.ThemesWorkflowID(id),
		workflows.AccountMailWorkflowID(id), workflows.AccountNoticeWorkflowID(id), workflows.DeleteDataWorkflowID,
		workflows.DigestWorkflowID(workflows.Daily), workflows.DigestWorkflowID(workflows.Weekly),
		workflows.DeliverDigestsWorkflowID, workflows.PreviewWorkflowID(id, at),
		workflows.DeliverWebhooksWorkflowID(id),
	} {
		s.addf("workflow id %s", workflowID)
	}
	for _, schedule := range append(temporalclient.DigestSchedules(), temporalclient.RetentionSchedule()) {
		s.addf("schedule %s", schedule.ID)
	}
}

// registeredNames lists the workflows that are registered with it.
type registeredNames struct{ surface }

func (r registeredNames) RegisterWorkflow(w any) {
	name := runtime.FuncForPC(reflect.ValueOf(w).Pointer()).Name()
	r.addf("workflow %s", name[strings.LastIndex(name, ".")+1:])
}

func (r registeredNames) RegisterWorkflowWithOptions(w any, _ workflow.RegisterOptions) {
	r.RegisterWorkflow(w)
}

// silent is a log that nobody reads.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
