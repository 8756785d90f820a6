package identity_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity"
)

// app is the metadata of a public client.
var app = identity.ClientMetadata{
	RedirectURIs: []string{"https://app.example/cb"}, AuthMethod: identity.AuthMethodNone, Name: "App",
}

// register registers a client as an administrator.
func (f *fixture) register(t testing.TB, m identity.ClientMetadata) identity.RegisteredClient {
	t.Helper()
	registered, err := f.RegisterOAuthClient(t.Context(), client, identity.ClientManual, m)
	require.NoError(t, err)
	return registered
}

func TestRegisteredClients(t *testing.T) {
	t.Parallel()

	t.Run("have the defaults of RFC 7591, and both grants", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		registered, err := f.RegisterOAuthClient(t.Context(), client, identity.ClientDynamic,
			identity.ClientMetadata{RedirectURIs: []string{"https://app.example/cb"}})
		require.NoError(t, err)
		require.Equal(t, identity.ClientConfidential, registered.ClientType)
		require.Equal(t, identity.AuthMethodBasic, registered.TokenEndpointAuthMethod)
		require.Equal(t, []string{"authorization_code", "refresh_token"}, registered.GrantTypes)
		require.Equal(t, identity.ClientDynamic, registered.RegistrationType)
		require.Equal(t, "app.example", registered.Host("app.example"))
		require.Len(t, registered.Secret, 43)
		hash := sha256.Sum256([]byte(registered.Secret))
		require.Equal(t, hash[:], registered.ClientSecretHash)
		found, err := f.OAuthClient(t.Context(), client, registered.ID())
		require.NoError(t, err)
		require.Equal(t, registered.AuthOauthClient.ID, found.AuthOauthClient.ID)
		require.Equal(t, 1, f.audited(t, "oauth_client_registered"))
	})

	t.Run("say what is checked", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		type metadata = identity.ClientMetadata
		long := "https://app.example/" + strings.Repeat("x", 2000)
		for want, change := range map[string]func(*metadata){
			"grant_types":                func(m *metadata) { m.GrantTypes = []string{"client_credentials"} },
			"response_types":             func(m *metadata) { m.ResponseTypes = []string{"token"} },
			"token_endpoint_auth_method": func(m *metadata) { m.AuthMethod = "tls_client_auth" },
			"client_type":                func(m *metadata) { m.ClientType = "secret" },
			"is public":                  func(m *metadata) { m.ClientType = identity.ClientConfidential },
			"client_name":                func(m *metadata) { m.Name = strings.Repeat("é", 201) },
			"one line":                   func(m *metadata) { m.Name = "App\nallowed" },
			"line of":                    func(m *metadata) { m.Name = "\u202eppA" },
			"client_uri":                 func(m *metadata) { m.URI = "javascript:alert(1)" },
			"logo_uri":                   func(m *metadata) { m.LogoURI = "data:image/svg+xml,x" },
			"at most 2000":               func(m *metadata) { m.URI = long },
		} {
			m := app
			change(&m)
			_, err := f.RegisterOAuthClient(t.Context(), client, identity.ClientManual, m)
			var wrong *identity.ClientMetadataError
			require.ErrorAs(t, err, &wrong, want)
			require.Equal(t, identity.CodeInvalidClientMetadata, wrong.Code)
			require.Contains(t, wrong.Reason, want)
		}
		m := app
		m.Name, m.ResponseTypes = strings.Repeat("é", 200), []string{"code"}
		// As VS Code registers.
		m.GrantTypes = []string{
			"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
		}
		require.Equal(t, []string{"authorization_code", "refresh_token"}, f.register(t, m).GrantTypes)
		m.GrantTypes = []string{"authorization_code"}
		once := f.register(t, m)
		require.True(t, once.AllowsGrant(identity.GrantAuthorizationCode))
		require.False(t, once.AllowsGrant(identity.GrantRefreshToken))
	})

	t.Run("are limited for a network, unless an administrator registers them", func(t *testing.T) {
		t.Parallel()
		f := setup(t, func(c *identity.Config) { c.Limits.AddressClients = 2 })
		register := func(address string) error {
			_, err := f.RegisterOAuthClient(t.Context(), identity.Client{Address: address},
				identity.ClientDynamic, app)
			return err
		}
		for range 2 {
			require.NoError(t, register("192.0.2.1"))
			f.register(t, app)
		}
		err := register("192.0.2.1")
		require.ErrorIs(t, err, identity.ErrTooManyClients)
		var limit *identity.LimitError
		require.ErrorAs(t, err, &limit)
		require.InDelta(t, 30*time.Minute, limit.RetryAfter, float64(time.Minute))
		require.NoError(t, register("192.0.2.2"))
		f.clock.advance(31 * time.Minute)
		require.NoError(t, register("192.0.2.1"))
	})

	t.Run("are listed, changed and deleted", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		first := f.register(t, app)
		f.clock.advance(time.Second)
		second := f.register(t, app)
		page, err := f.ListOAuthClients(t.Context(), 1, 1)
		require.NoError(t, err)
		require.EqualValues(t, 2, page.Total)
		require.Equal(t, second.ID(), page.Clients[0].ID())
		page, err = f.ListOAuthClients(t.Context(), 2, 1)
		require.NoError(t, err)
		require.Equal(t, first.ID(), page.Clients[0].ID())

		id, name, uris := first.AuthOauthClient.ID, "Renamed", []string{"http://localhost/cb"}
		changed, err := f.UpdateOAuthClient(t.Context(), client, id,
			identity.ClientChange{Name: &name, RedirectURIs: &uris})
		require.NoError(t, err)
		require.Equal(t, name, changed.ClientName)
		require.Equal(t, uris, changed.RedirectUris)
		require.Equal(t, first.GrantTypes, changed.GrantTypes)
		method, bad := identity.AuthMethodPost, []string{"javascript:alert(1)"}
		_, err = f.UpdateOAuthClient(t.Context(), client, id, identity.ClientChange{AuthMethod: &method})
		require.ErrorIs(t, err, identity.ErrClientMetadata, "a public client has no secret")
		_, err = f.UpdateOAuthClient(t.Context(), client, id, identity.ClientChange{RedirectURIs: &bad})
		require.ErrorIs(t, err, identity.ErrClientMetadata)

		require.NoError(t, f.DeleteOAuthClient(t.Context(), client, id))
		require.Equal(t, 1, f.sessions.rechecked, "sessions of the app are forgotten")
		require.ErrorIs(t, f.DeleteOAuthClient(t.Context(), client, id), identity.ErrOAuthClientNotFound)
		_, err = f.UpdateOAuthClient(t.Context(), client, id, identity.ClientChange{Name: &name})
		require.ErrorIs(t, err, identity.ErrOAuthClientNotFound)
		_, err = f.RegenerateOAuthSecret(t.Context(), client, id)
		require.ErrorIs(t, err, identity.ErrOAuthClientNotFound)
		require.Equal(t, 2, f.audited(t, "oauth_client_registered"))
		require.Equal(t, 1, f.audited(t, "oauth_client_updated"))
		require.Equal(t, 1, f.audited(t, "oauth_client_deleted"))
	})

	t.Run("are found by the id that was given out, and no other form of it", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		id := f.register(t, app).ID()
		for _, other := range []string{
			"", strings.ToUpper(id) + "x", "urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", ""),
			uuid.NewString(), "http://app.example/client.json", "\x00",
		} {
			_, err := f.OAuthClient(t.Context(), client, other)
			require.ErrorIs(t, err, identity.ErrOAuthClientNotFound, other)
		}
	})
}

