package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/config"
	"research/identity/oidc"
	"research/server"
)

// The settings of these tests are of providers that are not asked.
var (
	google = config.Identity{GoogleClientID: "1-a.apps.googleusercontent.com", GoogleClientSecret: "s"}
	azure  = config.Identity{
		AzureClientID: "6f1d5a0e-3b7c-4e0b-9a51-0c2f5d7e8a91", AzureClientSecret: "s", AzureTenant: "common",
	}
)

func TestDoctorFindsAddressesToWhichNoProviderSendsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		publicURL string
		identity  config.Identity
		state     string // empty means no finding
		found     string
	}{
		{"https://research.example", google, "", ""},
		{"http://127.0.0.1:8080", google, "", ""},
		{"http://localhost:8080", azure, "", ""},
		{"http://research.example", google, stateFail, "nobody back to http://research.example/auth/v1/callback"},
		{"http://127.0.0.1:8080", azure, stateWarn, "Microsoft takes those of localhost alone"},
		{"https://192.0.2.7", google, stateWarn, "PUBLIC_URL has no name"},
	} {
		d := doctor{cfg: config.Config{HTTP: config.HTTP{PublicURL: tt.publicURL}, Identity: tt.identity}}
		providers, err := server.OpenProviders(d.cfg)
		require.NoError(t, err)
		d.checkRedirectURI(providers)
		if tt.state == "" {
			require.Empty(t, d.findings, tt)
			continue
		}
		require.Len(t, d.findings, 1, tt)
		require.Equal(t, tt.state, d.findings[0].State)
		require.Contains(t, d.findings[0].Found, tt.found)
		require.NotEmpty(t, d.findings[0].Do)
	}
}

func TestDoctorFindsIDsAndSecretsThatCannotBeRight(t *testing.T) {
	t.Parallel()
	const id = "6f1d5a0e-3b7c-4e0b-9a51-0c2f5d7e8a91"
	for found, c := range map[string]oidc.Config{
		"EXTERNAL_AZURE_CLIENT_ID is not a UUID":             oidc.Azure("research", "abc8Q~x", "common"),
		"EXTERNAL_AZURE_CLIENT_SECRET is the id of a secret": oidc.Azure(id, id, "common"),
		"does not end with .apps.googleusercontent.com":      oidc.Google("GOCSPX-x", "s"),
		"": oidc.Google("1-a.apps.googleusercontent.com,ios", "s"),
	} {
		report := judgeClient(c)
		require.Equal(t, found == "", report.OK(), found)
		require.Contains(t, report.Problem, found)
		require.Equal(t, found == "", report.Advice == "")
	}
	require.True(t, judgeClient(oidc.Azure(id, "abc8Q~x", "common")).OK())
	require.True(t, judgeClient(oidc.Config{Name: "custom:acme", ClientIDs: []string{"a"}, ClientSecret: id}).OK())
}
