package oidc

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

const notAccepted = "gave no ID token that is accepted: "

// set returns a change of claims. nil removes one.
func set(changes map[string]any) func(map[string]any) {
	return func(claims map[string]any) {
		for name, value := range changes {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
	}
}

func TestClaimsOfIDTokens(t *testing.T) {
	t.Parallel()
	now := time.Now()
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	type change = map[string]any
	const notYet = "it is not valid yet: the clocks of the provider and of this service differ"
	const otherKind = "it is a token of another kind"
	const toOthers, twice = "it was issued to another client", "it has two claims that differ only in case"
	two := []string{"other", "app-2"}
	for name, tt := range map[string]struct {
		claims change
		reason string // empty if the token is accepted
	}{
		"as they usually are":              {nil, ""},
		"for another of our clients":       {change{"aud": "app-2"}, ""},
		"for another client":               {change{"aud": "other"}, "it is for another client"},
		"for nobody":                       {change{"aud": nil}, "it is for another client"},
		"for an empty list":                {change{"aud": []string{}}, "it is for another client"},
		"for a list":                       {change{"aud": []string{"app-2"}}, ""},
		"for several, issued to us":        {change{"aud": two, "azp": "app-2"}, ""},
		"for several, issued to others":    {change{"aud": two, "azp": "other"}, toOthers},
		"for several, issued to nobody":    {change{"aud": two}, toOthers},
		"for us, issued to another of us":  {change{"azp": "app-2"}, ""}, // as Google does for Android
		"for us, issued to another one":    {change{"azp": "android"}, toOthers},
		"for us, issued to a number":       {change{"azp": 7}, toOthers},
		"an access token":                  {change{"scope": "openid"}, otherKind},
		"an access token of Okta":          {change{"scp": []string{"openid"}}, otherKind},
		"a logout token":                   {change{"events": change{}}, otherKind},
		"an access token of Keycloak":      {change{"typ": "Bearer"}, otherKind},
		"an ID token of Keycloak":          {change{"typ": "ID"}, ""},
		"an empty type":                    {change{"typ": ""}, ""},
		"of another issuer":                {change{"iss": "https://evil.example"}, "it is from another issuer"},
		"of no issuer":                     {change{"iss": nil}, "it is from another issuer"},
		"about nobody":                     {change{"sub": nil}, "it has no valid subject"},
		"about an empty subject":           {change{"sub": ""}, "it has no valid subject"},
		"about a long subject":             {change{"sub": strings.Repeat("s", 256)}, "it has no valid subject"},
		"about the longest subject":        {change{"sub": strings.Repeat("s", 255)}, ""},
		"about a subject with NUL":         {change{"sub": "a\x00b"}, "it has no valid subject"},
		"about a subject that is no UTF-8": {change{"sub": "a\ufffd"}, "it has no valid subject"},
		"about a number": {
			change{"sub": 1}, "it is not a JWT, or is not signed with an algorithm of the provider",
		},
		"expired half a minute ago":        {change{"exp": at(-30 * time.Second)}, ""},
		"expired longer ago":               {change{"exp": at(-90 * time.Second)}, "it has expired"},
		"without an end":                   {change{"exp": nil}, "it has expired"},
		"issued half a minute from now":    {change{"iat": at(30 * time.Second)}, ""},
		"issued later":                     {change{"iat": at(90 * time.Second)}, notYet},
		"issued at no time":                {change{"iat": nil}, "it does not say when it was issued"},
		"valid half a minute from now":     {change{"nbf": at(30 * time.Second)}, ""},
		"valid later":                      {change{"nbf": at(90 * time.Second)}, notYet},
		"with a nonce that nobody sent":    {change{"nonce": "n"}, "it has another nonce"},
		"with two subjects":                {change{"SUB": "somebody"}, twice},
		"with two issuers":                 {change{"i\u017fs": "https://evil.example"}, twice},
		"with at_hash and no access token": {change{"at_hash": "x"}, ""},
		"with claims of other types":       {change{"email": 1, "name": []int{}, "amr": "mfa"}, ""},
		"with claims that are elsewhere": {change{
			"_claim_names":   change{"groups": "src1"},
			"_claim_sources": change{"src1": change{"endpoint": "http://127.0.0.1/"}},
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			p := newTestProvider(t, acme(fake), nil)
			account, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(set(tt.claims))})
			if tt.reason == "" {
				require.NoError(t, err)
				require.NotEmpty(t, account.Subject)
				return
			}
			requireReason(t, err, notAccepted+tt.reason, false)
			require.Zero(t, account)
		})
	}
}

