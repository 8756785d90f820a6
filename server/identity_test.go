package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/config"
	"research/server"
)

func TestProvidersOfTheSettings(t *testing.T) {
	t.Parallel()
	load := func(t *testing.T, pairs map[string]string) config.Config {
		t.Helper()
		cfg, err := config.Load(func(name string) string { return pairs[name] })
		require.NoError(t, err)
		return cfg
	}

	none, err := server.OpenProviders(load(t, nil))
	require.NoError(t, err)
	require.Nil(t, none)

	cfg := load(t, map[string]string{
		"PUBLIC_URL":                "https://research.example/",
		"EXTERNAL_GOOGLE_CLIENT_ID": "web.example,ios.example", "EXTERNAL_GOOGLE_CLIENT_SECRET": "g",
		"EXTERNAL_AZURE_CLIENT_ID": "app", "EXTERNAL_AZURE_CLIENT_SECRET": "a",
		"EXTERNAL_AZURE_TENANT": "corp.example",
		"EXTERNAL_PROVIDERS": `[{"name": "acme", "label": "Acme", "issuer": "https://idp.example",
			"client_id": "us", "client_secret": "c"}]`,
	})
	auth, err := server.AuthConfig(cfg)
	require.NoError(t, err)
	var names []string
	for _, p := range auth.Identity.Providers.List() {
		names = append(names, p.Config().Name)
	}
	require.Equal(t, []string{"google", "azure", "custom:acme"}, names)
	google := auth.Identity.Providers.Get("google").Config()
	require.Equal(t, []string{"web.example", "ios.example"}, google.ClientIDs)
	require.Equal(t, "https://login.microsoftonline.com/corp.example/v2.0",
		auth.Identity.Providers.Get("azure").Config().Issuer)
	require.Equal(t, "https://research.example/auth/v1/callback", server.ProviderRedirectURI(cfg))

	_, err = server.AuthConfig(load(t, map[string]string{"EXTERNAL_PROVIDERS": `{"client_secret": "sekret"}`}))
	require.ErrorContains(t, err, "EXTERNAL_PROVIDERS ")
	require.NotContains(t, err.Error(), "sekret")
}
