//go:build clients

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Accounts at providers, driven by supabase-js with the flow of PKCE.
func TestClientSupabaseProviders(t *testing.T) {
	t.Parallel()
	people := make([]person, 30) // each check takes some
	for i := range people {
		people[i] = newPerson("person" + strconv.Itoa(i))
	}
	s, p := startWithProvider(t, people, "SIGNUP_ANONYMOUS=on")
	raw, err := json.Marshal(people)
	require.NoError(t, err)
	s.runNodeChecks(t, filepath.Join("..", "api", "auth", "clienttest"), "external.test.js", 19,
		"ISSUER="+p.issuer, "CLIENT_ID="+providerClient, "CLIENT_SECRET="+providerSecret, "PEOPLE="+string(raw))
}

// The page's button, the provider's own form, and the way back, in Chromium.
func TestClientProviderPage(t *testing.T) {
	t.Parallel()
	people := []person{newPerson("ann"), newPerson("ben")}
	s, p := startWithProvider(t, people)
	raw, err := json.Marshal(people)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(pageFolder)))
	installPackages(t, dir)
	file := filepath.Join(dir, "elsewhere", "zitadel.test.js")
	env := []string{
		"BASE_URL=" + s.url(), "ANON_KEY=" + anonKey, "SERVICE_ROLE_KEY=" + serviceKey, "ISSUER=" + p.issuer,
		"PEOPLE=" + string(raw), "CHROMIUM=" + findChromium(t),
		"TMPDIR=" + t.TempDir(), // the browser's profile is removed with the test
	}
	out := runProgram(t, dir, env, "node", "--test", "--test-reporter=tap", file)
	requireChecks(t, out, checksOf(t, file))
}
