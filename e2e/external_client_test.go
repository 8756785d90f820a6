//go:build clients

package e2e

import (
	"encoding/json"
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
