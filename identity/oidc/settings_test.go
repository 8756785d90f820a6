package oidc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseConfigs(t *testing.T) {
	t.Parallel()
	configs, err := ParseConfigs(`[
		{"name": "acme", "label": " Acme ", "issuer": "https://id.acme.example/", "client_id": "a, b",
		 "client_secret": "top-secret", "scopes": ["groups"], "trusts_email": true, "trusts_mfa": true},
		{"name": "okta-2", "issuer": "http://localhost:9000", "client_id": "c"}
	]`)
	require.NoError(t, err)
	require.Equal(t, []Config{
		{
			Name: "custom:acme", Label: "Acme", Issuer: "https://id.acme.example/", ClientIDs: []string{"a", "b"},
			ClientSecret: "top-secret", Scopes: []string{"groups"}, TrustsEmail: true, TrustsMFA: true,
		},
		{Name: "custom:okta-2", Label: "okta-2", Issuer: "http://localhost:9000", ClientIDs: []string{"c"}},
	}, configs)
	for _, empty := range []string{"", " \n", "[]", "null"} {
		configs, err = ParseConfigs(empty)
		require.NoError(t, err)
		require.Empty(t, configs)
	}
}

func TestParseConfigsRejects(t *testing.T) {
	t.Parallel()
	one := func(fields string) string {
		return `[{"name":"acme","client_secret":"top-secret",` + fields + `}]`
	}
	const noName = "has a provider whose name is not 1 to 40 of a-z, 0-9 and - (the first)"
	const acmeHas, complete = "has a provider acme that has ", `"issuer":"https://a.example","client_id":"c"`
	const fields = ": the fields are name, label, issuer, client_id, client_secret, scopes, trusts_email and " +
		"trusts_mfa"
	for text, want := range map[string]string{
		`{"name":"acme"}`:                           "must be a JSON array of objects",
		`["acme"]`:                                  "must be a JSON array of objects",
		`[{"name":"acme",]`:                         "is not JSON (at byte 17)",
		`[{"client_secret":top-sec}]`:               "is not JSON (at byte 20)",
		`[{"name":"acme"`:                           "is not JSON (it ends too early)",
		one(complete) + "[]":                        "must be one JSON array",
		one(`"secret":1`):                           "has an unknown field secret" + fields,
		one(`"` + strings.Repeat("ab", 21) + `":1`): "has an unknown field " + strings.Repeat("ab", 20) + fields,
		one(`"a b":1`):                              "has an unknown field" + fields,
		one(`"a\u001bb":1`):                         "has an unknown field" + fields,
		one(`"client_id":7`):                        "has a field client_id that is not a text",
		one(`"scopes":"a b"`):                       "has a field scopes that is not a list of texts",
		one(`"scopes":[1]`):                         "has a field scopes that is not a list of texts",
		one(`"trusts_email":"true"`):                "has a field trusts_email that is not true or false",
		`[{"issuer":"https://a.example"}]`:          noName,
		`[{"name":"custom:acme"}]`:                  noName,
		one(`"client_id":"c"`):                      acmeHas + "no issuer",
		one(`"issuer":"https://a.example"`):         acmeHas + "no client id",
		one(complete + `,"scopes":["a b"]`): acmeHas +
			"scopes that are not a list of at most 20 words",
		one(complete + `,"label":"a\nb"`): acmeHas +
			"a label that is not one line of 1 to 60 characters",
		one(complete + `,"client_secret":"a\n"`): acmeHas +
			"a client secret that is not one line of at most 1000 bytes",
		one(`"client_id":"a b","issuer":"https://a.example"`): acmeHas + "client ids that are " +
			"not at most 20 words, separated by commas",
		one(`"client_id":"c","issuer":"a.example"`): acmeHas + "an issuer that is not a URL " +
			"with https://, without ? and #",
		one(`"client_id":"c","issuer":"https://a.example?x=1"`): acmeHas + "an issuer that is " +
			"not a URL with https://, without ? and #",
		one(`"client_id":"c","issuer":"https://a.example/.well-known/openid-configuration"`): acmeHas +
			"an issuer with /.well-known/openid-configuration, which must be left out",
		`[{"name":"a",` + complete + `},{"name":"a",` + complete + `}]`: "has two providers with the name a",
		"[" + strings.Repeat(`{"name":"a"},`, 20) + `{}]`:               "has more than 20 providers",
	} {
		configs, err := ParseConfigs(text)
		require.EqualError(t, err, want, text)
		require.Nil(t, configs)
		require.NotContains(t, err.Error(), "top-sec")
	}
}

func TestTenantSettings(t *testing.T) {
	t.Parallel()
	for tenant, issuer := range map[string]string{
		"":                "https://login.microsoftonline.com/common/v2.0",
		" organizations ": "https://login.microsoftonline.com/organizations/v2.0",
		"contoso.com":     "https://login.microsoftonline.com/contoso.com/v2.0",
		"72F988BF-86F1-41AF-91AB-2D7CD011DB47": "https://login.microsoftonline.com/" +
			"72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
	} {
		c := Azure("a", "s", tenant)
		require.Equal(t, issuer, c.Issuer)
		require.Nil(t, c.check())
	}
	for _, tenant := range []string{
		"a/b", "a b", "..", "?", "common/v2.0", "ü.example", "comon", "72f988bf-86f1",
	} {
		require.NotNil(t, Azure("a", "s", tenant).check(), tenant)
	}
}
