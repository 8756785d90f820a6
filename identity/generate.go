package identity

import (
	"context"
	"errors"
	"net/url"

	"github.com/google/uuid"

	"research/db"
)

// A LinkOrder is an administrator's request for a link that the caller passes on, instead of our mail.
type LinkOrder struct {
	// Type is one of the types of links. LinkEmailChange is the link for the new address.
	Type       LinkType
	Email      string // of the account
	NewEmail   string // of a change of the address
	Password   string // of a sign-up
	Metadata   Metadata
	RedirectTo string // where the link leads; see REDIRECT_URLS
}

// A GeneratedLink is what a mail would contain.
type GeneratedLink struct {
	User       User
	Type       LinkType // LinkSignUp if a magic link has created the account
	URL        string
	Token      string // of the link
	Code       string
	RedirectTo string
}

// GenerateLink returns a link and a code like those that are mailed. It creates the account of a sign-up, an
// invitation and a magic link; only a sign-up has a password, which the link puts in force. A changed address
// requires the links to both addresses. It is for administrators.
//
// Errors: ErrInvalidEmail, ErrEmailTaken, ErrUserNotFound, those of a new password and of metadata.
func (s *Service) GenerateLink(ctx context.Context, client Client, o LinkOrder) (GeneratedLink, error) {
	order, err := s.checkOrder(ctx, o)
	if err != nil {
		return GeneratedLink{}, err
	}
	request := uuid.New()
	token, tokenHash := NewToken()
	code, codeHash := NewCode(request)
	link := GeneratedLink{Type: o.Type, Token: token, Code: code, RedirectTo: s.redirect(o.RedirectTo)}
	link.User, err = db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		user, created, err := s.userOfOrder(ctx, q, order)
		if err != nil {
			return User{}, err
		}
		if created && o.Type == LinkMagic {
			link.Type = LinkSignUp // as in GoTrue
		}
		if err := s.requestOrdered(ctx, q, request, user, order); err != nil {
			return User{}, err
		}
		if _, err := q.MintToken(ctx, db.MintTokenParams{
			ID: request, TokenHash: tokenHash, CodeHash: codeHash,
		}); err != nil {
			return User{}, err
		}
		if err := q.WithholdToken(ctx, request); err != nil {
			return User{}, err
		}
		e := byAdmin("link_generated", client, user.ID)
		e.traits["type"] = o.Type
		if err := s.audit(ctx, q, e); err != nil {
			return User{}, err
		}
		return getUser(ctx, q, user.ID)
	})
	if db.Constraint(err) == db.ConstraintUserEmail {
		return GeneratedLink{}, ErrEmailTaken // by a concurrent request
	}
	linkType := link.Type
	if linkType == LinkEmailChangeCurrent {
		linkType = LinkEmailChange // clients know one type for both
	}
	// The order of GoTrue, which some clients match.
	link.URL = s.cfg.PublicURL + "/auth/v1/verify?token=" + token + "&type=" + string(linkType) +
		"&redirect_to=" + url.QueryEscape(link.RedirectTo)
	return link, err
}

// A checkedOrder is a valid LinkOrder.
type checkedOrder struct {
	LinkOrder
	passwordHash *string
}

func (s *Service) checkOrder(ctx context.Context, o LinkOrder) (c checkedOrder, err error) {
	c.LinkOrder = o
	if c.Email, err = parseEmail(o.Email); err != nil {
		return c, err
	}
	switch o.Type {
	case LinkEmailChange, LinkEmailChangeCurrent:
		c.NewEmail, err = parseEmail(o.NewEmail)
	case LinkSignUp:
		if err := s.cfg.checkPassword(o.Password, c.Email); err != nil {
			return c, err
		}
		var hash string
		hash, err = s.passwords.hash(ctx, hashShare{key: "admin", known: true}, o.Password)
		c.passwordHash = &hash
	}
	return c, err
}

