package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Task queues. They are apart so that a flood of slow model calls cannot starve the ends of other imports, nor the mail.
const (
	QueueControl = "research-control" // workflows, and activities that only use the database
	QueueParse   = "research-parse"   // model calls
	QueueMail    = "research-mail"    // digests; mails that a person waits for go by the control queue
)

// Queues are all of them.
var Queues = []string{QueueControl, QueueParse, QueueMail}

// Every option set has a time-out for one attempt and a budget for all: the server's default is unlimited attempts, which would be a bill where the activity is a
// paid call.

// databaseOptions are for activities that read and write the database alone. An hour outlasts a restart of PostgreSQL and most outages; what takes longer is left
// to the reconciler.
func databaseOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    5 * time.Minute,  // merging the largest transcript takes seconds
		HeartbeatTimeout:       15 * time.Second, // heartbeats come every two; a killed worker is noticed by this
		ScheduleToCloseTimeout: time.Hour,
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    200 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
		},
	}
}

// beginOptions are databaseOptions for an activity too short to heartbeat.
func beginOptions(summary string) workflow.ActivityOptions {
	options := databaseOptions(summary)
	options.StartToCloseTimeout = 20 * time.Second // also what a worker's death costs
	options.HeartbeatTimeout = 0
	return options
}

// reconcileOptions: a page takes well below a second while Temporal and PostgreSQL answer; where they do not, the next tick tries again.
func reconcileOptions() workflow.ActivityOptions {
	options := databaseOptions("compare a page of imports with their runs")
	options.StartToCloseTimeout = time.Minute
	options.ScheduleToCloseTimeout = 2 * time.Minute
	return options
}

// chunkOptions are for one chunk's model calls. The activity gives up earlier by itself, by what went wrong.
func chunkOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueParse,
		StartToCloseTimeout:    30 * time.Minute, // a chunk that is halved several times makes several calls
		HeartbeatTimeout:       15 * time.Second,
		ScheduleToCloseTimeout: 24 * time.Hour, // in a long queue a chunk waits; PARSE_TIMEOUT ends the whole
		WaitForCancellation:    true,           // so that what was paid for is stored before the import ends
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    15 * time.Second,
			MaximumAttempts:    40,
		},
	}
}

// accountMailOptions: a person waits for this mail, and after half an hour has asked again.
func accountMailOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    90 * time.Second, // the talk with the mail server has a minute
		ScheduleToCloseTimeout: 30 * time.Minute,
		Summary:                "mint and mail the link",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    2 * time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    2 * time.Minute,
		},
	}
}

// deliverOptions are for some twenty seconds of digests. While the mail server is away the attempts go on; after fifty minutes the run ends, and the next
// hour's tick finds what is still planned.
func deliverOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueMail,
		StartToCloseTimeout:    10 * time.Minute, // twenty seconds, and the talks with the mail server that are then under way
		HeartbeatTimeout:       15 * time.Second,
		ScheduleToCloseTimeout: 50 * time.Minute,
		WaitForCancellation:    true, // so that what is being sent comes to its end
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	}
}

// call runs an activity and waits for it. Unlike the SDK's own call, the compiler checks that the input fits the method, which is one of a nil struct
// pointer.
func call[In, Out any](ctx workflow.Context, options workflow.ActivityOptions, method func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), method, in).Get(ctx, &out)
	return out, err
}
