package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// Config says how identity behaves.
type Config struct {
	// PublicURL is PUBLIC_URL. Links in mails lead to it unless REDIRECT_URLS allows another address.
	// Required by New.
	PublicURL string
	// SignUp is SIGNUP: "on" (or empty), "off", or the e-mail domains, separated by commas, whose addresses may
	// sign up.
	SignUp string
	// ConfirmEmail is SIGNUP_CONFIRM=on: a new user must follow a link before the first sign-in.
	ConfirmEmail bool
	// BcryptCost is BCRYPT_COST; zero means 10.
	BcryptCost int
	// ConcurrentHashes is the number of passwords that are hashed at the same time; zero means GOMAXPROCS.
	ConcurrentHashes int
	// PasswordMinLength is PASSWORD_MIN_LENGTH, in characters; zero means 8.
	PasswordMinLength int
	// PasswordCharacters is PASSWORD_REQUIRED_CHARACTERS: classes of which a password needs one character each:
	// lower, upper, digit, symbol.
	PasswordCharacters []string
	// RedirectURLs is REDIRECT_URLS: addresses that a link in a mail may lead to, each with everything below it.
	RedirectURLs []string
	// Limits bound attempts.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// SignUpDisabled reports whether nobody may sign up.
func (c Config) SignUpDisabled() bool { return strings.EqualFold(c.SignUp, "off") }

// maySignUp reports whether the domain of an address is one that may sign up.
func (c Config) maySignUp(email string) bool {
	if c.SignUp == "" || strings.EqualFold(c.SignUp, "on") {
		return true
	}
	_, domain, _ := strings.Cut(email, "@")
	for allowed := range strings.SplitSeq(c.SignUp, ",") {
		if strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(allowed), "@"), domain) {
			return true
		}
	}
	return false
}

// A Mailer has the token of a link minted and mailed; *workflows.Client is one.
type Mailer interface {
	// SendAccountMail starts the workflow that mails the link which a row of auth.one_time_tokens asks for. If
	// there is no such row, nothing is mailed. If the workflow cannot be started, the error has the method
	// Unavailable() bool.
	SendAccountMail(ctx context.Context, requestID uuid.UUID) error
}

// A SessionCache accepts access tokens without querying the database each time; *token.Authenticator is one.
type SessionCache interface {
	// SessionsEnded makes this process reject the access tokens of these sessions at once.
	SessionsEnded(user uuid.UUID, sessions ...uuid.UUID)
	// RecheckSessions makes this process query the database about every session again.
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
	limits    limits
}

// New returns a Service. It loads the key of the refresh tokens.
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
	if s.limits, err = newLimits(cfg.Limits, s.now); err != nil {
		return nil, err
	}
	return s, nil
}

func clock(cfg Config) func() time.Time {
	if cfg.Now == nil {
		return time.Now
	}
	return cfg.Now
}

// A Client is the program or browser that sent a request.
type Client struct {
	Address   string // its IP address, for limits, the audit log and the list of sessions; empty means unknown
	UserAgent string
}
