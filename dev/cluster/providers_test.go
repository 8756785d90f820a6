package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	settingsof "research/config"
	"research/identity/oidc"
)

// The examples of sign-in with providers, of which an operator removes the comment signs.

// uncomment returns a file without the comment sign of the lines that match the pattern.
func uncomment(t *testing.T, path, pattern string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(t, err)
	commented := regexp.MustCompile(`(?m)^( *)#( ?)(` + pattern + `)`)
	require.Regexp(t, commented, string(raw))
	return commented.ReplaceAllString(string(raw), "$1$3")
}

// requireProviders requires that settings name providers that serve accepts.
func requireProviders(t *testing.T, set settings) {
	t.Helper()
	for _, name := range []string{"ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET", "DATABASE_URL"} {
		delete(set, name) // examples, which are too short
	}
	loaded, err := settingsof.Load(func(name string) string { return set[name] })
	require.NoError(t, err)
	require.Equal(t, []string{"keycloak.corp.example"}, loaded.Identity.ProviderHosts)
	configs, err := oidc.ParseConfigs(loaded.Identity.Providers)
	require.NoError(t, err)
	require.Len(t, configs, 1)
	_, err = oidc.New(configs, oidc.Options{RedirectURI: "https://research.example.com/auth/v1/callback"})
	require.NoError(t, err)
}

func TestComposeMountsFilesOfProviders(t *testing.T) {
	t.Parallel()
	text := uncomment(t, "docker-compose.yml", `volumes: \[`)
	text = regexp.MustCompile(`\$\{[^{}]*(\$\{[^{}]*\}[^{}]*)*\}`).ReplaceAllString(text, "")
	var file composeFile
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	const mount = "./providers:/run/providers:ro"
	require.Equal(t, []string{mount}, file.Services["serve-3"].Volumes)
	require.Equal(t, []string{"backups:/backups", mount}, file.Services["operator"].Volumes)
	require.Empty(t, file.Services["worker"].Volumes)
}

func TestKubernetesHasExamplesOfProviders(t *testing.T) {
	t.Parallel()
	text := uncomment(t, "docs/kubernetes/research.yaml", `EXTERNAL_|  +[\[\]{}"]`)
	set := settings{}
	for _, document := range strings.Split(text, "\n---\n") {
		var manifest struct {
			Kind    string
			Data    settings
			Secrets settings `yaml:"stringData"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(document), &manifest))
		for name, value := range manifest.Data {
			require.NotRegexp(t, "SECRET|PROVIDERS", name, "it belongs into the Secret")
			set[name] = value
		}
		for name, value := range manifest.Secrets {
			set[name] = value
		}
	}
	require.NotEmpty(t, set["EXTERNAL_GOOGLE_CLIENT_SECRET"])
	require.NotEmpty(t, set["EXTERNAL_AZURE_CLIENT_SECRET"])
	requireProviders(t, set)
}

func TestEnvironmentHasExamplesOfProviders(t *testing.T) {
	t.Parallel()
	set, err := godotenv.Unmarshal(uncomment(t, ".env.example", `EXTERNAL_(PROVIDERS|ALLOWED_HOSTS)=`))
	require.NoError(t, err)
	requireProviders(t, set)
}
