package auth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// signUp answers POST /signup. Without confirmation the new user is signed in at once; with it, a link is mailed, and an address that is taken gets the same answer
// as one that is free.
func (s *Server) signUp(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if strings.EqualFold(s.cfg.SignUp, "off") {
		return fail(http.StatusUnprocessableEntity, "signup_disabled", "Signups not allowed for this instance")
	}
	var body struct {
		Email    string                     `json:"email"`
		Phone    string                     `json:"phone"`
		Password string                     `json:"password"`
		Data     map[string]json.RawMessage `json:"data"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.Phone != "":
		return fail(http.StatusBadRequest, "phone_provider_disabled", "Phone signups are disabled")
	case body.Email == "" && body.Password == "":
		return fail(http.StatusUnprocessableEntity, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")
	case body.Password == "":
		return fail(http.StatusBadRequest, "validation_failed", "Signup requires a valid password")
	}
	email, err := emailAddress(body.Email)
	if err != nil {
		return err
	}
	if !s.mayJoin(email) {
		return fail(http.StatusUnprocessableEntity, "email_address_not_authorized", "Signups are only open to certain e-mail domains")
	}
	if err := s.rules().Check(body.Password, email); err != nil {
		return err
	}
	if wait := s.limits.addressSignUps.take(network(s.address(r))); wait > 0 {
		return tooMany("over_request_rate_limit", "Too many accounts were made from this address. Try again later.", wait)
	}
	metadata, err := merge(nil, orEmpty(body.Data))
	if err != nil {
		return err
	}
	// Hashed before the address is looked up, so that a taken one takes as long.
	hashed, err := s.passwords.Hash(ctx, body.Password)
	if err != nil {
		return err
	}
	now := s.now()
	user := account{identities: json.RawMessage(`[]`)}
	user.ID, user.Email, user.EncryptedPassword = uuid.New(), &email, &hashed
	user.RawAppMetaData, user.RawUserMetaData, user.CreatedAt, user.UpdatedAt = emailProvider, metadata, &now, &now
	if s.cfg.ConfirmEmail {
		user.ConfirmationSentAt = &now
		return s.signUpByLink(w, r, user)
	}
	user.EmailConfirmedAt, user.ConfirmedAt = &now, &now
	err = s.openSession(w, r, user, "password", "user_signedup", func(ctx context.Context, q *db.Queries) error {
		return createUser(ctx, q, user)
	})
	if db.Constraint(err) == emailKey {
		return fail(http.StatusUnprocessableEntity, "user_already_exists", "User already registered")
	}
	return err
}

// emailKey is the index that keeps addresses apart.
const emailKey = "users_email_key"

// signUpByLink adds the user and mails the link. Known and unknown addresses take the same way and get the same answer; one that still awaits its link gets it once more.
func (s *Server) signUpByLink(w http.ResponseWriter, r *http.Request, user account) error {
	ctx := r.Context()
	if err := s.mayMail(r, *user.Email); err != nil {
		return err
	}
	request := uuid.New()
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		added, err := q.AddUser(ctx, db.AddUserParams{
			ID: user.ID, Email: *user.Email, EncryptedPassword: user.EncryptedPassword, ConfirmationSentAt: user.ConfirmationSentAt,
			RawAppMetaData: user.RawAppMetaData, RawUserMetaData: user.RawUserMetaData, CreatedAt: user.CreatedAt,
		})
		if err != nil {
			return err
		}
		asked, err := q.AskForToken(ctx, db.AskForTokenParams{
			ID: request, Email: *user.Email, TokenType: linkSignUp, RedirectTo: s.redirect(r), LifetimeSeconds: linkLifetime.Seconds(), OnlyUnconfirmed: true,
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, r, "user_confirmation_requested", nil, map[string]any{"new": added > 0, "awaited": asked > 0})
	})
	if err != nil {
		return err
	}
	if err := s.mail.SendAccountMail(ctx, request); err != nil {
		return errors.Join(err, s.store.AsService(ctx, func(q *db.Queries) error {
			_, err := q.DeleteUser(ctx, user.ID) // there is none where the address was taken
			return err
		}))
	}
	s.writeJSON(w, http.StatusOK, user.shape())
	return nil
}

func createUser(ctx context.Context, q *db.Queries, user account) error {
	_, err := q.CreateUser(ctx, db.CreateUserParams{
		ID: user.ID, Email: user.Email, EncryptedPassword: user.EncryptedPassword, EmailConfirmedAt: user.EmailConfirmedAt, ConfirmationSentAt: user.ConfirmationSentAt,
		InvitedAt: user.InvitedAt, Phone: user.Phone, RawAppMetaData: object(user.RawAppMetaData), RawUserMetaData: object(user.RawUserMetaData), BannedUntil: user.BannedUntil,
	})
	return err
}

// mayJoin tells whether SIGNUP lets an address in.
func (s *Server) mayJoin(email string) bool {
	switch strings.ToLower(s.cfg.SignUp) {
	case "", "on":
		return true
	}
	_, domain, _ := strings.Cut(email, "@")
	for one := range strings.SplitSeq(s.cfg.SignUp, ",") {
		if strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(one), "@"), domain) {
			return true
		}
	}
	return false
}

func (s *Server) rules() Rules {
	return Rules{MinLength: s.cfg.PasswordMinLength, Characters: s.cfg.PasswordCharacters}
}

func orEmpty(m map[string]json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		return map[string]json.RawMessage{}
	}
	return m
}

// invite answers POST /invite: an administrator has an account made, and its owner is mailed a link.
func (s *Server) invite(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	var body struct {
		Email string                     `json:"email"`
		Data  map[string]json.RawMessage `json:"data"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	email, err := emailAddress(body.Email)
	if err != nil {
		return err
	}
	metadata, err := merge(nil, orEmpty(body.Data))
	if err != nil {
		return err
	}
	now := s.now()
	user := account{identities: json.RawMessage(`[]`)}
	user.ID, user.Email, user.InvitedAt, user.ConfirmationSentAt = uuid.New(), &email, &now, &now
	user.RawAppMetaData, user.RawUserMetaData, user.CreatedAt, user.UpdatedAt = emailProvider, metadata, &now, &now
	request := uuid.New()
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if err := createUser(ctx, q, user); err != nil {
			return err
		}
		if err := s.audit(ctx, q, r, "user_invited", nil, map[string]any{"user_id": user.ID}); err != nil {
			return err
		}
		return q.AskForUserToken(ctx, db.AskForUserTokenParams{
			ID: request, UserID: user.ID, TokenType: linkInvite, RedirectTo: s.redirect(r), LifetimeSeconds: inviteLifetime.Seconds(),
		})
	})
	if db.Constraint(err) == emailKey {
		return errEmailExists
	}
	if err != nil {
		return err
	}
	if err := s.mail.SendAccountMail(ctx, request); err != nil {
		return errors.Join(err, s.store.AsService(ctx, func(q *db.Queries) error {
			_, err := q.DeleteUser(ctx, user.ID)
			return err
		}))
	}
	s.writeJSON(w, http.StatusOK, user.shape())
	return nil
}

// The lifetimes of links: GoTrue's hour, and a week for who was invited and knows nothing of it yet.
const (
	linkLifetime   = time.Hour
	inviteLifetime = 7 * 24 * time.Hour
)
