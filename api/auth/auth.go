package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/token"
	"research/db"
)

// Config says how identity behaves. The zero value of a field is what its comment says.
type Config struct {
	// PublicURL is PUBLIC_URL: links in mails begin with it, and a request's headers never change that. Required.
	PublicURL string
	// SignUp is SIGNUP: "on" (or empty), "off", or e-mail domains separated by commas, of which alone addresses are taken.
	SignUp string
	// ConfirmEmail is SIGNUP_CONFIRM=on: an address is proven by a link before its owner can sign in.
	ConfirmEmail bool
	// BcryptCost is BCRYPT_COST; zero means 10.
	BcryptCost int
	// HashesAtOnce is how many passwords are hashed at a time; zero means as many as Go uses cores.
	HashesAtOnce int
	// PasswordMinLength is PASSWORD_MIN_LENGTH, in characters; zero means 8.
	PasswordMinLength int
	// PasswordCharacters is PASSWORD_REQUIRED_CHARACTERS: classes of which a password needs one character each: lower, upper, digit, symbol.
	PasswordCharacters []string
	// RedirectURLs is REDIRECT_URLS: addresses that a link in a mail may lead to, each with everything below it. PublicURL always is.
	RedirectURLs []string
	// TrustedHops is TRUSTED_PROXY_HOPS: how many proxies in front of us add to X-Forwarded-For. Zero: the header is not believed.
	TrustedHops int
	// Limits bound attempts.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Limits are numbers an hour; as many may come at once. Zero means no limit. Each process counts for itself.
type Limits struct {
	AccountFailures int // LIMIT_ACCOUNT_FAILURES: failed sign-ins of one account
	AddressFailures int // LIMIT_ADDRESS_FAILURES: failed sign-ins from one address
	AddressSignUps  int // LIMIT_ADDRESS_SIGNUPS: sign-ups from one address
	AccountMails    int // LIMIT_ACCOUNT_MAILS: mails to one account
	AddressMails    int // LIMIT_ADDRESS_MAILS: mails asked for from one address
}

// mailer has a one-time token minted and mailed; *temporalclient.Client is one.
type mailer interface {
	// SendAccountMail starts the workflow that mails what the row of auth.one_time_tokens asks for. An id without a row is a mail to nobody.
	// Its error is temporalclient.ErrUnavailable.
	SendAccountMail(ctx context.Context, requestID uuid.UUID) error
}

// Deps are what the server needs; all are required.
type Deps struct {
	Store *db.Store
	Keys  *token.Keys
	Gate  *token.Gate
	Mail  mailer
	Log   *slog.Logger
}

// A Server answers /auth/v1.
type Server struct {
	cfg       Config
	store     *db.Store
	keys      *token.Keys
	gate      *token.Gate
	mail      mailer
	log       *slog.Logger
	now       func() time.Time
	passwords *Passwords
	refresh   *chain
	limits    limits
}

// maxBody is what GoTrue accepts.
const maxBody = 1 << 20

// New makes the handler for everything under /auth/v1; paths are those after it. Where the keys say that identity is off, there is only an answer that says so.
func New(ctx context.Context, cfg Config, d Deps) (http.Handler, error) {
	if d.Store == nil || d.Keys == nil || d.Gate == nil || d.Mail == nil || d.Log == nil || cfg.PublicURL == "" {
		return nil, errors.New("auth: a dependency is missing")
	}
	s := &Server{cfg: cfg, store: d.Store, keys: d.Keys, gate: d.Gate, mail: d.Mail, log: d.Log, now: cfg.Now}
	if s.now == nil {
		s.now = time.Now
	}
	s.limits = newLimits(cfg.Limits, s.now)
	r := chi.NewRouter()
	r.NotFound(s.handle(func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusNotFound, "not_found", "There is nothing at this path.")
	}))
	r.MethodNotAllowed(s.handle(func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusMethodNotAllowed, "method_not_allowed", "This path does not answer this method.")
	}))
	if d.Keys.Off() {
		r.Handle("/*", s.handle(func(http.ResponseWriter, *http.Request) error {
			return fail(http.StatusNotFound, "feature_disabled", "Identity is switched off here: sign in with the identity provider of this installation.")
		}))
		return r, nil
	}
	var err error
	if s.passwords, err = NewPasswords(cfg.BcryptCost, cfg.HashesAtOnce); err != nil {
		return nil, err
	}
	if s.refresh, err = loadChain(ctx, d.Store); err != nil {
		return nil, err
	}
	s.routes(r)
	return r, nil
}

