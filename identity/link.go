package identity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// A LinkType says what a link in a mail is for. It is the column auth.one_time_tokens.token_type and GoTrue's
// type.
type LinkType string

// The types of links.
const (
	LinkSignUp      LinkType = "signup"
	LinkInvite      LinkType = "invite"
	LinkRecovery    LinkType = "recovery"
	LinkEmailChange LinkType = "email_change"
)

// The lifetimes of links: GoTrue's hour, and a week for a person who does not expect the mail.
const (
	linkLifetime   = time.Hour
	inviteLifetime = 7 * 24 * time.Hour
)

// A LinkRequest asks for a mail with a link.
type LinkRequest struct {
	Email      string
	RedirectTo string // where the link leads; see REDIRECT_URLS
}

// RequestRecovery mails a link for setting a new password. It does the same for known and unknown addresses.
// Errors: ErrInvalidEmail, *LimitError.
func (s *Service) RequestRecovery(ctx context.Context, client Client, r LinkRequest) error {
	return s.requestLink(ctx, client, r, LinkRecovery)
}

// ResendConfirmation mails the link of a sign-up again. It does not reveal whether one is awaited.
// Errors: ErrInvalidEmail, *LimitError.
func (s *Service) ResendConfirmation(ctx context.Context, client Client, r LinkRequest) error {
	return s.requestLink(ctx, client, r, LinkSignUp)
}

func (s *Service) requestLink(ctx context.Context, client Client, r LinkRequest, linkType LinkType) error {
	email, err := parseEmail(r.Email)
	if err != nil {
		return err
	}
	if err := s.limits.mail(client, email); err != nil {
		return err
	}
	request := uuid.New()
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		requested, err := q.RequestToken(ctx, db.RequestTokenParams{
			ID: request, Email: email, TokenType: string(linkType), RedirectTo: s.redirect(r.RedirectTo),
			LifetimeSeconds: linkLifetime.Seconds(), OnlyUnconfirmed: linkType == LinkSignUp,
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "mail_requested", address: client.Address,
			traits: map[string]any{"type": linkType, "known": requested > 0},
		})
	})
	if err != nil {
		return err
	}
	return s.mail.SendAccountMail(ctx, request)
}

// requestEmailChange prepares the mail of a link to a new address. Its error is ErrEmailTaken.
func (s *Service) requestEmailChange(
	ctx context.Context, q *db.Queries, user uuid.UUID, change LinkRequest, request uuid.UUID,
) error {
	_, err := q.GetUserByEmail(ctx, change.Email)
	if err == nil {
		return ErrEmailTaken
	}
	if !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := q.SetEmailChange(ctx, db.SetEmailChangeParams{ID: user, Email: change.Email}); err != nil {
		return err
	}
	return q.RequestUserToken(ctx, db.RequestUserTokenParams{
		ID: request, UserID: user, TokenType: string(LinkEmailChange), RelatesTo: change.Email,
		RedirectTo: s.redirect(change.RedirectTo), LifetimeSeconds: linkLifetime.Seconds(),
	})
}

// CheckLink checks the token of a link without using it. The link must be of one of the types.
// Its error is ErrInvalidLink.
func (s *Service) CheckLink(ctx context.Context, secret string, types []LinkType) error {
	found, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.FindTokenRow, error) {
		return q.FindToken(ctx, hashSecret(secret))
	})
	if errors.Is(err, db.ErrNotFound) {
		return ErrInvalidLink
	}
	if err == nil && (!found.Valid || !slices.Contains(types, LinkType(found.TokenType))) {
		return ErrInvalidLink
	}
	return err
}

// A UsedLink is the result of following a link.
type UsedLink struct {
	Session    Session
	Type       LinkType
	RedirectTo string // an allowed address
}

// UseLink uses the token of a link up, does what the link is for, and begins a session. The link must be of
// one of the types. Errors: ErrInvalidLink, ErrBanned, ErrEmailTaken.
func (s *Service) UseLink(
	ctx context.Context, client Client, secret string, types []LinkType,
) (UsedLink, error) {
	var user User
	token, err := db.AsService(ctx, s.store, func(q *db.Queries) (token db.UseTokenRow, err error) {
		use := db.UseTokenParams{TokenHash: hashSecret(secret)}
		for _, t := range types {
			use.TokenTypes = append(use.TokenTypes, string(t))
		}
		if token, err = q.UseToken(ctx, use); err != nil {
			return token, err
		}
		user, err = s.applyLink(ctx, q, token)
		return token, err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return UsedLink{}, ErrInvalidLink
	case db.Constraint(err) == db.ConstraintUserEmail:
		return UsedLink{}, ErrEmailTaken
	case err != nil:
		return UsedLink{}, err
	}
	used := UsedLink{Type: LinkType(token.TokenType), RedirectTo: s.redirect(token.RedirectTo)}
	method := methodLink
	if used.Type == LinkRecovery {
		method = methodRecovery
	}
	// The session has a transaction of its own, so that it begins for the user as it is after the change.
	used.Session, err = s.beginSession(ctx, client, user, method, "login", nil)
	return used, err
}

// applyLink does what a link is for, and returns the user as it is then.
func (s *Service) applyLink(ctx context.Context, q *db.Queries, token db.UseTokenRow) (User, error) {
	user, err := lockUser(ctx, q, token.UserID)
	if err != nil {
		return User{}, err
	}
	if user.banned(s.now()) {
		return User{}, ErrBanned
	}
	switch {
	case LinkType(token.TokenType) == LinkEmailChange:
		err = q.ApplyEmailChange(ctx, db.ApplyEmailChangeParams{ID: user.ID, Email: token.RelatesTo})
	case user.EmailConfirmedAt == nil:
		now := s.now()
		err = q.UpdateUser(ctx, db.UpdateUserParams{ID: user.ID, EmailConfirmedAt: &now})
	}
	if err != nil {
		return User{}, err
	}
	// Other links of the user were sent to what may be a former address now.
	if err := q.DeleteUserTokens(ctx, user.ID); err != nil {
		return User{}, err
	}
	return getUser(ctx, q, user.ID)
}
