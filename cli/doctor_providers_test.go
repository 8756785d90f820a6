package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/config"
	"research/db/dbtest"
	"research/identity/oidc"
	"research/identity/oidc/oidctest"
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
		state     string // of the second finding; empty if there is none
		found     string
	}{
		{"https://research.example", google, "", ""},
		{"http://127.0.0.1:8080", google, "", ""},
		{"http://localhost:8080", azure, "", ""},
		{"http://research.example", google, stateFail, "PUBLIC_URL is http"},
		{"http://127.0.0.1:8080", azure, stateWarn, "Microsoft takes those of localhost alone"},
		{"https://192.0.2.7", google, stateWarn, "PUBLIC_URL has no name"},
	} {
		d := doctor{cfg: config.Config{HTTP: config.HTTP{PublicURL: tt.publicURL}, Identity: tt.identity}}
		providers, err := server.OpenProviders(d.cfg)
		require.NoError(t, err)
		d.checkRedirectURI(providers)
		require.Equal(t, finding{
			Check: "sign-in", State: stateOK,
			Found: "the redirect address to register at each provider is " + tt.publicURL + "/auth/v1/callback",
		}, d.findings[0], "whatever is wrong with it")
		if tt.state == "" {
			require.Len(t, d.findings, 1)
			continue
		}
		require.Len(t, d.findings, 2)
		require.Equal(t, tt.state, d.findings[1].State)
		require.Contains(t, d.findings[1].Found, tt.found)
		require.NotEmpty(t, d.findings[1].Do)
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
	other := oidc.Config{Name: "custom:acme", ClientIDs: []string{"a"}, ClientSecret: id}
	require.True(t, judgeClient(other).OK())
}

func TestDoctorFindsProvidersWithSettingsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for issuer, setting := range map[string]string{
		"https://accounts.google.com":                    "EXTERNAL_GOOGLE_CLIENT_ID",
		"https://login.microsoftonline.com/contoso/v2.0": "EXTERNAL_AZURE_CLIENT_ID",
		"https://login.microsoftonline.com.acme.example": "",
	} {
		d := doctor{}
		d.checkCustomIssuer(oidc.Config{Name: "custom:acme", Issuer: issuer})
		if setting == "" {
			require.Empty(t, d.findings)
			continue
		}
		require.Len(t, d.findings, 1)
		require.Equal(t, stateWarn, d.findings[0].State)
		require.Contains(t, d.findings[0].Do, setting)
	}
	d := doctor{}
	d.checkCustomIssuer(oidc.Google("a", "s"))
	d.checkCustomIssuer(oidc.Azure("a", "s", ""))
	require.Empty(t, d.findings)
}

// acme returns the settings with which a provider for tests is a custom one.
func acme(t *testing.T, p *oidctest.Provider, change func(provider map[string]any)) config.Config {
	t.Helper()
	provider := map[string]any{
		"name": "acme", "label": "Acme", "issuer": p.URL, "client_id": p.ClientID(),
		"client_secret": p.ClientSecret(),
	}
	if change != nil {
		change(provider)
	}
	text, err := json.Marshal([]any{provider})
	require.NoError(t, err)
	return config.Config{
		HTTP:     config.HTTP{PublicURL: "https://research.example"},
		Identity: config.Identity{Providers: string(text), ProviderHosts: []string{p.Host()}},
	}
}

