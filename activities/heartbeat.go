package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// heartbeatInterval is well below the heartbeat timeout of the activities' options.
const heartbeatInterval = 2 * time.Second

// heartbeat records heartbeats until stop is called. Without them Temporal does not notice a killed worker,
// and an activity does not notice its cancellation. progress is what Temporal's UI shows with each; nil means
// nothing.
func heartbeat(ctx context.Context, progress func() any) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeatInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if progress == nil {
					activity.RecordHeartbeat(ctx)
				} else {
					activity.RecordHeartbeat(ctx, progress())
				}
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done) }
}

// stopping reports whether the worker is about to stop. Then nothing new is begun.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}
