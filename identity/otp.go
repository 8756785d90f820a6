package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"math/big"

	"github.com/google/uuid"

	"research/db"
)

// A MagicLinkRequest is a request for a mail with a link and a code that sign in.
type MagicLinkRequest struct {
	LinkRequest
	// CreateUser creates an account if the address has none and may sign up.
	CreateUser bool
	Metadata   Metadata // of an account whose address is not proven yet
}

// RequestMagicLink mails a link and a code that begin a session. It does the same for known and unknown
// addresses, and also where only known ones get the mail: without CreateUser, or if sign-up is not open to
// the address. GoTrue reveals then that there is no account.
//
// The address is proven by the first use. As with a recovery, that invalidates the password of an account
// whose address was not proven.
//
// Errors: ErrInvalidEmail, those of metadata, *LimitError.
func (s *Service) RequestMagicLink(ctx context.Context, client Client, r MagicLinkRequest) error {
	email, err := parseEmail(r.Email)
	if err != nil {
		return err
	}
	metadata, err := r.Metadata.apply(nil)
	if err != nil {
		return err
	}
	if err := s.limits.mail(client, email); err != nil {
		return err
	}
	request := uuid.New()
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		added, err := s.addByMail(ctx, q, email, r.CreateUser)
		if err != nil {
			return err
		}
		requested, err := q.RequestToken(ctx, db.RequestTokenParams{
			ID: request, Email: email, TokenType: string(LinkMagic), RedirectTo: s.redirect(r.RedirectTo),
			LifetimeSeconds: linkLifetime.Seconds(),
		})
		if err != nil {
			return err
		}
		if metadata != nil {
			set := db.SetTokenMetadataParams{ID: request, UserMetadata: metadata}
			if err := q.SetTokenMetadata(ctx, set); err != nil {
				return err
			}
		}
		if err := bindLink(ctx, q, request, r.Challenge); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "mail_requested", address: client.Address,
			traits: map[string]any{"type": LinkMagic, "known": requested > 0, "new": added},
		})
	})
	if err != nil {
		return err
	}
	return s.mail.SendAccountMail(ctx, request)
}

// addByMail adds a user without a password, unless the address is taken or may not sign up.
func (s *Service) addByMail(ctx context.Context, q *db.Queries, email string, wanted bool) (bool, error) {
	if !wanted || s.cfg.SignUpDisabled() || !s.cfg.allowsDomain(email) {
		return false, nil
	}
	now := s.now()
	user := newUser(email, now)
	added, err := q.AddUser(ctx, db.AddUserParams{
		ID: user.ID, Email: email, ConfirmationSentAt: &now, CreatedAt: &now,
		RawAppMetaData: user.RawAppMetaData, RawUserMetaData: object(nil),
	})
	return added > 0, err
}

// NewToken returns a random token of a link, and its stored form.
func NewToken() (token string, hash []byte) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	token = base64.RawURLEncoding.EncodeToString(secret)
	return token, hashSecret(token)
}

// NewCode returns a random code of six digits, as GoTrue has them, and its stored form for a request.
func NewCode(request uuid.UUID) (code string, hash []byte) {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails, see crypto/rand
	code = fmt.Sprintf("%06d", n)
	return code, CodeHash(request, code)
}

// UseCode is UseLink for the code beside the link, with the address to which both were mailed. After five
// wrong codes only the link works. A wrong code counts as a failed sign-in, whether the address is known or
// not.
//
// Errors: ErrInvalidEmail, ErrWrongMailedCode, *LimitError, those of UseLink.
func (s *Service) UseCode(
	ctx context.Context, client Client, email, code string, types []LinkType,
) (UsedLink, error) {
	email, err := parseEmail(email)
	if err != nil {
		return UsedLink{}, err
	}
	attempt, err := s.limits.signIn(client, email)
	if err != nil {
		return UsedLink{}, err
	}
	account, err := s.findAccount(ctx, client, email)
	if err == nil && !account.knownNetwork {
		if err := s.limits.signInElsewhere(&attempt, email); err != nil {
			return UsedLink{}, err
		}
	}
	var tokenHash []byte
	if err == nil {
		tokenHash, err = s.tryLinkCode(ctx, email, code, types)
	}
	if err == nil && tokenHash == nil {
		return UsedLink{}, ErrWrongMailedCode
	}
	attempt.refund() // neither a correct code nor an internal error is a guess
	if err != nil {
		return UsedLink{}, err
	}
	return s.useLink(ctx, client, tokenHash, types, byCode)
}

// tryLinkCode returns the hash of the token beside a mailed code, or nil if the code is wrong.
func (s *Service) tryLinkCode(
	ctx context.Context, email, code string, types []LinkType,
) (tokenHash []byte, err error) {
	// This is a transaction of its own, so that a wrong code is counted.
	tried, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]db.TryLinkCodeRow, error) {
		return q.TryLinkCode(ctx, db.TryLinkCodeParams{
			Email: email, TokenTypes: typeNames(types), Maximum: maxCodeAttempts,
		})
	})
	for _, row := range tried {
		if subtle.ConstantTimeCompare(row.CodeHash, CodeHash(row.ID, code)) == 1 {
			tokenHash = row.TokenHash
		}
	}
	return tokenHash, err
}