func TestIDTokensOfAnAnswerAreForTheFirstClient(t *testing.T) {
	t.Parallel()
	for reason, claims := range map[string]map[string]any{
		"it is for another client":        {"aud": "app-2"},
		"it was issued to another client": {"azp": "app-2"},
		"it does not belong to the access token": {
			"at_hash": oidctest.AccessTokenHash("another"),
		},
		"it has another nonce": {"nonce": nil},
		"it has expired":       {"exp": time.Now().Add(-2 * time.Minute).Unix()},
	} {
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Set(func(b *oidctest.Behavior) { b.IDToken = set(claims) })
		_, err := exchange(t, newTestProvider(t, acme(fake), nil))
		requireReason(t, err, notAccepted+reason, false)
	}
	fake := oidctest.NewProvider(t, oidctest.Options{})
	fake.Set(func(b *oidctest.Behavior) { // as Zitadel does
		b.IDToken = set(map[string]any{
			"aud": []string{fake.ClientID(), "project"}, "azp": fake.ClientID(), "at_hash": nil,
		})
	})
	_, err := exchange(t, newTestProvider(t, acme(fake), nil))
	require.NoError(t, err)
}

func TestSignaturesOfIDTokens(t *testing.T) {
	t.Parallel()
	const notSigned = "it is not a JWT, or is not signed with an algorithm of the provider"
	for name, tt := range map[string]struct {
		behave func(*oidctest.Behavior)
		reason string
	}{
		"RS256": {func(*oidctest.Behavior) {}, ""},
		"ES256": {func(b *oidctest.Behavior) { b.Algorithm = "ES256" }, ""},
		"none":  {func(b *oidctest.Behavior) { b.Algorithm = "none" }, notSigned},
		"HS256 with the public key as the secret": {
			func(b *oidctest.Behavior) { b.Algorithm = "HS256" }, notSigned,
		},
		"an algorithm that discovery does not list": {func(b *oidctest.Behavior) {
			b.Algorithm = "ES256"
			b.Discovery = func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"RS256"} }
		}, notSigned},
		"RS256 where discovery lists nothing": {func(b *oidctest.Behavior) {
			b.Discovery = func(d map[string]any) { delete(d, "id_token_signing_alg_values_supported") }
		}, ""},
		"ES256 where discovery lists nothing": {func(b *oidctest.Behavior) {
			b.Algorithm = "ES256"
			b.Discovery = func(d map[string]any) { delete(d, "id_token_signing_alg_values_supported") }
		}, notSigned},
		"an unknown key": {
			func(b *oidctest.Behavior) { b.KeyID = "new" }, "it is signed with a key that the provider does not have",
		},
		"the id of another key": {
			func(b *oidctest.Behavior) { b.KeyID = "ec-1" }, "its signature is not valid",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			fake.Set(tt.behave)
			p := newTestProvider(t, acme(fake), nil)
			_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
			if tt.reason == "" {
				require.NoError(t, err)
				return
			}
			requireReason(t, err, notAccepted+tt.reason, false)
		})
	}

	for typ, accepted := range map[any]bool{
		nil: true, "": true, "JWT": true, "jwt": true, "ID_Token+jwt": true, "at+jwt": false, "logout+jwt": false,
		"application/at+jwt": false, 7: false,
	} {
		t.Run(fmt.Sprintf("of the type %v", typ), func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			fake.Set(func(b *oidctest.Behavior) { b.Header = set(map[string]any{"typ": typ}) })
			_, err := newTestProvider(t, acme(fake), nil).VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
			if accepted {
				require.NoError(t, err)
				return
			}
			requireReason(t, err, notAccepted+"it is a token of another kind", false)
		})
	}

	t.Run("none, or a shared secret, where discovery lists nothing else", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Set(func(b *oidctest.Behavior) {
			b.Discovery = func(d map[string]any) {
				d["id_token_signing_alg_values_supported"] = []string{"none", "HS256"}
			}
		})
		_, err := newTestProvider(t, acme(fake), nil).AuthorizationURL(t.Context(), Request{})
		requireReason(t, err, "cannot be used: its ID tokens are not signed with a public key", false)
	})

	t.Run("of changed, cut and other texts", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		raw := fake.IDToken(nil)
		parts := strings.Split(raw, ".")
		payload, err := base64.RawURLEncoding.DecodeString(parts[1])
		require.NoError(t, err)
		forged := strings.Replace(string(payload), "248289761001", "248289761002", 1)
		require.NotEqual(t, string(payload), forged)
		for _, text := range []string{
			"", "x", "..", parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1],
			parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(forged)) + "." + parts[2],
			`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"x"}`,
			strings.Repeat("a", maxTokenBytes+1), "a.b.c",
		} {
			_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: text})
			var known *Error
			require.ErrorAs(t, err, &known)
			require.Contains(t, known.Reason, notAccepted)
		}
		_, err = p.VerifyIDToken(t.Context(), IDToken{Raw: raw})
		require.NoError(t, err)
		_, err = p.VerifyIDToken(t.Context(), IDToken{
			Raw: `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		})
		require.Error(t, err, "in the form of JSON")
	})
}

func TestNoncesOfClients(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("clear"))
	hashed := hex.EncodeToString(sum[:])
	for name, tt := range map[string]struct {
		claim any
		given string
		valid bool
	}{
		"neither":                  {nil, "", true},
		"both":                     {hashed, "clear", true},
		"the claim alone":          {hashed, "", false},
		"the given one alone":      {nil, "clear", false},
		"another":                  {hashed, "other", false},
		"the claim in the clear":   {"clear", "clear", false},
		"the hash given":           {hashed, hashed, false},
		"the hash in upper case":   {strings.ToUpper(hashed), "clear", false},
		"an empty claim and none":  {"", "", true},
		"an empty claim and given": {"", "clear", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			p := newTestProvider(t, acme(fake), nil)
			raw := fake.IDToken(set(map[string]any{"nonce": tt.claim}))
			_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: raw, Nonce: tt.given})
			if tt.valid {
				require.NoError(t, err)
				return
			}
			requireReason(t, err, notAccepted+"it has another nonce", false)
		})
	}
}

func TestAccessTokensOfClients(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		claim any
		given string
		valid bool
	}{
		"that belong to the ID token": {oidctest.AccessTokenHash("a"), "a", true},
		"that belong to another one":  {oidctest.AccessTokenHash("a"), "b", false},
		"that nothing belongs to":     {nil, "a", true},
		"that are missing":            {oidctest.AccessTokenHash("a"), "", true},
	} {
		for _, algorithm := range []string{"RS256", "ES256"} {
			t.Run(name+", "+algorithm, func(t *testing.T) {
				t.Parallel()
				fake := oidctest.NewProvider(t, oidctest.Options{})
				fake.Set(func(b *oidctest.Behavior) { b.Algorithm = algorithm })
				raw := fake.IDToken(set(map[string]any{"at_hash": tt.claim}))
				_, err := newTestProvider(t, acme(fake), nil).VerifyIDToken(t.Context(), IDToken{
					Raw: raw, AccessToken: tt.given,
				})
				if tt.valid {
					require.NoError(t, err)
					return
				}
				requireReason(t, err, notAccepted+"it does not belong to the access token", false)
			})
		}
	}
}

func TestClocksOfProviders(t *testing.T) {
	t.Parallel()
	for offset, valid := range map[time.Duration]bool{
		30 * time.Second: true, -30 * time.Second: true, 90 * time.Second: false,
		-90 * time.Second: true, // tokens last an hour
		-2 * time.Hour:    false,
	} {
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Set(func(b *oidctest.Behavior) { b.Clock = offset })
		_, err := exchange(t, newTestProvider(t, acme(fake), nil))
		require.Equal(t, valid, err == nil, "%s: %v", offset, err)
	}
}

func TestGoogleWithoutAScheme(t *testing.T) {
	t.Parallel()
	fake := oidctest.NewProvider(t, oidctest.Options{TLS: true})
	c := acme(fake)
	c.TrustsEmail = false
	without := set(map[string]any{"iss": strings.TrimPrefix(fake.URL, "https://")})
	for _, name := range []string{NameGoogle, "custom:acme"} {
		c.Name = name
		all, err := New([]Config{c}, Options{
			RedirectURI: testRedirectURI, AllowedHosts: []string{fake.Host()}, Roots: fake.Roots(),
		})
		require.NoError(t, err)
		account, err := all.Get(name).VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(without)})
		if name == NameGoogle {
			require.NoError(t, err)
			require.Equal(t, fake.URL, account.Issuer)
			continue
		}
		requireReason(t, err, notAccepted+"it is from another issuer", false)
	}
}

func TestTenantsOfAzure(t *testing.T) {
	t.Parallel()
	const contoso = "72f988bf-86f1-41af-91ab-2d7cd011db47"
	const personal, template = personalAccounts, "{tenantid}"
	const other = "11111111-86f1-41af-91ab-2d7cd011db47"
	shouted := strings.ToUpper(contoso)
	for name, tt := range map[string]struct {
		tenant     string
		discovered string // in the place of the tenant, in discovery
		issuer     string // in that place, in the token
		tid        any
		inDocument bool // whether the discovery document is accepted
		accepted   bool
	}{
		"common":                               {"common", template, contoso, contoso, true, true},
		"common, personal":                     {"common", template, personal, personal, true, true},
		"common, another tid":                  {"common", template, contoso, other, true, false},
		"common, no tid":                       {"common", template, contoso, nil, true, false},
		"common, the template itself":          {"common", template, template, template, true, false},
		"common, a path":                       {"common", template, "evil/x", "evil/x", true, false},
		"common, upper case":                   {"common", template, shouted, shouted, true, false},
		"common, discovery of one tenant":      {"common", contoso, contoso, contoso, false, false},
		"organizations":                        {"organizations", template, contoso, contoso, true, true},
		"organizations, personal":              {"organizations", template, personal, personal, true, false},
		"consumers":                            {"consumers", personal, personal, personal, true, true},
		"consumers, a tenant":                  {"consumers", personal, contoso, contoso, true, false},
		"one tenant":                           {contoso, contoso, contoso, contoso, true, true},
		"one tenant, people of another":        {contoso, contoso, other, other, true, false},
		"one tenant, discovery of another one": {contoso, other, other, other, false, false},
		"one tenant, discovery of all":         {contoso, template, contoso, contoso, false, false},
		"a domain":                             {"contoso.com", contoso, contoso, contoso, true, true},
		"a domain, people of another":          {"contoso.com", contoso, other, other, true, false},
		"a domain, discovery of all":           {"contoso.com", template, contoso, contoso, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{Path: "/" + tt.tenant + "/v2.0"})
			issuer := func(tenant string) string {
				return strings.TrimSuffix(fake.URL, tt.tenant+"/v2.0") + tenant + "/v2.0"
			}
			fake.Set(func(b *oidctest.Behavior) {
				b.Discovery = func(d map[string]any) { d["issuer"] = issuer(tt.discovered) }
				b.IDToken = set(map[string]any{"iss": issuer(tt.issuer), "tid": tt.tid, "ver": "2.0"})
			})
			c := acme(fake)
			c.Name, c.TrustsEmail = NameAzure, false
			p := newTestProvider(t, c, nil)
			account, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
			switch {
			case tt.accepted:
				require.NoError(t, err)
				require.Equal(t, issuer(tt.issuer), account.Issuer)
				account, err = exchange(t, p)
				require.NoError(t, err)
				require.Equal(t, issuer(tt.issuer), account.Issuer)
			case tt.inDocument:
				requireReason(t, err, notAccepted+"it is from another issuer", false)
			default:
				requireReason(t, err, "cannot be used: its discovery document is that of another issuer", false)
			}
		})
	}

	t.Run("another one in the redirect", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{Path: "/common/v2.0"})
		issuer := func(tenant string) string { return strings.Replace(fake.URL, "common", tenant, 1) }
		for redirected, reason := range map[string]string{contoso: "", other: "it is from another issuer"} {
			fake.Set(func(b *oidctest.Behavior) {
				b.Discovery = set(map[string]any{"issuer": issuer(template)})
				b.IDToken = set(map[string]any{"iss": issuer(contoso), "tid": contoso})
				b.Redirect = func(answer url.Values) { answer.Set("iss", issuer(redirected)) }
			})
			c := acme(fake)
			c.Name, c.TrustsEmail = NameAzure, false
			_, err := exchange(t, newTestProvider(t, c, nil))
			if reason == "" {
				require.NoError(t, err)
				continue
			}
			requireReason(t, err, notAccepted+reason, false)
		}
	})

	t.Run("in the redirect", func(t *testing.T) {
		t.Parallel()
		i := newIssuers(Azure("a", "s", "common"))
		const before = "https://login.microsoftonline.com/"
		const template = before + "{tenantid}/v2.0"
		require.True(t, i.redirected(template, before+contoso+"/v2.0"))
		for _, issuer := range []string{
			template, before + "x/v2.0", "https://evil.example/" + contoso + "/v2.0", before,
		} {
			require.False(t, i.redirected(template, issuer), issuer)
		}
	})
}

func TestTemplatesAreAzuresAlone(t *testing.T) {
	t.Parallel()
	const contoso = "72f988bf-86f1-41af-91ab-2d7cd011db47"
	fake := oidctest.NewProvider(t, oidctest.Options{Path: "/common/v2.0"})
	template := strings.Replace(fake.URL, "common", "{tenantid}", 1)
	fake.Set(func(b *oidctest.Behavior) {
		b.Discovery = func(d map[string]any) { d["issuer"] = template }
		b.IDToken = func(c map[string]any) {
			maps.Copy(c, map[string]any{"iss": strings.Replace(fake.URL, "common", contoso, 1), "tid": contoso})
		}
	})
	c := acme(fake)
	_, err := newTestProvider(t, c, nil).VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
	requireReason(t, err, "cannot be used: its discovery document is that of another issuer", false)
	c.Issuer = template
	_, err = newTestProvider(t, c, nil).VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
	require.Error(t, err)
}
