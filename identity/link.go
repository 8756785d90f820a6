package identity

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// A LinkType is the purpose of a link in a mail. It is the column auth.one_time_tokens.token_type and
// GoTrue's type.
type LinkType string

// The types of links.
const (
	LinkSignUp      LinkType = "signup"
	LinkInvite      LinkType = "invite"
	LinkRecovery    LinkType = "recovery"
	LinkMagic       LinkType = "magiclink"
	LinkEmailChange LinkType = "email_change" // mailed to the new address

	// LinkEmailChangeCurrent is mailed to the current address. Clients know both links as LinkEmailChange.
	LinkEmailChangeCurrent LinkType = "email_change_current"
)

// The lifetimes of links: an hour, as in GoTrue, and a week for a person who does not expect the mail.
const (
	linkLifetime   = time.Hour
	inviteLifetime = 7 * 24 * time.Hour
)

// A LinkRequest is a request for a mail with a link.
type LinkRequest struct {
	Email      string
	RedirectTo string // where the link leads; see REDIRECT_URLS
	Challenge  CodeChallenge
}

// RequestRecovery mails a link for setting a new password. It does the same for known and unknown addresses.
// Errors: ErrInvalidEmail, *LimitError.
func (s *Service) RequestRecovery(ctx context.Context, client Client, r LinkRequest) error {
	return s.requestLink(ctx, client, r, LinkRecovery)
}

// ResendConfirmation mails the link of a sign-up again. It does not reveal whether the account needs one.
// Errors: ErrInvalidEmail, *LimitError.
func (s *Service) ResendConfirmation(ctx context.Context, client Client, r LinkRequest) error {
	return s.requestLink(ctx, client, r, LinkSignUp)
}

func typeNames(types []LinkType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return names
}

