package server

import (
	"context"
	"errors"
	"strings"
	"time"

	"research/api/auth"
	"research/api/token"
	"research/config"
	"research/db"
	"research/identity"
	"research/identity/oidc"
)

// OpenAuthenticator loads the keys that sign and validate access tokens, and the API keys.
func OpenAuthenticator(
	ctx context.Context, cfg config.Config, store *db.Store,
) (*token.Keys, *token.Authenticator, error) {
	external, err := token.ParseIssuers(cfg.Identity.ExternalIssuers)
	if err != nil {
		return nil, nil, config.Invalid("EXTERNAL_ISSUERS", err.Error())
	}
	issuer := cfg.HTTP.PublicURL + "/auth/v1"
	keys, err := token.NewKeys(ctx, store, token.KeysConfig{
		Issuer:     issuer,
		Resources:  []string{token.Resource(cfg.HTTP.PublicURL), token.Userinfo(issuer)},
		Secret:     cfg.Keys.JWTSecret,
		PrivateKey: cfg.Identity.PrivateKey,
		Lifetime:   accessTokenLifetime(cfg.Identity.SessionIdleTimeout),
		Off:        cfg.Identity.Off,
		External:   external,
	})
	if err != nil {
		return nil, nil, err
	}
	authenticator, err := token.NewAuthenticator(keys, token.AuthenticatorConfig{
		AnonKey:        cfg.Keys.Anon,
		ServiceKey:     cfg.Keys.Service,
		PublishableKey: cfg.Identity.PublishableKey,
		SecretKey:      cfg.Identity.SecretKey,
		TrustedHops:    cfg.Identity.TrustedHops,
	})
	return keys, authenticator, err
}

// accessTokenLifetime is short enough that active clients refresh twice within the idle timeout of their
// session.
func accessTokenLifetime(idleTimeout time.Duration) time.Duration {
	if idleTimeout == 0 {
		return token.Lifetime
	}
	return min(token.Lifetime, idleTimeout/2)
}

// ProviderRedirectURI is where providers send people back. It is registered at each provider.
func ProviderRedirectURI(cfg config.Config) string { return cfg.HTTP.PublicURL + "/auth/v1/callback" }

// OpenProviders returns the OpenID Connect providers with which people sign in; nil means that there are
// none. It connects to none of them. Its error is a *config.Problems.
func OpenProviders(cfg config.Config) (*oidc.Providers, error) {
	i := cfg.Identity
	var configs []oidc.Config
	if i.GoogleClientID != "" {
		configs = append(configs, oidc.Google(i.GoogleClientID, i.GoogleClientSecret))
	}
	if i.AzureClientID != "" {
		configs = append(configs, oidc.Azure(i.AzureClientID, i.AzureClientSecret, i.AzureTenant))
	}
	if i.Providers != "" {
		others, err := oidc.ParseConfigs(i.Providers)
		if err != nil {
			return nil, config.Invalid("EXTERNAL_PROVIDERS", err.Error())
		}
		configs = append(configs, others...)
	}
	if len(configs) == 0 {
		return nil, nil
	}
	providers, err := oidc.New(configs, oidc.Options{
		RedirectURI: ProviderRedirectURI(cfg), AllowedHosts: i.ProviderHosts,
	})
	if err != nil {
		return nil, invalidProvider(err)
	}
	return providers, nil
}

// invalidProvider names the setting of what is wrong with a provider.
func invalidProvider(err error) *config.Problems {
	var wrong *oidc.ConfigError
	if !errors.As(err, &wrong) {
		return config.Invalid("PUBLIC_URL", "cannot be used for sign-in with providers: "+err.Error())
	}
	if name, isCustom := strings.CutPrefix(wrong.Provider, oidc.CustomPrefix); isCustom {
		return config.Invalid("EXTERNAL_PROVIDERS", "has a provider "+name+" that "+wrong.Reason)
	}
	// EXTERNAL_AZURE_TENANT, for example.
	setting := "EXTERNAL_" + strings.ToUpper(wrong.Provider) + "_" + strings.ToUpper(wrong.Field)
	return config.Invalid(setting, wrong.Reason)
}

// AuthConfig returns the settings of /auth/v1. Its error is a *config.Problems.
func AuthConfig(cfg config.Config) (auth.Config, error) {
	providers, err := OpenProviders(cfg)
	if err != nil {
		return auth.Config{}, err
	}
	c := auth.Config{TrustedHops: cfg.Identity.TrustedHops, Identity: IdentityConfig(cfg)}
	c.Identity.Providers = providers
	return c, nil
}

// IdentityConfig returns the settings of users, passwords and sessions. It has no providers, which operators
// do not need.
func IdentityConfig(cfg config.Config) identity.Config {
	c := cfg.Identity
	return identity.Config{
		PublicURL:          cfg.HTTP.PublicURL,
		SignUp:             c.SignUp,
		ConfirmEmail:       c.ConfirmEmail,
		Anonymous:          c.Anonymous,
		BcryptCost:         c.BcryptCost,
		PasswordMinLength:  c.PasswordMinLength,
		PasswordCharacters: c.PasswordCharacters,
		RedirectURLs:       c.RedirectURLs,
		SessionMaxLifetime: c.SessionMaxLifetime,
		SessionIdleTimeout: c.SessionIdleTimeout,
		ClientDocuments:    identity.ClientDocuments{Hosts: c.OAuthClientHosts},
		Limits: identity.Limits{
			AccountFailures:      c.AccountFailures,
			AccountFailuresTotal: c.AccountFailuresTotal,
			AddressFailures:      c.AddressFailures,
			AddressSignUps:       c.AddressSignUps,
			AddressClients:       c.AddressClients,
			AccountMails:         c.AccountMails,
			AddressMails:         c.AddressMails,
		},
	}
}
