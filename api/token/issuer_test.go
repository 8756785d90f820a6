package token_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/token"
)

func TestParseIssuers(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)

	list, err := token.ParseIssuers(`[
		{"issuer": "https://x.supabase.co/auth/v1", "algorithms": ["ES256"], "link_users": true},
		{"issuer": "y", "secret": "` + secret + `", "algorithms": ["HS256"], "audience": "a", "role": "anon"}
	]`)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.True(t, list[0].LinkUsers)

	none, err := token.ParseIssuers("  ")
	require.NoError(t, err)
	require.Empty(t, none)

	const x = `"issuer": "https://x.example"`
	for name, text := range map[string]string{
		"text that is not JSON": `issuer=x`,
		"an object":             `{` + x + `, "algorithms": ["ES256"]}`,
		"two arrays":            `[] []`,
		"an unknown field":      `[{` + x + `, "algorithm": ["ES256"]}]`,
		"no issuer":             `[{"algorithms": ["ES256"]}]`,
		"no algorithm":          `[{` + x + `}]`,
		"alg none":              `[{` + x + `, "algorithms": ["none"]}]`,
		"HMAC with public keys": `[{` + x + `, "algorithms": ["ES256", "HS256"]}]`,
		"public keys with a secret": `[{` + x + `, "secret": "` + secret + `",
			"algorithms": ["HS256", "RS256"]}]`,
		"a short secret":                 `[{` + x + `, "secret": "sssshort", "algorithms": ["HS256"]}]`,
		"keys off TLS":                   `[{"issuer": "http://x.example", "algorithms": ["ES256"]}]`,
		"keys in a file":                 `[{` + x + `, "jwks_url": "file:///etc/x", "algorithms": ["ES256"]}]`,
		"an issuer that cannot be found": `[{"issuer": "x", "algorithms": ["ES256"]}]`,
		"the role of the service":        `[{` + x + `, "algorithms": ["ES256"], "role": "service_role"}]`,
		"both a secret and keys": `[{` + x + `, "secret": "` + secret + `",
			"jwks_url": "https://x.example/k", "algorithms": ["HS256"]}]`,
		"an issuer twice": `[{` + x + `, "algorithms": ["ES256"]}, {` + x + `, "algorithms": ["RS256"]}]`,
	} {
		_, err := token.ParseIssuers(text)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "ssss", name)
	}
}

func FuzzParseIssuers(f *testing.F) {
	f.Add(`[{"issuer":"https://x.supabase.co/auth/v1","algorithms":["ES256"],"link_users":true}]`)
	f.Add(`[{"issuer":"https://x.example","secret":"ssssssssssssssssssssssssssssssss","algorithms":["HS256"]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := token.ParseIssuers(text)
		for _, issuer := range list {
			require.NoError(t, err)
			require.NotEmpty(t, issuer.Issuer)
			require.NotEmpty(t, issuer.Algorithms)
			require.NotContains(t, issuer.Algorithms, "none")
		}
	})
}
