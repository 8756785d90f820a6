package main

import (
	"context"
	"runtime"
	"sync"

	"research/api/auth"
	"research/api/token"
	"research/config"
	"research/db"
	"research/identity"
)

// openAuthenticator loads the keys that validate tokens, and the API keys.
func openAuthenticator(
	ctx context.Context, cfg config.Config, store *db.Store,
) (*token.Keys, *token.Authenticator, error) {
	external, err := token.ParseIssuers(cfg.Identity.ExternalIssuers)
	if err != nil {
		return nil, nil, &config.Problems{List: []config.Problem{
			{Setting: "EXTERNAL_ISSUERS", Reason: err.Error()},
		}}
	}
	keys, err := token.NewKeys(ctx, store, token.KeysConfig{
		Issuer:     cfg.HTTP.PublicURL + "/auth/v1",
		Secret:     cfg.Keys.JWTSecret,
		PrivateKey: cfg.Identity.PrivateKey,
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
	})
	return keys, authenticator, err
}

// cores returns the number of passwords that are hashed at the same time: one for each core. It doubles the
// threads of Go, so that other requests do not wait until the scheduler preempts a hash. The kernel gives
// their threads a core at once, since these mostly sleep (docs/decisions/0173).
var cores = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * n)
	return n
})

// authConfig returns the settings of /auth/v1.
func authConfig(cfg config.Config) auth.Config {
	c := cfg.Identity
	return auth.Config{
		TrustedHops: c.TrustedHops,
		Identity: identity.Config{
			PublicURL:          cfg.HTTP.PublicURL,
			SignUp:             c.SignUp,
			ConfirmEmail:       c.ConfirmEmail,
			BcryptCost:         c.BcryptCost,
			ConcurrentHashes:   cores(),
			PasswordMinLength:  c.PasswordMinLength,
			PasswordCharacters: c.PasswordCharacters,
			RedirectURLs:       c.RedirectURLs,
			Limits: identity.Limits{
				AccountFailures: c.AccountFailures,
				AddressFailures: c.AddressFailures,
				AddressSignUps:  c.AddressSignUps,
				AccountMails:    c.AccountMails,
				AddressMails:    c.AddressMails,
			},
		},
	}
}