func (s *Server) routes(r chi.Router) {
	// For everybody: verifiers of tokens, and browsers that follow a link.
	r.Get("/.well-known/jwks.json", s.handle(s.keySet))
	r.Get("/.well-known/openid-configuration", s.handle(s.discovery))
	r.Get("/verify", s.handle(s.showVerify))
	r.Post("/verify", s.handle(s.verify))

	r.Group(func(r chi.Router) {
		r.Use(s.gate.APIKey(s.writeError))
		r.Post("/token", s.handle(s.grantToken))
		r.Post("/signup", s.handle(s.signUp))
		r.Post("/recover", s.handle(s.recoverPassword))
		r.Post("/resend", s.handle(s.resend))
		r.Get("/health", s.handle(s.health))
		r.Get("/settings", s.handle(s.settings))

		r.Get("/user", s.signedIn(s.showUser))
		r.Put("/user", s.signedIn(s.updateUser))
		r.Post("/logout", s.signedIn(s.signOut))
		r.Get("/sessions", s.signedIn(s.listSessions))
		r.Delete("/sessions/{id}", s.signedIn(s.revokeSession))

		r.Group(func(r chi.Router) {
			r.Use(s.administrator)
			r.Post("/invite", s.handle(s.invite))
			r.Get("/admin/users", s.handle(s.listUsers))
			r.Post("/admin/users", s.handle(s.createUser))
			r.Get("/admin/users/{id}", s.handle(s.getUser))
			r.Put("/admin/users/{id}", s.handle(s.changeUser))
			r.Delete("/admin/users/{id}", s.handle(s.deleteUser))
		})
	})
}

// A caller is the user of a living session.
type caller struct {
	account
	session uuid.UUID
}

// signedIn adapts a handler for a user whose session lives: the database is asked each time.
func (s *Server) signedIn(h func(http.ResponseWriter, *http.Request, caller) error) http.HandlerFunc {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.caller(r)
		if err != nil {
			return err
		}
		return h(w, r, c)
	})
}

func (s *Server) caller(r *http.Request) (caller, error) {
	if r.Header.Get("Authorization") == "" {
		return caller{}, token.ErrNoToken
	}
	v, err := s.gate.Identify(r)
	if err != nil {
		return caller{}, err
	}
	if v.Subject.Role != db.RoleAuthenticated || v.External {
		return caller{}, fail(http.StatusForbidden, "bad_jwt", "This token is no user's of this service: send the access token of a sign-in.")
	}
	var row db.GetSessionUserRow
	err = s.store.AsService(r.Context(), func(q *db.Queries) (err error) {
		row, err = q.GetSessionUser(r.Context(), db.GetSessionUserParams{UserID: v.Subject.UserID, SessionID: v.SessionID})
		return err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return caller{}, fail(http.StatusForbidden, "user_not_found", "User from sub claim in JWT does not exist")
	case err != nil:
		return caller{}, err
	case !row.SessionLives:
		return caller{}, errSessionGone
	}
	c := caller{account{row.AuthUser, row.Identities}, v.SessionID}
	if c.banned(s.now()) {
		return caller{}, errBanned
	}
	return c, nil
}

// readJSON reads a body of at most maxBody that is one JSON value. Unknown fields are tolerated, as GoTrue does.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fail(http.StatusRequestEntityTooLarge, "request_entity_too_large", "The body is larger than 1 MB.")
	case err != nil:
		return fail(http.StatusBadRequest, "bad_json", "The body broke off.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fail(http.StatusBadRequest, "bad_json", "Could not read the body as JSON of the right shape.")
	}
	return nil
}

// audit writes what happened to whom.
func (s *Server) audit(ctx context.Context, q *db.Queries, r *http.Request, action string, actor *account, traits map[string]any) error {
	return writeAudit(ctx, q, s.now(), s.address(r), action, actor, traits)
}

// writeAudit never holds a password, a token, or an address that somebody only typed.
func writeAudit(ctx context.Context, q *db.Queries, at time.Time, address, action string, actor *account, traits map[string]any) error {
	entry := map[string]any{"action": action, "timestamp": at.UTC(), "log_type": "account"}
	if actor != nil {
		entry["actor_id"], entry["actor_username"] = actor.ID, text(actor.Email)
	}
	if len(traits) > 0 {
		entry["traits"] = traits
	}
	payload, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	return q.WriteAudit(ctx, db.WriteAuditParams{Payload: payload, IpAddress: address})
}

// emailAddress reads an address that will be kept. What it refuses, GoTrue does as well.
func emailAddress(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if !plausibleEmail(s) {
		return "", fail(http.StatusBadRequest, "validation_failed", "Unable to validate email address: invalid format")
	}
	return s, nil
}
