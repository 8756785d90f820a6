package identity

import (
	"context"

	"github.com/google/uuid"

	"research/db"
)

// An endedAccess is what cannot be used any more.
type endedAccess struct{ sessions, tokens []uuid.UUID }

// endAccess ends all sessions of a user except one, which may be nil, and the codes that could begin one. It
// also ends what apps and scripts have: their sessions, what the user has allowed to apps, requests of apps
// and their codes, and personal access tokens. Callers hold the lock of the user, so that no code is being
// exchanged.
func endAccess(
	ctx context.Context, q *db.Queries, user uuid.UUID, keep *uuid.UUID,
) (ended endedAccess, err error) {
	sessions := db.DeleteUserSessionsParams{UserID: user, Keep: keep}
	if err := q.DeleteUserFlows(ctx, user); err != nil {
		return ended, err
	}
	if ended.sessions, err = q.DeleteUserSessions(ctx, sessions); err != nil {
		return ended, err
	}
	ended.tokens, err = q.DeleteUserAccess(ctx, user)
	return ended, err
}
