package main

import (
	"context"
	"runtime"
	"sync"

	"research/api/auth"
	"research/api/token"
	"research/config"
	"research/db"
)

// openGate loads what tokens and API keys are checked by.
func openGate(ctx context.Context, cfg config.Config, store *db.Store) (*token.Keys, *token.Gate, error) {
	external, err := token.ParseIssuers(cfg.Identity.ExternalIssuers)
	if err != nil {
		return nil, nil, &config.Problems{List: []config.Problem{{Setting: "EXTERNAL_ISSUERS", Reason: err.Error()}}}
	}
	keys, err := token.NewKeys(ctx, store, token.KeysConfig{
		Issuer: cfg.HTTP.PublicURL + "/auth/v1", Secret: cfg.Keys.JWTSecret, PrivateKey: cfg.Identity.PrivateKey, Off: cfg.Identity.Off, External: external,
	})
	if err != nil {
		return nil, nil, err
	}
	gate, err := token.NewGate(keys, token.GateConfig{
		AnonKey: cfg.Keys.Anon, ServiceKey: cfg.Keys.Service, PublishableKey: cfg.Identity.PublishableKey, SecretKey: cfg.Identity.SecretKey,
	})
	return keys, gate, err
}

// cores is how many passwords are hashed at once: one a core. Go itself gets twice as many threads, so that other requests need not wait until the scheduler takes a
// thread away from a hash: the kernel gives them a core at once, as to every thread that mostly sleeps (docs/decisions/0173).
var cores = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * n)
	return n
})

// identity is what the identity server is told.
func identity(cfg config.Config) auth.Config {
	c := cfg.Identity
	return auth.Config{
		PublicURL: cfg.HTTP.PublicURL, SignUp: c.SignUp, ConfirmEmail: c.ConfirmEmail, BcryptCost: c.BcryptCost, HashesAtOnce: cores(), PasswordMinLength: c.PasswordMinLength,
		PasswordCharacters: c.PasswordCharacters, RedirectURLs: c.RedirectURLs, TrustedHops: c.TrustedHops,
		Limits: auth.Limits{AccountFailures: c.AccountFailures, AddressFailures: c.AddressFailures, AddressSignUps: c.AddressSignUps,
			AccountMails: c.AccountMails, AddressMails: c.AddressMails},
	}
}
