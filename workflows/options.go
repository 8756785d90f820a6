package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Each set of options has a timeout for one attempt and a budget for all of them. The server's default is an
// unlimited number of attempts, which is a bill if the activity is a paid call.

// heartbeatTimeout detects a killed worker. Activities heartbeat every two seconds.
const heartbeatTimeout = 15 * time.Second

// databaseOptions are for activities that only read and write the database. Their budget covers a restart of
// PostgreSQL and most outages; the reconciler repairs what takes longer.
func databaseOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    5 * time.Minute, // merging the largest transcript takes seconds
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: time.Hour,
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    200 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
		},
	}
}

// shortOptions are databaseOptions for activities that are too short to heartbeat.
func shortOptions(summary string) workflow.ActivityOptions {
	options := databaseOptions(summary)
	options.StartToCloseTimeout = 20 * time.Second // also the delay after a worker is killed
	options.HeartbeatTimeout = 0
	return options
}

// reconcileOptions are for a page of the reconciler. It takes well below a second while Temporal and
// PostgreSQL answer; otherwise the next tick tries again.
func reconcileOptions() workflow.ActivityOptions {
	options := databaseOptions("compare a page of imports with their runs")
	options.StartToCloseTimeout = time.Minute
	options.ScheduleToCloseTimeout = 2 * time.Minute
	return options
}

// chunkOptions are for the model calls of one chunk. The activity stops its retries earlier, depending on the
// error.
func chunkOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueParse,
		StartToCloseTimeout:    30 * time.Minute, // a chunk that is split several times takes several calls
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: 24 * time.Hour, // includes a long queue; PARSE_TIMEOUT bounds the whole parse
		WaitForCancellation:    true,           // a paid response is stored before the import ends
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    15 * time.Second,
			MaximumAttempts:    40, // above the limits of the activity
		},
	}
}

// accountMailOptions are for a mail that a person waits for, and asks for again after half an hour.
func accountMailOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    90 * time.Second, // an SMTP session is bounded by a minute
		ScheduleToCloseTimeout: 30 * time.Minute,
		Summary:                "mint and mail the link",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    2 * time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    2 * time.Minute,
		},
	}
}

// deliverOptions are for some twenty seconds of digests. Attempts continue while the mail server is down;
// after fifty minutes the run ends, and the tick of the next hour finds what is still planned.
func deliverOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueMail,
		StartToCloseTimeout:    10 * time.Minute, // twenty seconds, and the SMTP sessions that are then open
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: 50 * time.Minute,
		WaitForCancellation:    true, // a mail that is being sent is completed
		Summary:                summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	}
}

// call runs an activity and waits for its result. Unlike with workflow.ExecuteActivity, the compiler checks
// that the input fits the method, which is one of a nil struct pointer.
func call[In, Out any](
	ctx workflow.Context, options workflow.ActivityOptions, method func(context.Context, In) (Out, error), in In,
) (Out, error) {
	var out Out
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), method, in).Get(ctx, &out)
	return out, err
}
