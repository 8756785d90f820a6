package oidc

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

// The claims follow the examples of Google's and Microsoft's documentation:
// https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload and
// https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference.
func googleClaims(changes map[string]any) map[string]any {
	all := map[string]any{
		"azp": oidctest.ClientID, "email": "jsmith@gmail.com", "email_verified": true, "name": "John Smith",
		"given_name": "John", "family_name": "Smith", "locale": "en",
		"picture": "https://lh3.googleusercontent.com/a-/AOh14Gg=s96-c",
	}
	maps.Copy(all, changes)
	return all
}

func azureClaims(changes map[string]any) map[string]any {
	all := map[string]any{
		"ver": "2.0", "tid": "9122040d-6c67-4c5b-b112-36a304b66dad", "oid": "00000000-0000-0000-66f3-3332eca7ea81",
		"aio": "Df2UVXL1ix!lMCWMSOJBcFatzcGfvFGhjKv8q5g0x732dR5MB5Bis",
		"rh":  "0.AXkA", "uti": "AAAA", "name": "Abe Lincoln", "preferred_username": "AbeLi@microsoft.com",
		"email": "AbeLi@microsoft.com", "email_verified": nil,
	}
	maps.Copy(all, changes)
	return all
}

func TestWhoProvesAnAddress(t *testing.T) {
	t.Parallel()
	type change = map[string]any
	google, azure := googleClaims, azureClaims
	const hosted, elsewhere = "example.com", "j@example.com"
	type row struct {
		claims change
		proven bool
	}
	for kind, rows := range map[string]map[string]row{
		NameGoogle: {
			"gmail.com":                 {google(nil), true},
			"googlemail.com":            {google(change{"email": "j@GoogleMail.com"}), true},
			"as a string":               {google(change{"email_verified": "true"}), true},
			"not verified":              {google(change{"email_verified": false}), false},
			"not verified, as a string": {google(change{"email_verified": "false"}), false},
			"nothing said":              {google(change{"email_verified": nil}), false},
			"a number":                  {google(change{"email_verified": 1}), false},
			"Workspace":                 {google(change{"email": elsewhere, "hd": hosted}), true},
			"Workspace, second domain":  {google(change{"email": "j@second.example", "hd": hosted}), true},
			"Workspace, not verified": {
				google(change{"email": elsewhere, "hd": hosted, "email_verified": false}), false,
			},
			"address of another server":   {google(change{"email": elsewhere}), false},
			"an empty hd":                 {google(change{"email": elsewhere, "hd": ""}), false},
			"hd is no text":               {google(change{"email": elsewhere, "hd": true}), false},
			"a domain that ends in gmail": {google(change{"email": "j@notgmail.com"}), false},
			"a letter that becomes ASCII": {google(change{"email": "j@GMA\u0130L.com"}), false},
			"a domain below gmail.com":    {google(change{"email": "j@x.gmail.com"}), false},
			"in another case of the claim": {
				google(change{"email": elsewhere, "HD": "example.com"}), false,
			},
		},
		NameAzure: {
			"nothing said":                  {azure(nil), false},
			"email_verified is not Azure's": {azure(change{"email_verified": true}), false},
			"xms_edov true":                 {azure(change{"xms_edov": true}), true},
			"xms_edov as a string":          {azure(change{"xms_edov": "true"}), true},
			"xms_edov 1":                    {azure(change{"xms_edov": 1}), true},
			"xms_edov 1 as a string":        {azure(change{"xms_edov": "1"}), true},
			"xms_edov false":                {azure(change{"xms_edov": false}), false},
			"xms_edov 0":                    {azure(change{"xms_edov": 0}), false},
			"xms_edov 0 as a string":        {azure(change{"xms_edov": "0"}), false},
			"xms_edov as a list":            {azure(change{"xms_edov": []bool{true}}), false},
			"xms_edov in another case":      {azure(change{"XMS_EDOV": true}), false},
			"hd is not Azure's":             {azure(change{"hd": hosted, "email": "a@gmail.com"}), false},
		},
		"custom:acme": {
			"trusted":              {change{"email_verified": true}, true},
			"as a string":          {change{"email_verified": "true"}, true},
			"another string":       {change{"email_verified": "yes"}, false},
			"not verified":         {change{"email_verified": false}, false},
			"nothing said":         {change{"email_verified": nil}, false},
			"xms_edov is Azure's":  {change{"email_verified": nil, "xms_edov": true}, false},
			"in another case":      {change{"email_verified": nil, "Email_Verified": true}, false},
			"an address in a list": {change{"email": []string{"a@b.example"}}, false},
		},
		"custom:other": {
			"not trusted":                  {change{"email_verified": true}, false},
			"the rules of Google are none": {google(change{"hd": "gmail.com"}), false},
		},
	} {
		for name, tt := range rows {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				path := ""
				if kind == NameAzure {
					path = "/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0"
				}
				fake := oidctest.NewProvider(t, oidctest.Options{Path: path})
				c := acme(fake)
				c.Name, c.TrustsEmail = kind, kind == "custom:acme"
				account, err := newTestProvider(t, c, nil).VerifyIDToken(t.Context(), IDToken{
					Raw: fake.IDToken(set(tt.claims)),
				})
				require.NoError(t, err)
				require.Equal(t, tt.proven, account.EmailProven)
			})
		}
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	describe := func(t *testing.T, c Config, changes map[string]any) Account {
		t.Helper()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		c.Issuer = fake.URL
		account, err := newTestProvider(t, c, nil).VerifyIDToken(t.Context(), IDToken{
			Raw: fake.IDToken(set(changes)),
		})
		require.NoError(t, err)
		account.Issuer = ""
		return account
	}
	c := Config{
		Name: "custom:acme", Label: "Acme", ClientIDs: []string{oidctest.ClientID}, TrustsEmail: true,
		TrustsMFA: true,
	}

	t.Run("have what Google says", func(t *testing.T) {
		t.Parallel()
		google := c
		google.Name, google.TrustsEmail = NameGoogle, false
		require.Equal(t, Account{
			Subject: "248289761001", Email: "jsmith@gmail.com", EmailProven: true, Name: "John Smith",
			Picture: "https://lh3.googleusercontent.com/a-/AOh14Gg=s96-c",
		}, describe(t, google, googleClaims(nil)))
	})
	t.Run("have an address that is plausible, or none", func(t *testing.T) {
		t.Parallel()
		for email, plausible := range map[string]bool{
			"Ada@Example.com": true, "ada+x@exämple.example": true, "": false, "ada": false, "a@b@c": false,
			"ada @example.com": false, "Ada <ada@example.com>": false, "ada@example.com\n": false,
			"ada@example.com\x00": false, "\u202eada@example.com": false, "a,b@example.com": false,
			strings.Repeat("a", 255) + "@example.com": false, "ada@": false, "@example.com": false,
			`"a b"@example.com`: false,
		} {
			account := describe(t, c, map[string]any{"email": email})
			require.Equal(t, plausible, account.Email != "", email)
			require.Equal(t, plausible, account.EmailProven, email)
			if plausible {
				require.Equal(t, email, account.Email, "it is not changed")
			}
		}
		require.Empty(t, describe(t, c, map[string]any{
			"email": nil, "preferred_username": "ada@example.com", "upn": "ada@example.com",
		}).Email, "names are no addresses")
	})
	t.Run("have a name of one line", func(t *testing.T) {
		t.Parallel()
		for name, want := range map[any]string{
			"  Ada\t\nLovelace ":         "Ada Lovelace",
			"A\u2028B\u202eC\x00D\x1b":   "A BCD",
			strings.Repeat("é", 300):     strings.Repeat("é", 200),
			" \n":                        "Given Family",
			7:                            "Given Family",
			"\U0001F469\u200d\U0001F52C": "\U0001F469\u200d\U0001F52C",
		} {
			account := describe(t, c, map[string]any{
				"name": name, "given_name": "Given", "family_name": "Family",
			})
			require.Equal(t, want, account.Name)
		}
		require.Empty(t, describe(t, c, map[string]any{"name": nil}).Name)
	})
	t.Run("have a picture by https", func(t *testing.T) {
		t.Parallel()
		for picture, valid := range map[string]bool{
			"https://a.example/p.png?s=1": true, "http://a.example/p.png": false, "javascript:alert(1)": false,
			"data:image/png;base64,AA==": false, "//a.example/p.png": false, "https://": false,
			"https://u:p@a.example/": false, "https://a.example/ x": false,
			"https://a.example/" + strings.Repeat("a", 2000): false,
		} {
			require.Equal(t, valid, describe(t, c, map[string]any{"picture": picture}).Picture != "", picture)
		}
	})
	t.Run("have a second factor where the provider is trusted with it", func(t *testing.T) {
		t.Parallel()
		distrusted := c
		distrusted.TrustsMFA = false
		for _, tt := range []struct {
			config Config
			amr    any
			want   bool
		}{
			{c, []string{"pwd", "mfa"}, true},
			{c, []any{1, "mfa"}, true},
			{c, []string{"pwd", "otp"}, false},
			{c, "mfa", false},
			{c, nil, false},
			{distrusted, []string{"mfa"}, false},
		} {
			require.Equal(t, tt.want, describe(t, tt.config, map[string]any{"amr": tt.amr}).MFA, "%v", tt.amr)
		}
	})
}
