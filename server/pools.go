package server

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"

	"research/api/admission"
	"research/config"
	"research/db"
)

// Pools are the connection pools of the server. They are separate, so that statements of clients delay
// neither sign-ins nor probes.
type Pools struct {
	Data     *db.Store // the data API and imports
	Identity *db.Store // sign-ins, sessions and other short statements
	Probes   *db.Store // readiness and metrics
}

// Close closes the pools that are open.
func (p Pools) Close() {
	for _, store := range []*db.Store{p.Data, p.Identity, p.Probes} {
		if store != nil {
			store.Close()
		}
	}
}

// spareConns is the least number of connections of the data pool that are reserved for uploads, estimates and
// loading the schema.
const spareConns = 2

// waitingRequests is how many requests of one user may wait. A browser sends a few dozen at once.
const waitingRequests = 64

// dataQueue admits statements of the data pool: those of the data API, of exports and of findings. One
// workspace uses at most half of the connections.
func dataQueue(cfg config.Data, pools Pools) *admission.Queue {
	slots := max(1, int(pools.Data.Stat().MaxConns())-max(spareConns, uploadSlots(pools)))
	return admission.New(admission.Config{
		Slots:          slots,
		WorkspaceSlots: max(1, slots/2),
		Reserved:       slots / 2,
		UserRequests:   cfg.UserRequests,
		UserWaiting:    waitingRequests,
		MaxWait:        cfg.MaxWait,
	}, workspaceOf(pools.Identity))
}

// uploadSlots is the number of uploads and estimates that are worked on at the same time: one for each core,
// and no more than a quarter of the connections.
func uploadSlots(pools Pools) int {
	return min(runtime.NumCPU(), max(1, int(pools.Data.Stat().MaxConns())/4))
}

// uploadQueue admits uploads. A user may have two in progress, of up to 10 MB each; parsing one occupies a
// core for up to a few seconds.
func uploadQueue(pools Pools) *admission.Queue {
	slots := uploadSlots(pools)
	return admission.New(admission.Config{
		Slots:          slots,
		WorkspaceSlots: max(1, slots/2),
		UserRequests:   2,
		UserWaiting:    8,
		MaxWait:        30 * time.Second,
	}, workspaceOf(pools.Identity))
}

// workspaceOf returns a function that finds the workspace to which a user's requests are charged: the one
// that the user joined first, or the user's own id if there is none.
func workspaceOf(store *db.Store) func(context.Context, uuid.UUID) (uuid.UUID, error) {
	const cached, fresh = 10_000, time.Minute
	known := ttlcache.New(
		ttlcache.WithCapacity[uuid.UUID, uuid.UUID](cached),
		ttlcache.WithTTL[uuid.UUID, uuid.UUID](fresh),
		ttlcache.WithDisableTouchOnHit[uuid.UUID, uuid.UUID](),
	)
	return func(ctx context.Context, user uuid.UUID) (uuid.UUID, error) {
		if found := known.Get(user); found != nil {
			return found.Value(), nil
		}
		workspace, err := db.AsService(ctx, store, func(q *db.Queries) (uuid.UUID, error) {
			return q.GetFirstWorkspace(ctx, user)
		})
		if errors.Is(err, db.ErrNotFound) {
			workspace, err = user, nil
		}
		if err != nil {
			return uuid.Nil, err
		}
		known.Set(user, workspace, ttlcache.DefaultTTL)
		return workspace, nil
	}
}
