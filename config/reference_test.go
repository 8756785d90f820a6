package config_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"research/config"
)

var update = flag.Bool("update", false, "write docs/settings.md")

func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	const path = "../docs/settings.md"
	var want bytes.Buffer
	require.NoError(t, config.WriteReference(&want))
	if *update {
		require.NoError(t, os.WriteFile(path, want.Bytes(), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "docs/settings.md is stale: run `make generate`")
}

func TestSettingsHaveADescription(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range config.Settings() {
		require.NotEmpty(t, s.Group, s.Name)
		require.NotEmpty(t, s.Description, s.Name)
		require.False(t, names[s.Name], "%s is read twice", s.Name)
		names[s.Name] = true
	}
}

// README.md and .env.example show the settings that people change: they must exist, with these defaults.
func TestDocumentedSettings(t *testing.T) {
	t.Parallel()
	settings := map[string]config.Setting{}
	for _, s := range config.Settings() {
		settings[s.Name] = s
	}

	t.Run("README.md", func(t *testing.T) {
		t.Parallel()
		row := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|(?: `([^`]*)`)? \\|")
		rows := row.FindAllStringSubmatch(read(t, "../README.md"), -1)
		require.NotEmpty(t, rows)
		for _, row := range rows {
			require.Contains(t, settings, row[1])
			require.Equal(t, settings[row[1]].Default, row[2], row[1])
		}
	})

	t.Run(".env.example", func(t *testing.T) {
		t.Parallel()
		setting := regexp.MustCompile(`(?m)^#([A-Z_]+=)`)
		content := setting.ReplaceAllString(read(t, "../.env.example"), "$1")
		values, err := godotenv.Unmarshal(content)
		require.NoError(t, err)
		require.NotEmpty(t, values)
		_, err = config.Load(func(name string) string { return values[name] })
		require.NoError(t, err)

		// Documents source .env in a shell, too.
		path := filepath.Join(t.TempDir(), ".env")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		for name, value := range values {
			require.Contains(t, settings, name)
			script := `set -eu; . "$1"; eval "printf %s \"\$$2\""`
			shell := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", path, name)
			out, err := shell.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, value, string(out))
		}
	})
}

// otherNames are names in documents that look like settings, and are not those of the service.
var otherNames = map[string]string{
	"API_URL":               "of dev.env",
	"CHANNEL_ERROR":         "of supabase-js",
	"CLUSTER_PORT":          "of make",
	"HTTPS_PROXY":           "of every program",
	"LC_ALL":                "of every program",
	"OLLAMA_CONTEXT_LENGTH": "of Ollama",
	"SPEAKER_00":            "in transcripts",
	"SSL_CERT_FILE":         "of every program in Go",
	"SUPABASE_JS":           "of make",
	"WEBHOOK_SECRET":        "of receivers",
	"WITHOUT_RACE":          "of make",
}

// Settings that documents name exist.
func TestSettingsInDocumentation(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range config.Settings() {
		known[s.Name] = true
		known[s.Name+"_FILE"] = s.Secret
	}
	name := regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	placeholder := regexp.MustCompile(`^[A-Z]+_1(_FIRST|_LAST)?$`) // what stands for personal data
	documents := []string{"../README.md", "../CONTRIBUTING.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/quickstart/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	others := map[string]bool{}
	for _, document := range documents {
		if filepath.Base(document) == "settings.md" { // which is made of them
			continue
		}
		for _, name := range name.FindAllString(read(t, document), -1) {
			others[name] = others[name] || !known[name]
			if !known[name] && !placeholder.MatchString(name) {
				require.NotEmptyf(t, otherNames[name], "%s names %s, which is no setting", document, name)
			}
		}
	}
	for name := range otherNames {
		require.True(t, others[name], "no document names %s: remove it from the list", name)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}
