// Package notifications serves /api/notifications: the endpoint where a scheduler triggers digests, the
// preview of a member's own digest, and the link with which a recipient unsubscribes.
//
// The endpoint requires CRON_SECRET and has no user. The preview requires a signed-in user. The link requires
// no sign-in (RFC 8058): its token names the user and the list, and grants nothing else.
package notifications
