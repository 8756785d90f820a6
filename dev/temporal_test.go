package dev

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What product and CLI need in one version is compiled once. A module may differ where Temporal's server
// requires it, and says why.
func TestTemporalIsBuiltFromOurVersions(t *testing.T) {
	t.Parallel()
	differing := map[string]string{
		"github.com/golang/mock":               "what the server uses requires a newer one",
		"github.com/nexus-rpc/sdk-go":          "the server has not moved to its newer interfaces",
		"go.temporal.io/api":                   "the server has not the methods of a newer API",
		"go.temporal.io/sdk":                   "it has the version of the API",
		"go.temporal.io/sdk/contrib/envconfig": "it has the version of the SDK",
	}
	ours, temporals := versions(t, "go.mod"), versions(t, "tools/temporal/go.mod")
	shared := 0
	for module, version := range temporals {
		if ours[module] == "" || differing[module] != "" {
			continue
		}
		shared++
		require.Equal(t, ours[module], version, "cd tools/temporal && go get %s@%s && go mod tidy",
			module, ours[module])
	}
	require.Greater(t, shared, 40)
	for module := range differing {
		require.NotEqual(t, ours[module], temporals[module], "%s is shared now: remove the exception", module)
	}
}

// Archives in Amazon's and Google's stores are left out, with all that their clients need.
func TestTemporalIsBuiltWithoutClouds(t *testing.T) {
	t.Parallel()
	replaced := []string{"cloud.google.com/go/storage", "github.com/aws/aws-sdk-go", "google.golang.org/api"}
	required := versions(t, "tools/temporal/go.mod")
	for _, module := range replaced {
		require.NotEmpty(t, required[module], "Temporal does not use %s any more: remove its replacement", module)
		delete(required, module)
	}
	delete(required, "cloud.google.com/go/compute/metadata") // one package, of oauth2
	for module := range required {
		require.NotRegexp(t, `^cloud\.google\.com|^github\.com/(aws|envoyproxy|GoogleCloudPlatform)/`, module,
			"a store that the development server does not need: see tools/temporal/absent")
	}
}

func TestTemporalIsPinned(t *testing.T) {
	t.Parallel()
	cli, servers := versions(t, "tools/temporal/go.mod"), versions(t, "tools/go.mod")
	require.Equal(t, temporalVersion, cli["github.com/temporalio/cli"])
	for _, module := range []string{"go.temporal.io/server", "github.com/temporalio/ui-server/v2"} {
		require.NotEmpty(t, cli[module])
		require.Equal(t, servers[module], cli[module], "make dev and make cluster run the same %s", module)
	}
}

var requirement = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

// versions returns the versions of the modules that a go.mod of the repository requires.
func versions(t *testing.T, path string) map[string]string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
	require.NoError(t, err)
	versions := map[string]string{}
	for _, match := range requirement.FindAllStringSubmatch(string(mod), -1) {
		versions[match[1]] = match[2]
	}
	return versions
}
