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
	// Send sends a mail. Its error is a *mail.PermanentError where trying again is of no use.
	Send(ctx context.Context, m mail.Message) error
}

// Accounts are the activities that mail people about their accounts. Their methods are registered with Temporal by name.
type Accounts struct {
	store     *db.Store
	sender    accountSender
	publicURL string
	log       *slog.Logger
}

// NewAccounts makes the activities. All dependencies are required; links begin with publicURL.
func NewAccounts(store *db.Store, sender accountSender, publicURL string, log *slog.Logger) (*Accounts, error) {
	if store == nil || sender == nil || publicURL == "" || log == nil {
		return nil, errors.New("activities: a dependency of Accounts is missing")
	}
	return &Accounts{store: store, sender: sender, publicURL: publicURL, log: log}, nil
}

// MailAccountLinkInput names a row of auth.one_time_tokens.
type MailAccountLinkInput struct{ RequestID uuid.UUID }

// MailAccountLinkResult says whether there was anybody to mail.
type MailAccountLinkResult struct{ Sent bool }

// MailAccountLink mints the token that was asked for, stores its hash, and mails the link: all within this activity, so that the token is nowhere else. A repetition
// mints anew, and the link that may have gone out before stops working; its key is the request's id. A request without a row, because the address is nobody's
// or the link was replaced or used, is done at once.
func (a *Accounts) MailAccountLink(ctx context.Context, in MailAccountLinkInput) (MailAccountLinkResult, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	token := base64.RawURLEncoding.EncodeToString(secret)
	hash := sha256.Sum256([]byte(token))
	var row db.MintTokenRow
	err := a.store.AsService(ctx, func(q *db.Queries) (err error) {
		row, err = q.MintToken(ctx, db.MintTokenParams{ID: in.RequestID, TokenHash: hash[:]})
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return MailAccountLinkResult{}, nil
	}
	if err != nil {
		a.log.ErrorContext(ctx, "one-time token not minted", "request_id", in.RequestID, "error", err)
		return MailAccountLinkResult{}, dbError("mint the token", err)
	}
	to := row.Email
	if row.RelatesTo != "" {
		to = row.RelatesTo
	}
	link := a.publicURL + "/auth/v1/verify?" + url.Values{"token": {token}, "type": {row.TokenType}}.Encode()
	message, err := mail.Account(row.TokenType, to, link, lasting(time.Until(row.ExpiresAt)))
	if err == nil {
		err = a.sender.Send(ctx, message)
	}
	if err != nil {
		a.log.WarnContext(ctx, "account mail not sent", "request_id", in.RequestID, "error", err)
		return MailAccountLinkResult{}, mailError(err)
	}
	return MailAccountLinkResult{Sent: true}, nil
}

// lasting says a duration as people do.
func lasting(d time.Duration) string {
	switch {
	case d > 36*time.Hour:
		return fmt.Sprintf("%d days", int(d.Round(24*time.Hour).Hours())/24)
	case d > 90*time.Minute:
		return fmt.Sprintf("%d hours", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Round(time.Minute).Minutes()))
}
