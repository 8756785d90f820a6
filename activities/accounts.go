package activities

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"

	"research/activities/mail"
	"research/db"
)

// accountSender sends mails; *mail.Sender is one.
type accountSender interface {
	// Send sends a mail. Its error is a *mail.PermanentError if it cannot succeed later.
	Send(ctx context.Context, m mail.Message) error
}

// Accounts are the activities that mail users about their accounts. Their methods are registered with
// Temporal by name.
type Accounts struct {
	store     *db.Store
	sender    accountSender
	publicURL string
	log       *slog.Logger
}

// NewAccounts returns the activities. All dependencies are required; links begin with publicURL.
func NewAccounts(
	store *db.Store, sender accountSender, publicURL string, log *slog.Logger,
) (*Accounts, error) {
	if store == nil || sender == nil || publicURL == "" || log == nil {
		return nil, errors.New("activities: a dependency of Accounts is missing")
	}
	return &Accounts{store: store, sender: sender, publicURL: publicURL, log: log}, nil
}

// MailAccountLinkInput names a row of auth.one_time_tokens by its id.
type MailAccountLinkInput struct{ RequestID uuid.UUID }

// MailAccountLinkResult reports whether a mail was sent.
type MailAccountLinkResult struct{ Sent bool }

// MailAccountLink makes the token of a request, stores its hash and mails the link. All of it happens in this
// activity, so that the token exists nowhere else. It returns at once if the request has no row, because the
// address has no account or the link was replaced or used.
//
// Its idempotency key is the request's id. A retry makes a new token, and a link that was already sent stops
// working.
func (a *Accounts) MailAccountLink(
	ctx context.Context, in MailAccountLinkInput,
) (MailAccountLinkResult, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	token := base64.RawURLEncoding.EncodeToString(secret)
	hash := sha256.Sum256([]byte(token))
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (db.MintTokenRow, error) {
		return q.MintToken(ctx, db.MintTokenParams{ID: in.RequestID, TokenHash: hash[:]})
	})
	if errors.Is(err, db.ErrNotFound) {
		return MailAccountLinkResult{}, nil
	}
	if err != nil {
		return MailAccountLinkResult{}, failed(ctx, a.log, "store the token", err, "request_id", in.RequestID)
	}
	to := row.Email
	if row.RelatesTo != "" { // the new address of an account
		to = row.RelatesTo
	}
	link := a.publicURL + "/auth/v1/verify?" + url.Values{"token": {token}, "type": {row.TokenType}}.Encode()
	message, err := mail.Account(row.TokenType, to, link, describeDuration(time.Until(row.ExpiresAt)))
	if err == nil {
		err = a.sender.Send(ctx, message)
	}
	if err != nil {
		a.log.WarnContext(ctx, "account mail not sent", "request_id", in.RequestID, "error", err)
		return MailAccountLinkResult{}, mailError(err)
	}
	return MailAccountLinkResult{Sent: true}, nil
}

// describeDuration writes a duration in words: "30 minutes", "2 hours", "7 days".
func describeDuration(d time.Duration) string {
	switch {
	case d > 36*time.Hour:
		return fmt.Sprintf("%d days", int(d.Round(24*time.Hour).Hours())/24)
	case d > 90*time.Minute:
		return fmt.Sprintf("%d hours", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Round(time.Minute).Minutes()))
}
