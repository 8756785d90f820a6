// Package notifications is /api/notifications: the endpoint by which a scheduler has the digests sent, and the link by which a recipient stops them.
//
// The endpoint knows no user: it is opened by CRON_SECRET. The link needs no sign-in (RFC 8058): its token says who is taken off which list, and lets do nothing else.
package notifications
