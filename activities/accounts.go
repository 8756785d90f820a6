package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"

	"research/activities/mail"
	"research/db"
	"research/identity"
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

// MailAccountLink makes the token and the code of a request, stores their hashes and mails the link with the
// code. For reauthentication there is only the code, for workspace_invitation only the link. All of it
// happens in this activity, so that both exist nowhere else. It returns at once if there is nothing to send:
// the address has no account, the link was sent, replaced or used, it has expired, or the address got too
// many invitations today.
//
// Its idempotency key is the request's id, whose row tells that the mail was accepted, or refused for good. A
// retry after a failure makes a new token; a mail that arrived nevertheless has a link that does not work.
func (a *Accounts) MailAccountLink(
	ctx context.Context, in MailAccountLinkInput,
) (MailAccountLinkResult, error) {
	defer heartbeat(ctx, nil)()
	token, hash := identity.NewToken()
	code, codeHash := identity.NewCode(in.RequestID)
	var mayBeSent bool
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (db.MintTokenRow, error) {
		var err error
		if mayBeSent, err = q.CountInvitationMail(ctx, in.RequestID); err != nil || !mayBeSent {
			return db.MintTokenRow{}, err
		}
		return q.MintToken(ctx, db.MintTokenParams{
			ID: in.RequestID, TokenHash: hash, CodeHash: codeHash,
		})
	})
	if errors.Is(err, db.ErrNotFound) {
		return MailAccountLinkResult{}, nil
	}
	if err != nil {
		return MailAccountLinkResult{}, failed(ctx, a.log, "store the token", err, "request_id", in.RequestID)
	}
	if !mayBeSent {
		return MailAccountLinkResult{}, nil
	}
	message, err := a.message(row, token, code)
	if err == nil {
		err = a.sender.Send(ctx, message)
	}
	if err != nil {
		a.log.WarnContext(ctx, "account mail not sent", "request_id", in.RequestID, "error", err)
		if !isRefused(err) {
			return MailAccountLinkResult{}, mailError(err)
		}
		if err := a.record(ctx, "refused", in.RequestID, (*db.Queries).MarkMailRefused); err != nil {
			return MailAccountLinkResult{}, err
		}
		return MailAccountLinkResult{}, mailError(err)
	}
	err = a.record(ctx, "sent", in.RequestID, (*db.Queries).MarkMailSent)
	return MailAccountLinkResult{Sent: err == nil}, err
}

// recordTimeout bounds the statement that records what became of a mail.
const recordTimeout = 10 * time.Second

// record records what became of a mail, even if the attempt has just been canceled.
func (a *Accounts) record(
	ctx context.Context, fate string, id uuid.UUID, write func(*db.Queries, context.Context, uuid.UUID) error,
) error {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := a.store.AsService(writing, func(q *db.Queries) error { return write(q, writing, id) })
	if err != nil {
		return failed(ctx, a.log, "record that the mail was "+fate, err, "id", id)
	}
	return nil
}

func (a *Accounts) message(row db.MintTokenRow, token, code string) (mail.Message, error) {
	validity := describeDuration(time.Until(row.ExpiresAt))
	to, kind := row.Email, row.TokenType
	switch kind {
	case "reauthentication":
		return mail.AccountCode(to, code, validity)
	case "email_change":
		to = row.RelatesTo
	case "workspace_invitation":
		code = ""
	case "signup":
		if row.RelatesTo != "" {
			kind = mail.KindProviderSignUp
		}
	}
	return mail.Account(to, mail.Link{
		Kind: kind, URL: a.link(row, token), Code: code, Inviter: row.Inviter, Validity: validity,
	})
}

// link returns the address to follow. That of an invitation is the page's: the token is in the fragment,
// which browsers do not send, and used when a signed-in user accepts.
func (a *Accounts) link(row db.MintTokenRow, token string) string {
	if row.InvitationID != nil {
		fragment := url.Values{"invitation": {row.InvitationID.String()}, "invitation_token": {token}}
		return a.publicURL + "/#" + fragment.Encode()
	}
	linkType := row.TokenType
	if linkType == "email_change_current" {
		linkType = "email_change" // clients know one type for both
	}
	return a.publicURL + "/auth/v1/verify?" + url.Values{"token": {token}, "type": {linkType}}.Encode()
}

// MailAccountNoticeInput names a row of auth.notices by its id.
type MailAccountNoticeInput struct{ NoticeID uuid.UUID }

// MailAccountNoticeResult reports whether a mail was sent.
type MailAccountNoticeResult struct{ Sent bool }

// MailAccountNotice tells a user of a change of the account, with a link that undoes it. As in
// MailAccountLink, only the hash of the link's token is stored. Its idempotency key is the notice's id, whose
// row is deleted once the mail was sent, or refused for good. A retry after a failure between the two sends
// the mail again, with another link.
func (a *Accounts) MailAccountNotice(
	ctx context.Context, in MailAccountNoticeInput,
) (MailAccountNoticeResult, error) {
	defer heartbeat(ctx, nil)()
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (db.GetNoticeRow, error) {
		return q.GetNotice(ctx, in.NoticeID)
	})
	if errors.Is(err, db.ErrNotFound) {
		return MailAccountNoticeResult{}, nil
	}
	if err != nil {
		return MailAccountNoticeResult{}, failed(ctx, a.log, "load the notice", err, "notice_id", in.NoticeID)
	}
	undo, err := a.undoLink(ctx, in.NoticeID, row.Kind)
	if err != nil {
		return MailAccountNoticeResult{}, failed(ctx, a.log, "store the token", err, "notice_id", in.NoticeID)
	}
	message, err := mail.AccountNotice(row.Recipient, undo)
	if err == nil {
		err = a.sender.Send(ctx, message)
	}
	if err != nil {
		a.log.WarnContext(ctx, "account notice not sent", "notice_id", in.NoticeID, "error", err)
		if !isRefused(err) {
			return MailAccountNoticeResult{}, mailError(err)
		}
		if err := a.record(ctx, "refused", in.NoticeID, (*db.Queries).DeleteNotice); err != nil {
			return MailAccountNoticeResult{}, err
		}
		return MailAccountNoticeResult{}, mailError(err)
	}
	err = a.record(ctx, "sent", in.NoticeID, (*db.Queries).DeleteNotice)
	return MailAccountNoticeResult{Sent: err == nil}, err
}

// undoLink makes the token of the link that undoes a change. The link has no URL if the change cannot be
// undone, or was undone already.
func (a *Accounts) undoLink(ctx context.Context, notice uuid.UUID, kind string) (mail.Link, error) {
	token, hash := identity.NewToken()
	expires, err := db.AsService(ctx, a.store, func(q *db.Queries) (time.Time, error) {
		return q.MintUndoLink(ctx, db.MintUndoLinkParams{ID: notice, TokenHash: hash})
	})
	link := mail.Link{Kind: kind}
	if errors.Is(err, db.ErrNotFound) {
		return link, nil
	}
	link.URL = a.publicURL + "/auth/v1/undo?" + url.Values{"token": {token}}.Encode()
	link.Validity = describeDuration(time.Until(expires))
	return link, err
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
