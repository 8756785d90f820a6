package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"research/dev/devtest"
)

// promtool runs Prometheus' own tool in the folder of the examples.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	devtest.NeedPrograms(t, "promtool")
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Dir = "../docs/monitoring"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// Each alert of alerts_test.yml fires where it should, and no other does.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../docs/monitoring/alerts.yml")
	require.NoError(t, err)
	tests, err := os.ReadFile("../docs/monitoring/alerts_test.yml")
	require.NoError(t, err)
	alerts := regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(string(rules), -1)
	require.NotEmpty(t, alerts)
	for _, alert := range alerts {
		require.Contains(t, string(tests), `alertname="`+alert[1]+`"`, "a test where the alert fires")
	}
	promtool(t, "check", "rules", "alerts.yml")
	promtool(t, "test", "rules", "alerts_test.yml")
}

// The queries become rules of Prometheus, which its tool then parses.
func TestDashboardQueries(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../docs/monitoring/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(content, &dashboard))
	type rule struct{ Record, Expr string }
	var rules []rule
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			rules = append(rules, rule{
				Record: "query_" + strconv.Itoa(len(rules)),
				Expr:   strings.ReplaceAll(target.Expr, "$__rate_interval", "1m"), // Grafana's own variable
			})
		}
	}
	require.NotEmpty(t, rules)
	group := map[string]any{"name": "dashboard", "rules": rules}
	file, err := yaml.Marshal(map[string]any{"groups": []any{group}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "rules.yml")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	promtool(t, "check", "rules", path)
}

// scrapeExample is the example of Prometheus' configuration in docs/operations.md.
var scrapeExample = regexp.MustCompile("(?s)```yaml\n(scrape_configs:.*?)```")

// The collector's receiver scrapes with Prometheus' own configuration.
func TestScrapeExamples(t *testing.T) {
	t.Parallel()
	operations, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	example := scrapeExample.FindSubmatch(operations)
	require.NotNil(t, example, "docs/operations.md has an example of scrape_configs")

	content, err := os.ReadFile("../docs/monitoring/collector.yaml")
	require.NoError(t, err)
	var collector struct {
		Receivers struct {
			Prometheus struct{ Config any }
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &collector))
	require.NotNil(t, collector.Receivers.Prometheus.Config)
	receiver, err := yaml.Marshal(collector.Receivers.Prometheus.Config)
	require.NoError(t, err)

	for name, config := range map[string][]byte{"operations": example[1], "collector": receiver} {
		path := filepath.Join(t.TempDir(), name+".yml")
		require.NoError(t, os.WriteFile(path, config, 0o600))
		promtool(t, "check", "config", "--syntax-only", path) // the files that it names are elsewhere
	}
}