func TestDoctorAsksProviders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options  oidctest.Options
		behavior func(*oidctest.Behavior)
		provider func(map[string]any)
		state    string
		found    string // parts of the finding and of the advice
		do       string
	}{
		"one that is right": {
			state: stateOK, found: "Acme answers, and accepts the client",
		},
		"an issuer without its slash": {
			options:  oidctest.Options{Path: "/"},
			provider: func(p map[string]any) { p["issuer"] = strings.TrimSuffix(p["issuer"].(string), "/") },
			state:    stateFail, found: "differs by the slash at the end", do: "with a slash at the end",
		},
		"another issuer": {
			behavior: func(b *oidctest.Behavior) {
				b.Discovery = func(d map[string]any) { d["issuer"] = "https://idp.example" }
			},
			state: stateFail, found: "another issuer", do: "https://idp.example",
		},
		"a wrong secret": {
			provider: func(p map[string]any) { p["client_secret"] = "wrong-one" },
			state:    stateFail, found: "does not accept the client id or the client secret", do: "may have expired",
		},
		"no keys": {
			behavior: func(b *oidctest.Behavior) {
				b.Handlers = map[string]http.HandlerFunc{oidctest.Keys: http.NotFound}
			},
			state: stateFail, found: "key set", do: "correct the key set",
		},
		"another time": {
			behavior: func(b *oidctest.Behavior) { b.Clock = -time.Hour },
			state:    stateFail, found: "this machine's clock is 1h0m", do: "NTP",
		},
		"a token endpoint that says nothing": {
			behavior: func(b *oidctest.Behavior) {
				b.Handlers = map[string]http.HandlerFunc{oidctest.Token: func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(http.StatusTeapot)
				}}
			},
			state: stateWarn, found: "does not say whether it accepts the client", do: "418",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := oidctest.NewProvider(t, tt.options)
			if tt.behavior != nil {
				p.Set(tt.behavior)
			}
			d := doctor{cfg: acme(t, p, tt.provider)}
			d.checkProviders(t.Context())
			got := findingOf(t, d.findings, "sign-in custom:acme")
			require.Equal(t, tt.state, got.State, "%+v", got)
			require.Contains(t, got.Found, tt.found)
			require.Contains(t, got.Do, tt.do)
			require.NotContains(t, got.Found+got.Do, p.ClientSecret())
		})
	}
}

func TestDoctorFindsProvidersThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	p := oidctest.NewProvider(t, oidctest.Options{TLS: true})
	d := doctor{cfg: acme(t, p, nil)}
	d.cfg.Identity.ProviderHosts = nil
	d.checkProviders(t.Context())
	got := findingOf(t, d.findings, "sign-in custom:acme")
	require.Equal(t, stateFail, got.State)
	require.Contains(t, got.Found, "private address")
	require.Contains(t, got.Do, "EXTERNAL_ALLOWED_HOSTS")

	p.Stop()
	d = doctor{cfg: acme(t, p, nil)}
	d.checkProviders(t.Context())
	require.Equal(t, stateFail, findingOf(t, d.findings, "sign-in custom:acme").State)
	require.Equal(t, 0, p.Requests(oidctest.Token))

	d = doctor{}
	d.cfg.Identity.Providers = `[{"name": "acme", "secret": "s3cr3t"}]`
	d.checkProviders(t.Context())
	require.Len(t, d.findings, 1)
	require.Contains(t, d.findings[0].Found, "EXTERNAL_PROVIDERS has an unknown field secret: the fields are")
	require.NotContains(t, d.findings[0].Found, "s3cr3t")

	d = doctor{}
	d.checkProviders(t.Context())
	require.Empty(t, d.findings, "without providers, there is nothing to say")
}

func TestDoctorFindsProvidersThatHaveMoved(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	user := database.User(t, "ada@example.com")
	link := func(provider, issuer string) {
		database.Exec(t, `insert into auth.identities (provider, provider_id, user_id, identity_data)
			values ($1, gen_random_uuid(), $2, jsonb_build_object('iss', $3::text))`, provider, user, issuer)
	}
	examine := func() []finding {
		d := doctor{cfg: config.Config{
			HTTP: config.HTTP{PublicURL: "https://research.example"},
			Identity: config.Identity{Providers: `[{"name": "acme", "label": "Acme", "client_id": "a",
				"issuer": "https://idp.example"}, {"name": "other", "client_id": "a", "issuer": "https://b.example"}]`},
		}}
		d.cfg.Identity.GoogleClientID = google.GoogleClientID
		d.checkIssuers(t.Context(), database.Store)
		return d.findings
	}
	link("custom:acme", "https://idp.example")
	link("google", "https://idp.example")
	require.Empty(t, examine())
	for range 2 {
		link("custom:acme", "https://idp.example/")
	}
	require.Equal(t, []finding{{
		"sign-in custom:acme", stateWarn,
		"accounts that are linked to another issuer, and cannot sign in with Acme: 2",
		`see "A provider that moves" in docs/sign-in.md`,
	}}, examine())
}

func TestDoctorPrintsProvidersAsJSON(t *testing.T) {
	t.Parallel()
	p := oidctest.NewProvider(t, oidctest.Options{})
	d := doctor{cfg: acme(t, p, nil)}
	d.checkProviders(t.Context())
	var out bytes.Buffer
	require.NoError(t, printFindings(&out, d.findings, true))
	var findings []finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &findings))
	require.Equal(t, stateOK, findingOf(t, findings, "sign-in custom:acme").State)
	require.Contains(t, findingOf(t, findings, "sign-in").Found, "https://research.example/auth/v1/callback")
}
