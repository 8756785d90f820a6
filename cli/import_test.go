package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImportAddSaysWhatItIsTold(t *testing.T) {
	t.Parallel()
	const owner, barista = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	forms := make(chan map[string][]string, 2)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintf(w, `[{"id":%q,"name":"Barista"},{"id":%q,"name":"Owner"}]`, barista, owner)
			return
		}
		if r.ParseMultipartForm(1<<20) == nil {
			forms <- r.MultipartForm.Value
		}
		_, _ = fmt.Fprint(w, `{"importId":"33333333-3333-4333-8333-333333333333"}`)
	}))
	t.Cleanup(api.Close)
	file := filepath.Join(t.TempDir(), "dave.txt")
	require.NoError(t, os.WriteFile(file, []byte("Dave: On paper.\n"), 0o600))
	settings := []string{
		"PUBLIC_URL=" + api.URL, "JWT_SECRET=" + strings.Repeat("s", 32), "SERVICE_ROLE_KEY=key",
	}
	add := func(args ...string) result {
		t.Helper()
		return run(t, settings, "", append([]string{"import", "add", "project"}, args...)...)
	}

	added := add(file, "--title", "Dave, owner", "--persona", "owner", "--date", "2031-04-12")
	require.Zero(t, added.code, added.stderr)
	require.Equal(t, map[string][]string{
		"project_id": {"project"}, "title": {"Dave, owner"}, "persona_id": {owner},
		"interviewed_on": {"2031-04-12"},
	}, <-forms)

	added = add(file, "--persona", barista, "--date", "")
	require.Zero(t, added.code, added.stderr)
	require.Equal(t, map[string][]string{
		"project_id": {"project"}, "persona_id": {barista}, "interviewed_on": {""},
	}, <-forms)

	unknown := add(file, "--persona", "Chef")
	require.Equal(t, 1, unknown.code)
	require.Contains(t, unknown.stderr, `no persona "Chef"; it has "Barista", "Owner"`)

	several := add(file, file, "--title", "Dave")
	require.Equal(t, 1, several.code)
	require.Contains(t, several.stderr, "--title is of one interview")
	require.Empty(t, forms)
}

func TestImportActsForTheUserOfAToken(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		_, _ = fmt.Fprint(w, `[]`)
	}))
	t.Cleanup(api.Close)
	secret := "RESEARCH_TOKEN=rsp_secret"
	settings := []string{"PUBLIC_URL=" + api.URL, "JWT_SECRET=" + strings.Repeat("s", 32)}

	both := append(slices.Clone(settings), secret, "ANON_KEY=public", "SERVICE_ROLE_KEY=service")
	listed := run(t, both, "", "import", "list")
	require.Zero(t, listed.code, listed.stderr)
	header := <-seen
	require.Equal(t, "public", header.Get("Apikey"))
	require.Equal(t, "Bearer rsp_secret", header.Get("Authorization"))

	withoutKey := append(slices.Clone(settings), secret, "SERVICE_ROLE_KEY=service")
	incomplete := run(t, withoutKey, "", "import", "list")
	require.NotZero(t, incomplete.code)
	require.Contains(t, incomplete.stderr, "ANON_KEY")
	require.NotContains(t, incomplete.stderr, "rsp_secret")
	require.Empty(t, seen)

	listed = run(t, append(slices.Clone(settings), "SERVICE_ROLE_KEY=service"), "", "import", "list")
	require.Zero(t, listed.code, listed.stderr)
	require.Equal(t, "Bearer service", (<-seen).Get("Authorization"))
}

// Another host must not receive the keys. Go would leave out the header Authorization there, and no other.
func TestImportFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	t.Cleanup(elsewhere.Close)
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/rest", http.StatusPermanentRedirect))
	t.Cleanup(api.Close)
	settings := []string{
		"PUBLIC_URL=" + api.URL, "JWT_SECRET=" + strings.Repeat("s", 32), "SERVICE_ROLE_KEY=key",
	}
	listed := run(t, settings, "", "import", "list")
	require.Equal(t, 1, listed.code)
	require.Contains(t, listed.stderr, fmt.Sprintf("%s redirects to %q, and was not followed: set PUBLIC_URL",
		api.URL, elsewhere.URL+"/rest"))
}

func TestImportBoundsAnswers(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		part := []byte(strings.Repeat(" ", 1<<20))
		for range 65 {
			_, _ = w.Write(part)
		}
		_, _ = fmt.Fprint(w, `[]`)
	}))
	t.Cleanup(api.Close)
	listed := run(t, []string{
		"PUBLIC_URL=" + api.URL, "JWT_SECRET=" + strings.Repeat("s", 32), "SERVICE_ROLE_KEY=key",
	}, "", "import", "list")
	require.Equal(t, 1, listed.code)
	require.Contains(t, listed.stderr, "is longer than 64 MB")
}