func TestClientSecrets(t *testing.T) {
	t.Parallel()
	f := setup(t)
	m := app
	m.AuthMethod = identity.AuthMethodPost
	confidential, public := f.register(t, m), f.register(t, app)
	authenticate := func(id, secret, method string) error {
		_, err := f.AuthenticateOAuthClient(t.Context(), identity.ClientCredentials{
			ID: id, Secret: secret, Method: method,
		})
		return err
	}
	require.NoError(t, authenticate(confidential.ID(), confidential.Secret, identity.AuthMethodPost))
	require.NoError(t, authenticate(confidential.ID(), confidential.Secret, identity.AuthMethodBasic))
	require.NoError(t, authenticate(public.ID(), "", identity.AuthMethodNone))
	for _, wrong := range []struct{ id, secret, method string }{
		{confidential.ID(), "", identity.AuthMethodNone},
		{confidential.ID(), "", identity.AuthMethodPost},
		{confidential.ID(), confidential.Secret, identity.AuthMethodNone},
		{confidential.ID(), confidential.Secret[:42], identity.AuthMethodPost},
		{confidential.ID(), confidential.Secret + "x", identity.AuthMethodBasic},
		{confidential.ID(), strings.ToLower(confidential.Secret), identity.AuthMethodBasic},
		{confidential.ID(), string(confidential.ClientSecretHash), identity.AuthMethodBasic},
		{public.ID(), confidential.Secret, identity.AuthMethodPost},
		{public.ID(), "x", identity.AuthMethodNone},
		{uuid.NewString(), confidential.Secret, identity.AuthMethodPost},
		{"", "", identity.AuthMethodNone},
		{"https://app.example/client.json", "", identity.AuthMethodNone},
	} {
		require.ErrorIs(t, authenticate(wrong.id, wrong.secret, wrong.method), identity.ErrInvalidClient)
	}

	renewed, err := f.RegenerateOAuthSecret(t.Context(), client, confidential.AuthOauthClient.ID)
	require.NoError(t, err)
	require.NoError(t, authenticate(confidential.ID(), renewed.Secret, identity.AuthMethodPost))
	require.ErrorIs(t, authenticate(confidential.ID(), confidential.Secret, identity.AuthMethodPost),
		identity.ErrInvalidClient)
	_, err = f.RegenerateOAuthSecret(t.Context(), client, public.AuthOauthClient.ID)
	require.ErrorIs(t, err, identity.ErrClientMetadata)

	stored := dbtest.Value[string](t, f.DB, `select json_agg(c)::text || (select json_agg(a)::text
		from auth.audit_log_entries a) from auth.oauth_clients c`)
	require.NotContains(t, stored, renewed.Secret)
}
