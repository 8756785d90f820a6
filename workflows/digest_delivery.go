package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// DigestShards is the number of shards of the planned deliveries, and so the number of workers that can send
// at the same time. The database has the same number.
const DigestShards = 4

// maxDeliveryHistory is how many events a run may have before it continues as new. Twenty seconds of sending
// take six events for each shard.
const maxDeliveryHistory = 1000

// deliveryTime is how long a run begins activities before it continues as new.
const deliveryTime = 15 * time.Minute

// DeliverDigestsRunTimeout ends a run of DeliverDigests whose workflow tasks fail or get no worker. The tick
// of the next hour then starts one on the workers of that time. It exceeds deliveryTime and the attempts of
// an activity.
const DeliverDigestsRunTimeout = 75 * time.Minute

// minDeliveryPause is the shortest wait of a shard that has nothing to send.
const minDeliveryPause = 5 * time.Second

// DeliverDigests sends the planned deliveries of both frequencies in the order in which they are due, and
// retries those that a recipient's server temporarily rejected. It ends when nothing is planned. There is one
// run at a time. Sending may take long, since it depends on MAIL_RATE: after some minutes, a run continues as
// new. Programs that plan deliveries start it, or signal it if it is running.
func DeliverDigests(ctx workflow.Context, in DeliverDigestsInput) error {
	if in.RunID == "" {
		in.RunID = workflow.GetInfo(ctx).WorkflowExecution.RunID
	}
	d := &delivery{in: in, planned: workflow.GetSignalChannel(ctx, PlannedSignal)}
	for i := range DigestShards {
		workflow.Go(ctx, func(ctx workflow.Context) { d.runShard(ctx, i) })
	}
	workflow.Go(ctx, d.receiveSignals)
	workflow.Go(ctx, d.watchTime)
	if err := workflow.Await(ctx, d.isOver); err != nil {
		return err
	}
	switch {
	case d.failure != nil:
		return d.failure
	case d.held:
		workflow.SetCurrentDetails(ctx, "Held: the database was restored. Run `research restore-fence`.")
		return nil
	case d.nothingPlanned():
		return nil
	}
	// The new run reads every shard from its beginning, so that no signal is lost.
	return workflow.NewContinueAsNewError(ctx, DeliverDigests, d.in)
}

// A delivery is the state of a run of DeliverDigests.
type delivery struct {
	in      DeliverDigestsInput
	planned workflow.ReceiveChannel
	shards  [DigestShards]deliveryShard
	handled int

	failure   error
	held      bool
	continues bool // the run is long: another one goes on
}

// A deliveryShard is the state of a shard.
type deliveryShard struct {
	ended  bool // it was empty when it was last read
	signal bool // deliveries were planned since then
	exited bool // no activity of it runs or will run
}

// isOver reports whether the run can end: nothing is planned, or the run must stop and no shard is being
// sent.
func (d *delivery) isOver() bool {
	if !d.stopping() {
		return d.nothingPlanned()
	}
	for _, shard := range d.shards {
		if !shard.exited {
			return false
		}
	}
	return true
}

// nothingPlanned reports whether every shard was empty when it was last read, and no delivery was planned
// since then.
func (d *delivery) nothingPlanned() bool {
	for _, shard := range d.shards {
		if !shard.ended || shard.signal {
			return false
		}
	}
	return d.planned.Len() == 0
}

// stopping reports whether no shard may begin another activity.
func (d *delivery) stopping() bool { return d.failure != nil || d.held || d.continues }

// receiveSignals makes every shard read the database again when deliveries were planned.
func (d *delivery) receiveSignals(ctx workflow.Context) {
	for {
		d.planned.Receive(ctx, nil)
		for i := range d.shards {
			d.shards[i].signal = true
		}
	}
}

// watchTime makes the run continue as new after deliveryTime.
func (d *delivery) watchTime(ctx workflow.Context) {
	if workflow.Sleep(ctx, deliveryTime) == nil {
		d.continues = true
	}
}

// runShard sends the deliveries of a shard whenever some are due.
func (d *delivery) runShard(ctx workflow.Context, i int) {
	shard := &d.shards[i]
	defer func() { shard.exited = true }()
	options := deliverOptions(fmt.Sprintf("shard %d of %d", i+1, DigestShards))
	for !d.stopping() {
		shard.ended, shard.signal = false, false
		result, err := call(ctx, options, digests.DeliverDigestShard, activities.DeliverDigestShardInput{
			RunID: d.in.RunID, Shard: i, Seen: d.in.Seen,
		})
		if err != nil {
			d.failure = err
			return
		}
		if result.Held {
			d.held = true
			return
		}
		d.record(ctx, result)
		if !result.Done {
			continue
		}
		shard.ended = result.NextAt.IsZero()
		if err := d.pause(ctx, shard, result.NextAt); err != nil {
			d.failure = err
			return
		}
	}
}

// record records the state of the database and the progress that a call returned.
func (d *delivery) record(ctx workflow.Context, result activities.DeliverDigestShardResult) {
	if result.Seen.SeenAt.After(d.in.Seen.SeenAt) {
		d.in.Seen = result.Seen
	}
	d.handled += result.Handled
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d digests handled by this run.", d.handled))
	info := workflow.GetInfo(ctx)
	d.continues = d.continues || info.GetContinueAsNewSuggested() ||
		info.GetCurrentHistoryLength() > maxDeliveryHistory
}

// pause waits until a shard's next delivery may be attempted, or until a signal. Without a later delivery, it
// waits for a signal only.
func (d *delivery) pause(ctx workflow.Context, shard *deliveryShard, nextAt time.Time) error {
	woken := func() bool { return shard.signal || d.stopping() }
	if nextAt.IsZero() {
		return workflow.Await(ctx, woken)
	}
	wait := max(nextAt.Sub(workflow.Now(ctx)), minDeliveryPause)
	_, err := workflow.AwaitWithTimeout(ctx, wait, woken)
	return err
}
