package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"research/db"
)

// webhookRetention is how long finished deliveries of webhooks are kept: thirty times the period of their
// retries.
const webhookRetention = 30 * 24 * time.Hour

// noticeRetention is how long mails about accounts are tried. ListNotices has the same limit.
const noticeRetention = 7 * 24 * time.Hour

// replacedRetention is how long replaced refresh tokens are kept. Meanwhile, presenting one ends the session,
// because it was stolen.
const replacedRetention = 30 * 24 * time.Hour

// deletedRetention is how long imports that members deleted can be restored. The database has the same limit.
const deletedRetention = 24 * time.Hour

// authorizationRetention is how long requests of apps are kept after they have expired. Meanwhile, a code
// that is used again ends the session that it began.
const authorizationRetention = 24 * time.Hour

// personalRetention is how long personal access tokens are kept after they have expired, so that their users
// see in the list which ones have.
const personalRetention = 24 * time.Hour

// clientRetention is how long apps are kept that registered themselves and that nobody uses.
const clientRetention = 30 * 24 * time.Hour

// changeRetention is how long changes of themes can be undone, as private.undo_theme_change says.
const changeRetention = 7 * 24 * time.Hour

// usageRetention is how long it is known what was used on a day, for operators who compare days.
const usageRetention = 30 * 24 * time.Hour

// RetentionConfig holds the retention periods. All fields are required.
type RetentionConfig struct {
	Activity   time.Duration // events of workspaces
	Audit      time.Duration // records of audit logs
	Deliveries time.Duration // of digests, once they are sent, skipped or failed
	Tokens     time.Duration // one-time tokens that expired, and sessions that ended
}

// Retention are the activities that delete old rows. Their methods are registered with Temporal by name.
type Retention struct {
	store *db.Store
	cfg   RetentionConfig
	log   *slog.Logger
}

// NewRetention returns the activities. All dependencies are required.
func NewRetention(store *db.Store, cfg RetentionConfig, log *slog.Logger) (*Retention, error) {
	shortest := min(cfg.Activity, cfg.Audit, cfg.Deliveries, cfg.Tokens)
	if store == nil || log == nil || shortest <= 0 {
		return nil, errors.New("activities: a dependency of Retention is missing")
	}
	return &Retention{store: store, cfg: cfg, log: log}, nil
}

// DeleteOldRowsInput is empty: the settings define what is old.
type DeleteOldRowsInput struct{}

// DeleteOldRowsResult counts the rows that were deleted.
type DeleteOldRowsResult struct {
	ActivityEvents, AuditRecords, DigestDeliveries, OneTimeTokens, RefreshTokens, Sessions int64
	IdempotencyKeys, WebhookDeliveries, Notices, DailyUsage, DeletedImports                int64
	Authorizations, OAuthClients, PersonalTokens, ThemeChanges                             int64
}

// DeleteOldRows deletes what is older than its retention, in batches. A retry continues with the remaining
// rows, so that it needs no idempotency key. Its result omits the rows that earlier attempts deleted.
func (r *Retention) DeleteOldRows(ctx context.Context, _ DeleteOldRowsInput) (DeleteOldRowsResult, error) {
	defer heartbeat(ctx, nil)()
	var result DeleteOldRowsResult
	for _, table := range []struct {
		deleted *int64
		keep    time.Duration
		batch   func(q *db.Queries, before time.Time, n int32) (int64, error)
	}{
		{&result.ActivityEvents, r.cfg.Activity, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldActivity(ctx, db.DeleteOldActivityParams{Before: before, Most: n})
		}},
		{&result.AuditRecords, r.cfg.Audit, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldAuditRecords(ctx, db.DeleteOldAuditRecordsParams{Before: before, Most: n})
		}},
		{&result.DigestDeliveries, r.cfg.Deliveries, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldDeliveries(ctx, db.DeleteOldDeliveriesParams{Before: before, Most: n})
		}},
		{&result.OneTimeTokens, r.cfg.Tokens, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldOneTimeTokens(ctx, db.DeleteOldOneTimeTokensParams{Before: before, Most: n})
		}},
		{&result.OneTimeTokens, 0, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldUndoLinks(ctx, db.DeleteOldUndoLinksParams{Before: before, Most: n})
		}},
		{&result.OneTimeTokens, 0, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldProviderFlows(ctx, db.DeleteOldProviderFlowsParams{Before: before, Most: n})
		}},
		{&result.OneTimeTokens, 0, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldFlows(ctx, db.DeleteOldFlowsParams{Before: before, Most: n})
		}},
		{&result.RefreshTokens, r.cfg.Tokens, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldRefreshTokens(ctx, db.DeleteOldRefreshTokensParams{Before: before, Most: n})
		}},
		{&result.RefreshTokens, replacedRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			params := db.DeleteReplacedRefreshTokensParams{Before: before, Most: n}
			return q.DeleteReplacedRefreshTokens(ctx, params)
		}},
		{&result.Sessions, r.cfg.Tokens, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldSessions(ctx, db.DeleteOldSessionsParams{Before: before, Most: n})
		}},
		{&result.Authorizations, authorizationRetention,
			func(q *db.Queries, before time.Time, n int32) (int64, error) {
				return q.DeleteOldAuthorizations(ctx, db.DeleteOldAuthorizationsParams{Before: before, Most: n})
			}},
		{&result.PersonalTokens, personalRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldPersonalTokens(ctx, db.DeleteOldPersonalTokensParams{Before: before, Most: n})
		}},
		{&result.OAuthClients, clientRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteUnusedClients(ctx, db.DeleteUnusedClientsParams{Before: before, Most: n})
		}},
		{&result.IdempotencyKeys, 0, func(q *db.Queries, _ time.Time, n int32) (int64, error) {
			return q.DeleteExpiredKeys(ctx, int64(n))
		}},
		{&result.WebhookDeliveries, webhookRetention, func(q *db.Queries, old time.Time, n int32) (int64, error) {
			return q.DeleteOldWebhookDeliveries(ctx, db.DeleteOldWebhookDeliveriesParams{Before: old, Most: n})
		}},
		{&result.Notices, noticeRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldNotices(ctx, db.DeleteOldNoticesParams{Before: before, Most: n})
		}},
		{&result.DeletedImports, deletedRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldImports(ctx, db.DeleteOldImportsParams{Before: before, Most: n})
		}},
		{&result.ThemeChanges, changeRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldThemeChanges(ctx, db.DeleteOldThemeChangesParams{Before: before, Most: n})
		}},
		{&result.DailyUsage, usageRetention, func(q *db.Queries, before time.Time, n int32) (int64, error) {
			return q.DeleteOldUsage(ctx, db.DeleteOldUsageParams{Before: before, Most: n})
		}},
	} {
		before := time.Now().Add(-table.keep)
		for size := int32(firstBatch); ; {
			begun := time.Now()
			deleted, err := db.AsService(ctx, r.store, func(q *db.Queries) (int64, error) {
				return table.batch(q, before, size)
			})
			if err != nil {
				return result, failed(ctx, r.log, "delete old rows", err)
			}
			*table.deleted += deleted
			if deleted < int64(size) {
				break
			}
			size = nextBatch(size, time.Since(begun))
		}
	}
	return result, nil
}
