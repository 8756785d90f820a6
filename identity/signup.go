package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/db"
)

// A SignUp is the request of a new user.
type SignUp struct {
	Email      string
	Password   string
	Metadata   Metadata
	RedirectTo string // where the link in the mail leads; see REDIRECT_URLS
	Challenge  CodeChallenge
}

// SignUp creates a user whose address is not proven yet, mails a link that proves it, and begins a session. A
// second sign-up with such an address creates nothing, but mails another link, which activates the password
// of that sign-up.
//
// If the address must be confirmed first, there is no session, and no password until the link was followed.
// SignUp then does the same for a taken address as for a free one, so that callers cannot tell them apart.
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
	if !s.cfg.allowsDomain(email) {
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
	user.ConfirmationSentAt = &now
	if user.RawUserMetaData, err = r.Metadata.applyNew(nil); err != nil {
		return User{}, nil, err
	}
	// The password is hashed before the address is looked up, so that a taken address takes as long as a free
	// one.
	hash, err := s.passwords.hash(ctx, hashShare{key: client.limitKey()}, r.Password)
	if err != nil {
		return User{}, nil, err
	}
	user.EncryptedPassword = &hash
	link := signUpLink{client: client, redirectTo: s.redirect(r.RedirectTo), challenge: r.Challenge}
	if s.cfg.ConfirmsEmail() {
		return user, nil, s.signUpByLink(ctx, link, user)
	}
	session, err := s.beginSession(ctx, client, user, methodPassword, "user_signedup",
		func(q *db.Queries) error { return link.createUnproven(ctx, q, user) })
	if db.Constraint(err) == db.ConstraintUserEmail {
		return User{}, nil, s.signUpAgain(ctx, link, user, r.Password)
	}
	if err != nil {
		return User{}, nil, err
	}
	return session.User, &session, nil
}

// A signUpLink holds the data of a sign-up's link.
type signUpLink struct {
	client     Client
	redirectTo string
	challenge  CodeChallenge
}

// createUnproven creates a user. The mail relay sends the link, so that the sign-up does not wait for it.
func (l signUpLink) createUnproven(ctx context.Context, q *db.Queries, user User) error {
	if err := createUser(ctx, q, user); err != nil {
		return err
	}
	request := uuid.New()
	err := q.RequestUserToken(ctx, db.RequestUserTokenParams{
		ID: request, UserID: user.ID, TokenType: string(LinkSignUp), RedirectTo: l.redirectTo,
		LifetimeSeconds: linkLifetime.Seconds(),
	})
	if err != nil {
		return err
	}
	return bindLink(ctx, q, request, l.challenge)
}

// signUpAgain requests a link for the sign-up of a taken address, if that is not proven, and returns
// ErrUserExists. A caller who knows the account's password has merely signed up twice.
func (s *Service) signUpAgain(ctx context.Context, link signUpLink, user User, password string) error {
	found, err := s.findAccount(ctx, link.client, user.email())
	if err != nil {
		return err
	}
	if found.user == nil || found.user.EmailConfirmedAt != nil {
		return ErrUserExists
	}
	share := hashShare{key: link.client.limitKey()}
	same, err := s.passwords.matches(ctx, share, deref(found.user.EncryptedPassword), password)
	if err != nil {
		return err
	}
	// Otherwise the response is the same, without a mail.
	if !same && s.limits.mail(link.client, user.email()) == nil {
		if err := s.requestSignUp(ctx, link, user, uuid.New(), false); err != nil {
			return err
		}
	}
	return ErrUserExists
}

// signUpByLink adds the user, unless the address is taken, and mails the link.
func (s *Service) signUpByLink(ctx context.Context, link signUpLink, user User) error {
	if err := s.limits.mail(link.client, user.email()); err != nil {
		return err
	}
	request := uuid.New()
	if err := s.requestSignUp(ctx, link, user, request, true); err != nil {
		return err
	}
	err := s.mail.SendAccountMail(ctx, request)
	if err == nil {
		return nil
	}
	return errors.Join(err, s.store.AsService(ctx, func(q *db.Queries) error {
		if err := q.DeleteToken(ctx, request); err != nil {
			return err
		}
		_, err := q.DeleteUser(ctx, user.ID) // there is no row if the address was taken
		return err
	}))
}

// requestSignUp requests a link that activates the user's password and metadata. If add is set, it first adds
// the user without them, unless the address is taken.
func (s *Service) requestSignUp(
	ctx context.Context, link signUpLink, user User, request uuid.UUID, add bool,
) error {
	return s.store.AsService(ctx, func(q *db.Queries) (err error) {
		var added int64
		if add {
			added, err = q.AddUser(ctx, db.AddUserParams{
				ID: user.ID, Email: user.email(), ConfirmationSentAt: user.ConfirmationSentAt,
				CreatedAt: user.CreatedAt, RawAppMetaData: user.RawAppMetaData, RawUserMetaData: object(nil),
			})
			if err != nil {
				return err
			}
		}
		requested, err := q.RequestSignUp(ctx, db.RequestSignUpParams{
			ID: request, Email: user.email(), RedirectTo: link.redirectTo, LifetimeSeconds: linkLifetime.Seconds(),
			PasswordHash: deref(user.EncryptedPassword), UserMetadata: user.RawUserMetaData,
		})
		if err != nil {
			return err
		}
		if err := bindLink(ctx, q, request, link.challenge); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "user_confirmation_requested", address: link.client.Address,
			traits: map[string]any{"new": added > 0, "awaited": requested > 0},
		})
	})
}

// An Invitation creates an account for somebody who has not requested it.
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
	if err := s.mail.SendAccountMail(ctx, request); err != nil {
		return User{}, errors.Join(err, s.store.AsService(ctx, func(q *db.Queries) error {
			_, err := q.DeleteUser(ctx, user.ID)
			return err
		}))
	}
	return user, nil
}
