package server_test

import (
	"fmt"
	"strings"
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

	const acme = `[{"name": "acme", "client_id": "us", "client_secret": "sekret", "issuer": "%s"}]`
	const acmeHas = "EXTERNAL_PROVIDERS has a provider acme that has "
	const notHTTPS = acmeHas + "an issuer that does not begin with https:// "
	many := strings.Repeat("a,", 20) + "a"
	for _, tt := range []struct {
		want, setting, value string
	}{
		{"EXTERNAL_PROVIDERS must be a JSON array", "EXTERNAL_PROVIDERS", `{"client_secret": "sekret"}`},
		{notHTTPS + "(plain http needs its host in EXTERNAL_ALLOWED_HOSTS)", "EXTERNAL_PROVIDERS",
			fmt.Sprintf(acme, "http://localhost:9000")},
		{notHTTPS + "(plain http is accepted for hosts of this machine alone)", "EXTERNAL_PROVIDERS",
			fmt.Sprintf(acme, "http://idp.example")},
		{acmeHas + "no issuer", "EXTERNAL_PROVIDERS", fmt.Sprintf(acme, "")},
		{"EXTERNAL_GOOGLE_CLIENT_ID has client ids that are not", "EXTERNAL_GOOGLE_CLIENT_ID", "a b"},
		{"EXTERNAL_GOOGLE_CLIENT_ID has no client id", "EXTERNAL_GOOGLE_CLIENT_ID", ","},
		{"EXTERNAL_AZURE_CLIENT_ID has client ids that are not", "EXTERNAL_AZURE_CLIENT_ID", many},
		{"EXTERNAL_AZURE_TENANT has a tenant that is not common", "EXTERNAL_AZURE_TENANT", "comon"},
		{"EXTERNAL_AZURE_TENANT has a tenant that is not common", "EXTERNAL_AZURE_TENANT",
			"https://login.microsoftonline.com/x"},
		{"EXTERNAL_AZURE_CLIENT_SECRET has a client secret that is not one line",
			"EXTERNAL_AZURE_CLIENT_SECRET", "sekret\tb"},
	} {
		pairs := map[string]string{
			"EXTERNAL_GOOGLE_CLIENT_ID": "g", "EXTERNAL_GOOGLE_CLIENT_SECRET": "sekret",
			"EXTERNAL_AZURE_CLIENT_ID": "a", "EXTERNAL_AZURE_CLIENT_SECRET": "sekret",
		}
		pairs[tt.setting] = tt.value
		_, err := server.AuthConfig(load(t, pairs))
		require.ErrorContains(t, err, tt.want)
		require.NotContains(t, err.Error(), "sekret")
	}
}
