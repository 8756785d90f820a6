package activities

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// The activities of runs that began before deliveries had a workflow of their own. They hand planned
// deliveries over to that workflow, so that these runs end.

// DeliverDigestsInput named a shard by the ids of its deliveries.
type DeliverDigestsInput struct {
	Frequency string
	RunID     string
	From      uuid.UUID
	Through   uuid.UUID
	After     uuid.UUID
}

// DeliverDigestsResult said how far the call got.
type DeliverDigestsResult struct {
	Handled int
	After   uuid.UUID
	Done    bool
}

// DeliverDigests hands planned deliveries over, and reports that the run has nothing left to send.
func (d *Digests) DeliverDigests(ctx context.Context, in DeliverDigestsInput) (DeliverDigestsResult, error) {
	_, err := d.StartDelivery(ctx, StartDeliveryInput{})
	return DeliverDigestsResult{After: in.After, Done: true}, err
}

// CountDigestsInput named a run.
type CountDigestsInput struct {
	Frequency string
	RunID     string
}

// CountDigestsResult counted what a run had done, and what was left.
type CountDigestsResult struct {
	Due     int
	RetryAt time.Time

	Sent, Skipped, Failed, Uncertain int
}

// CountDigests hands planned deliveries over, and reports that the run has nothing left to send.
func (d *Digests) CountDigests(ctx context.Context, _ CountDigestsInput) (CountDigestsResult, error) {
	_, err := d.StartDelivery(ctx, StartDeliveryInput{})
	return CountDigestsResult{}, err
}
