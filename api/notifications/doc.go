// Package notifications serves /api/notifications: the endpoint at which a scheduler has digests sent, and
// the link with which a recipient unsubscribes from them.
//
// The endpoint requires CRON_SECRET and has no user. The link requires no sign-in (RFC 8058): its token names
// the user and the list, and grants nothing else.
package notifications