// requestLink requests a link of the types signup or recovery.
func (s *Service) requestLink(ctx context.Context, client Client, r LinkRequest, linkType LinkType) error {
	email, err := parseEmail(r.Email)
	if err != nil {
		return err
	}
	if err := s.limits.mail(client, email); err != nil {
		return err
	}
	request, redirectTo := uuid.New(), s.redirect(r.RedirectTo)
	err = s.store.AsService(ctx, func(q *db.Queries) (err error) {
		var requested int64
		if linkType == LinkSignUp {
			requested, err = q.RequestSignUpAgain(ctx, db.RequestSignUpAgainParams{
				ID: request, Email: email, RedirectTo: redirectTo, LifetimeSeconds: linkLifetime.Seconds(),
			})
		} else {
			requested, err = q.RequestToken(ctx, db.RequestTokenParams{
				ID: request, Email: email, TokenType: string(linkType), RedirectTo: redirectTo,
				LifetimeSeconds: linkLifetime.Seconds(),
			})
		}
		if err != nil {
			return err
		}
		if err := bindLink(ctx, q, request, r.Challenge); err != nil {
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

// requestEmailChange prepares the mails of the links to the current and to the new address, and returns their
// requests. Its error is ErrEmailTaken.
func (s *Service) requestEmailChange(
	ctx context.Context, q *db.Queries, session uuid.UUID, user User, change LinkRequest,
) (requests []uuid.UUID, err error) {
	_, err = q.GetUserByEmail(ctx, change.Email)
	if err == nil {
		return nil, ErrEmailTaken
	}
	if !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err := q.SetEmailChange(ctx, db.SetEmailChangeParams{ID: user.ID, Email: change.Email}); err != nil {
		return nil, err
	}
	types := []LinkType{LinkEmailChange}
	if user.EmailConfirmedAt != nil {
		types = []LinkType{LinkEmailChangeCurrent, LinkEmailChange}
	}
	for _, t := range types {
		request := uuid.New()
		if err := q.RequestUserToken(ctx, db.RequestUserTokenParams{
			ID: request, UserID: user.ID, TokenType: string(t), RelatesTo: change.Email, SessionID: &session,
			RedirectTo: s.redirect(change.RedirectTo), LifetimeSeconds: linkLifetime.Seconds(),
		}); err != nil {
			return nil, err
		}
		if err := bindLink(ctx, q, request, change.Challenge); err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
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
	Session    Session // zero if there is a Code, or OtherLink is set
	Code       string  // for ExchangeCode
	Type       LinkType
	RedirectTo string // an allowed address
	// OtherLink means that nothing has changed yet: the link to the other address must be followed as well.
	OtherLink bool
}

// usedBy is how a link is used.
type usedBy int

const (
	byClient  usedBy = iota // with the token of the link
	byBrowser               // with the token, by the page that the link leads to
	byCode                  // with the code beside the link
)

// UseLink consumes the token of a link, applies the link, and begins a session. The link must be of one of
// the types. Errors: ErrInvalidLink, ErrBanned, ErrEmailTaken.
func (s *Service) UseLink(
	ctx context.Context, client Client, secret string, types []LinkType,
) (UsedLink, error) {
	return s.useLink(ctx, client, hashSecret(secret), types, byClient)
}

func (s *Service) useLink(
	ctx context.Context, client Client, tokenHash []byte, types []LinkType, by usedBy,
) (UsedLink, error) {
	var challenge CodeChallenge
	var applied appliedLink
	token, err := db.AsService(ctx, s.store, func(q *db.Queries) (token db.UseTokenRow, err error) {
		if challenge, err = challengeOf(ctx, q, tokenHash); err != nil {
			return token, err
		}
		use := db.UseTokenParams{TokenHash: tokenHash, TokenTypes: typeNames(types)}
		if token, err = q.UseToken(ctx, use); err != nil {
			return token, err
		}
		applied, err = s.applyLink(ctx, q, token, by)
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
	if applied.otherLink {
		used.OtherLink = true
		return used, nil
	}
	method := methodLink
	if used.Type == LinkRecovery {
		method = methodRecovery
	}
	s.forget(applied.user.ID, applied.ended)
	if by == byBrowser && challenge != (CodeChallenge{}) {
		used.Code, err = s.issueCode(ctx, issuedCode{user: applied.user.ID, method: method, challenge: challenge})
		return used, err
	}
	// The session has a transaction of its own, so that it begins for the user as it is after the change.
	used.Session, err = s.beginSession(ctx, client, applied.user, method, "login", nil)
	return used, err
}

// An appliedLink is the result of applying a link.
type appliedLink struct {
	user  User // as it is afterwards
	ended endedAccess
	// otherLink means that the link to the other address must be followed as well.
	otherLink bool
}

// applyLink applies a link.
func (s *Service) applyLink(
	ctx context.Context, q *db.Queries, token db.UseTokenRow, by usedBy,
) (a appliedLink, err error) {
	user, err := lockUser(ctx, q, *token.UserID)
	if err != nil {
		return a, err
	}
	if user.banned(s.now()) {
		return a, ErrBanned
	}
	switch linkType := LinkType(token.TokenType); {
	case linkType == LinkEmailChange || linkType == LinkEmailChangeCurrent:
		a, err = changeAddress(ctx, q, user, token)
	case user.EmailConfirmedAt == nil:
		a.ended, err = proveAddress(ctx, q, user, token, by)
	}
	if err != nil || a.otherLink {
		return a, err
	}
	// Other links of the user may have been sent to a former address.
	if err := q.DeleteUserTokens(ctx, user.ID); err != nil {
		return a, err
	}
	a.user, err = getUser(ctx, q, user.ID)
	return a, err
}

// changeAddress changes a user's address, once the links to both addresses were followed. It ends the other
// sessions, and notifies the former address.
func changeAddress(
	ctx context.Context, q *db.Queries, user User, token db.UseTokenRow,
) (a appliedLink, err error) {
	other := LinkEmailChangeCurrent
	if LinkType(token.TokenType) == LinkEmailChangeCurrent {
		other = LinkEmailChange
	}
	a.otherLink, err = q.HasToken(ctx, db.HasTokenParams{UserID: user.ID, TokenType: string(other)})
	if err != nil || a.otherLink {
		return a, err
	}
	if err := notify(ctx, q, user, NoticeEmailChanged, nil); err != nil {
		return a, err
	}
	change := db.ApplyEmailChangeParams{ID: user.ID, Email: token.RelatesTo}
	if err := q.ApplyEmailChange(ctx, change); err != nil {
		return a, err
	}
	a.ended, err = endAccess(ctx, q, user.ID, token.SessionID)
	return a, err
}

// proveAddress records that the owner of the user's address followed a link, and returns what it ended.
//
// Anybody can sign up with an address that is not theirs, before its owner does. So the password, the
// sessions, the personal access tokens, the identities and the second factors of the account stay only if the
// link is that of the account's own sign-up, and nobody else has signed up with the address meanwhile. The
// password of a sign-up counts with the link of that sign-up. A code is typed, and may be that of another
// mail: it puts a password in force only if there is no other.
func proveAddress(
	ctx context.Context, q *db.Queries, user User, token db.UseTokenRow, by usedBy,
) (ended endedAccess, err error) {
	contested, err := q.HasPendingSignUp(ctx, user.ID)
	if err != nil {
		return ended, err
	}
	signsUp := token.PasswordHash != nil
	if signsUp && (by != byCode || !contested && user.EncryptedPassword == nil) {
		err := q.ConfirmSignUp(ctx, db.ConfirmSignUpParams{
			ID: user.ID, PasswordHash: *token.PasswordHash, UserMetadata: object(token.UserMetadata),
		})
		if err != nil {
			return ended, err
		}
		return endUnproven(ctx, q, user.ID)
	}
	signedUp := user.ConfirmationSentAt != nil // otherwise an operator added the user with the password
	keep := !signsUp && (!signedUp || LinkType(token.TokenType) == LinkSignUp && !contested)
	metadata := token.UserMetadata
	if signsUp {
		metadata = nil // it may be somebody else's, as the password
	}
	err = q.ConfirmAddress(ctx, db.ConfirmAddressParams{
		ID: user.ID, KeepPassword: keep, UserMetadata: metadata,
	})
	if err != nil || keep {
		return ended, err
	}
	return endUnproven(ctx, q, user.ID)
}

// endUnproven ends every access to an account that somebody had before its address was proven, except the
// password. A second factor would keep the owner out.
func endUnproven(ctx context.Context, q *db.Queries, user uuid.UUID) (ended endedAccess, err error) {
	none := db.DeleteLaterFactorsParams{UserID: user, Factors: json.RawMessage(`[]`)}
	if err := q.DeleteLaterFactors(ctx, none); err != nil {
		return ended, err
	}
	if err := q.DeleteRecoveryCodes(ctx, user); err != nil {
		return ended, err
	}
	if err := q.ForgetCodeFailures(ctx, user); err != nil {
		return ended, err
	}
	if err := q.DeleteIdentities(ctx, user); err != nil {
		return ended, err
	}
	providers := db.SetProvidersParams{UserID: user, WithEmail: true}
	if err := q.SetProviders(ctx, providers); err != nil {
		return ended, err
	}
	return endAccess(ctx, q, user, nil)
}