// userOfOrder returns the user with the address, and whether it was created.
func (s *Service) userOfOrder(ctx context.Context, q *db.Queries, o checkedOrder) (User, bool, error) {
	signsUp := o.Type == LinkSignUp || o.Type == LinkInvite
	user, err := getUserByEmail(ctx, q, o.Email)
	switch {
	case err == nil && signsUp && user.EmailConfirmedAt != nil:
		return User{}, false, ErrEmailTaken
	case !errors.Is(err, db.ErrNotFound):
		return user, false, err
	case !signsUp && o.Type != LinkMagic:
		return User{}, false, ErrUserNotFound
	}
	now := s.now()
	user = newUser(o.Email, now)
	user.ConfirmationSentAt = &now
	if o.Type == LinkInvite {
		user.InvitedAt = &now
	}
	if user.RawUserMetaData, err = o.Metadata.applyNew(nil); err != nil {
		return User{}, false, err
	}
	return user, true, createUser(ctx, q, user)
}

// requestOrdered requests the token of an order.
func (s *Service) requestOrdered(
	ctx context.Context, q *db.Queries, request uuid.UUID, user User, o checkedOrder,
) error {
	redirectTo := s.redirect(o.RedirectTo)
	switch o.Type {
	case LinkEmailChange, LinkEmailChangeCurrent:
		return s.requestOrderedChange(ctx, q, request, user, o)
	case LinkSignUp:
		metadata, err := o.Metadata.applyNew(user.RawUserMetaData)
		if err != nil {
			return err
		}
		requested, err := q.RequestSignUp(ctx, db.RequestSignUpParams{
			ID: request, Email: o.Email, RedirectTo: redirectTo, LifetimeSeconds: linkLifetime.Seconds(),
			PasswordHash: deref(o.passwordHash), UserMetadata: metadata,
		})
		if err == nil && requested == 0 {
			return ErrEmailTaken // by an account that awaits no proof, or is banned
		}
		return err
	}
	lifetime := linkLifetime
	if o.Type == LinkInvite {
		lifetime = inviteLifetime
	}
	return q.RequestUserToken(ctx, db.RequestUserTokenParams{
		ID: request, UserID: user.ID, TokenType: string(o.Type), RedirectTo: redirectTo,
		LifetimeSeconds: lifetime.Seconds(),
	})
}

// requestOrderedChange requests the token for one of the two addresses of a change. Until the other one is
// ordered as well, its request stands in for it without a token, so that one link alone changes nothing.
func (s *Service) requestOrderedChange(
	ctx context.Context, q *db.Queries, request uuid.UUID, user User, o checkedOrder,
) error {
	_, err := q.GetUserByEmail(ctx, o.NewEmail)
	if err == nil {
		return ErrEmailTaken
	}
	if !errors.Is(err, db.ErrNotFound) {
		return err
	}
	begun, err := q.HasEmailChange(ctx, db.HasEmailChangeParams{
		UserID: user.ID, TokenType: string(o.Type), Email: o.NewEmail,
	})
	if err != nil {
		return err
	}
	order := func(id uuid.UUID, t LinkType) error {
		return q.RequestUserToken(ctx, db.RequestUserTokenParams{
			ID: id, UserID: user.ID, TokenType: string(t), RelatesTo: o.NewEmail,
			RedirectTo: s.redirect(o.RedirectTo), LifetimeSeconds: linkLifetime.Seconds(),
		})
	}
	if err := order(request, o.Type); err != nil || begun {
		return err
	}
	if err := q.SetEmailChange(ctx, db.SetEmailChangeParams{ID: user.ID, Email: o.NewEmail}); err != nil {
		return err
	}
	other := LinkEmailChange
	if o.Type == LinkEmailChange {
		other = LinkEmailChangeCurrent
	}
	standIn := uuid.New()
	if err := order(standIn, other); err != nil {
		return err
	}
	return q.WithholdToken(ctx, standIn)
}
