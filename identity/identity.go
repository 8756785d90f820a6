package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/identity/oidc"
)

// Config holds the settings of identity.
type Config struct {
	// PublicURL is PUBLIC_URL. Links in mails lead to it unless REDIRECT_URLS allows another address.
	// Required by New.
	PublicURL string
	// SignUp is SIGNUP: "on" (or empty), "off", or the e-mail domains, separated by commas, whose addresses may
	// sign up.
	SignUp string
	// ConfirmEmail is SIGNUP_CONFIRM=on: a new user must follow a link before the first sign-in. If SignUp is a
	// list of domains, that is so in any case.
	ConfirmEmail bool
	// Anonymous is SIGNUP_ANONYMOUS=on: users may sign up without an address.
	Anonymous bool
	// BcryptCost is BCRYPT_COST; zero means 10.
	BcryptCost int
	// ConcurrentHashes is the number of passwords that are hashed at the same time; zero means GOMAXPROCS.
	ConcurrentHashes int
	// PasswordMinLength is PASSWORD_MIN_LENGTH, in characters; zero means 8.
	PasswordMinLength int
	// PasswordCharacters is PASSWORD_REQUIRED_CHARACTERS: the classes of characters that a password must
	// contain: lower, upper, digit, symbol.
	PasswordCharacters []string
	// RedirectURLs is REDIRECT_URLS: addresses that a link in a mail may lead to, each with everything below it.
	RedirectURLs []string
	// SessionMaxLifetime is SESSION_MAX_LIFETIME: when a session ends after the sign-in. Zero means never.
	SessionMaxLifetime time.Duration
	// SessionIdleTimeout is SESSION_IDLE_TIMEOUT: when a session that is not refreshed ends. Zero means never.
	SessionIdleTimeout time.Duration
	// ClientDocuments are those of apps that ask users for access.
	ClientDocuments ClientDocuments
	// Providers are where users may have the accounts that they sign in with; nil means nowhere.
	Providers *oidc.Providers
	// Limits bound attempts.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// SignUpDisabled reports whether sign-up is disabled.
func (c Config) SignUpDisabled() bool { return strings.EqualFold(c.SignUp, "off") }

// ConfirmsEmail reports whether a new user must follow a link before the first sign-in. Sign-up by domains
// requires it: anybody can write an address of a domain into a form.
func (c Config) ConfirmsEmail() bool { return c.ConfirmEmail || c.hasDomains() }

// hasDomains reports whether only addresses of certain domains may have accounts.
func (c Config) hasDomains() bool {
	return c.SignUp != "" && !strings.EqualFold(c.SignUp, "on") && !c.SignUpDisabled()
}

// allowsDomain reports whether an address may belong to somebody who signs up, or changes the address.
func (c Config) allowsDomain(email string) bool {
	if !c.hasDomains() {
		return true
	}
	_, domain, _ := strings.Cut(email, "@")
	for allowed := range strings.SplitSeq(c.SignUp, ",") {
		allowed = normalizeEmail("@" + strings.TrimPrefix(strings.TrimSpace(allowed), "@"))
		if allowed == "@"+domain {
			return true
		}
	}
	return false
}

// A Mailer starts the minting and mailing of a link's token. *temporalclient.Client implements it.
type Mailer interface {
	// SendAccountMail starts the workflow that sends the mail of a row of auth.one_time_tokens. If there is no
	// such row, nothing is mailed. If the workflow cannot be started, the error has the method Unavailable()
	// bool.
	SendAccountMail(ctx context.Context, requestID uuid.UUID) error
}

// A SessionCache accepts access tokens without querying the database each time. *token.Authenticator
// implements it.
type SessionCache interface {
	// SessionsEnded makes this process reject the access tokens of these sessions at once.
	SessionsEnded(user uuid.UUID, sessions ...uuid.UUID)
	// TokensEnded makes this process reject these personal access tokens at once.
	TokensEnded(tokens ...uuid.UUID)
	// RecheckSessions discards the cache of sessions and of personal access tokens of this process.
	RecheckSessions()
}

// Deps are the dependencies of a Service. All are required.
type Deps struct {
	Store    *db.Store
	Mail     Mailer
	Sessions SessionCache
}

// A Service is the identity provider. It is safe for concurrent use.
type Service struct {
	cfg      Config
	store    *db.Store
	mail     Mailer
	sessions SessionCache
	now      func() time.Time

	passwords *hasher
	refresh   refreshTokenDeriver
	factors   factorCipher
	limits    limits
	documents *clientDocuments
}

// New returns a Service. It loads the keys of the refresh tokens and of the second factors.
func New(ctx context.Context, cfg Config, d Deps) (*Service, error) {
	if d.Store == nil || d.Mail == nil || d.Sessions == nil || cfg.PublicURL == "" {
		return nil, errors.New("identity: a dependency is missing")
	}
	s := &Service{cfg: cfg, store: d.Store, mail: d.Mail, sessions: d.Sessions, now: clock(cfg)}
	var err error
	if s.passwords, err = newHasher(cfg.BcryptCost, cfg.ConcurrentHashes); err != nil {
		return nil, err
	}
	if s.refresh, err = loadRefreshTokenDeriver(ctx, d.Store); err != nil {
		return nil, err
	}
	if s.factors, err = loadFactorCipher(ctx, d.Store); err != nil {
		return nil, err
	}
	s.limits = newLimits(cfg.Limits, s.now)
	s.documents = newClientDocuments(cfg.ClientDocuments, s.now)
	return s, nil
}

func clock(cfg Config) func() time.Time {
	if cfg.Now == nil {
		return time.Now
	}
	return cfg.Now
}

// forget makes this process reject at once what has ended.
func (s *Service) forget(user uuid.UUID, ended endedAccess) {
	s.sessions.SessionsEnded(user, ended.sessions...)
	s.sessions.TokensEnded(ended.tokens...)
}
