package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/db"
)

// A SignUp is what a new user sends.
type SignUp struct {
	Email      string
	Password   string
	Metadata   Metadata
	RedirectTo string // where the link in the mail leads; see REDIRECT_URLS
}

// SignUp creates a user and begins a session. If the address must be confirmed first, it mails a link and
// returns no session. It then does the same for a taken address as for a free one, so that callers cannot
// tell them apart; a user who has not followed the link yet is mailed another one.
//
// Errors: ErrSignUpDisabled, ErrInvalidEmail, ErrDomainNotAllowed, ErrUserExists, those of a new password and
// of metadata, *LimitError.
func (s *Service) SignUp(ctx context.Context, client Client, r SignUp) (User, *Session, error) {
	if s.cfg.SignUpDisabled() {
		return User{}, nil, ErrSignUpDisabled
	}
	email, err := parseEmail(r.Email)
	if err != nil {
		return User{}, nil, err
	}
	if !s.cfg.maySignUp(email) {
		return User{}, nil, ErrDomainNotAllowed
	}
	if err := s.cfg.checkPassword(r.Password, email); err != nil {
		return User{}, nil, err
	}
	if err := s.limits.signUp(client); err != nil {
		return User{}, nil, err
	}
	now := s.now()
	user := newUser(email, now)
	if user.RawUserMetaData, err = r.Metadata.applyNew(nil); err != nil {
		return User{}, nil, err
	}
	// The password is hashed before the address is looked up, so that a taken one takes as long as a free one.
	hash, err := s.passwords.hash(ctx, r.Password)
	if err != nil {
		return User{}, nil, err
	}
	user.EncryptedPassword = &hash
	if s.cfg.ConfirmEmail {
		user.ConfirmationSentAt = &now
		return user, nil, s.signUpByLink(ctx, client, user, s.redirect(r.RedirectTo))
	}
	user.confirm(now)
	create := func(q *db.Queries) error { return createUser(ctx, q, user) }
	session, err := s.beginSession(ctx, client, user, methodPassword, "user_signedup", create)
	if db.Constraint(err) == db.ConstraintUserEmail {
		return User{}, nil, ErrUserExists
	}
	if err != nil {
		return User{}, nil, err
	}
	return session.User, &session, nil
}

// signUpByLink adds the user, unless the address is taken, and mails the link.
func (s *Service) signUpByLink(ctx context.Context, client Client, user User, redirectTo string) error {
	if err := s.limits.mail(client, user.email()); err != nil {
		return err
	}
	request := uuid.New()
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		added, err := q.AddUser(ctx, db.AddUserParams{
			ID: user.ID, Email: user.email(), EncryptedPassword: user.EncryptedPassword,
			ConfirmationSentAt: user.ConfirmationSentAt, CreatedAt: user.CreatedAt,
			RawAppMetaData: user.RawAppMetaData, RawUserMetaData: user.RawUserMetaData,
		})
		if err != nil {
			return err
		}
		requested, err := q.RequestToken(ctx, db.RequestTokenParams{
			ID: request, Email: user.email(), TokenType: string(LinkSignUp), RedirectTo: redirectTo,
			LifetimeSeconds: linkLifetime.Seconds(), OnlyUnconfirmed: true,
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "user_confirmation_requested", address: client.Address,
			traits: map[string]any{"new": added > 0, "awaited": requested > 0},
		})
	})
	if err != nil {
		return err
	}
	return s.mailOrDelete(ctx, request, user.ID)
}

// mailOrDelete has a link mailed to a new user, and deletes the user if that fails. There is no such user if
// the address was taken.
func (s *Service) mailOrDelete(ctx context.Context, request, user uuid.UUID) error {
	err := s.mail.SendAccountMail(ctx, request)
	if err == nil {
		return nil
	}
	return errors.Join(err, s.store.AsService(ctx, func(q *db.Queries) error {
		_, err := q.DeleteUser(ctx, user)
		return err
	}))
}

// An Invitation creates an account for somebody who has not asked for it.
type Invitation struct {
	Email      string
	Metadata   Metadata
	RedirectTo string
}

// Invite creates a user without a password and mails a link. It is for administrators.
// Errors: ErrInvalidEmail, ErrEmailTaken, those of metadata.
func (s *Service) Invite(ctx context.Context, client Client, r Invitation) (User, error) {
	email, err := parseEmail(r.Email)
	if err != nil {
		return User{}, err
	}
	now := s.now()
	user := newUser(email, now)
	user.InvitedAt, user.ConfirmationSentAt = &now, &now
	if user.RawUserMetaData, err = r.Metadata.applyNew(nil); err != nil {
		return User{}, err
	}
	request := uuid.New()
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if err := createUser(ctx, q, user); err != nil {
			return err
		}
		if err := q.RequestUserToken(ctx, db.RequestUserTokenParams{
			ID: request, UserID: user.ID, TokenType: string(LinkInvite), RedirectTo: s.redirect(r.RedirectTo),
			LifetimeSeconds: inviteLifetime.Seconds(),
		}); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "user_invited", address: client.Address, traits: map[string]any{"user_id": user.ID},
		})
	})
	if db.Constraint(err) == db.ConstraintUserEmail {
		return User{}, ErrEmailTaken
	}
	if err != nil {
		return User{}, err
	}
	return user, s.mailOrDelete(ctx, request, user.ID)
}
