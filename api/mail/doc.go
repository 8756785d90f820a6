// Package mail serves /api/mail/events, where a mail relay reports mails that bounced after it had accepted
// them, and recipients who complained.
//
// It reads a JSON form of its own, the notifications of Amazon SES, the webhooks of Postmark, and delivery
// status notifications (RFC 3464). Addresses that bounce permanently, and those whose owner complained, get
// no more digests. Only a relay that presents MAIL_EVENTS_SECRET may call it. No address is logged or
// returned.
package mail
