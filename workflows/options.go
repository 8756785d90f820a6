package workflows

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/outcome"
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

// parseTimeout is how long the steps of a parse are retried. PARSE_TIMEOUT, which is at most a week, ends a
// parse; this also covers the time for which it waits.
const parseTimeout = 30 * 24 * time.Hour

// parseOptions are for the steps of a parse that only use the database.
func parseOptions(summary string) workflow.ActivityOptions {
	options := databaseOptions(summary)
	options.ScheduleToCloseTimeout = parseTimeout
	return options
}

// readOptions are for a call to the model about a chunk. The activity decides how its failures are retried:
// it returns a delay for failures of the model. The policy here is for the database.
func readOptions(ordinal, total int) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueParse,
		StartToCloseTimeout:    time.Hour, // OPENAI_TIMEOUT, and an outage of PostgreSQL
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: parseTimeout,
		WaitForCancellation:    true, // a paid response is stored before the import ends
		Summary:                fmt.Sprintf("chunk %d of %d", ordinal+1, total),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
		},
	}
}

// checkOptions are for the one call to the model about speakers, which is short. As for a chunk, the activity
// decides how failures are retried; it soon gives up, and the import goes on.
func checkOptions() workflow.ActivityOptions {
	options := readOptions(0, 0)
	options.StartToCloseTimeout = 15 * time.Minute // a short call, and an outage of PostgreSQL
	options.Summary = "ask about speakers in doubt"
	return options
}

// planAnswerOptions are for finding passages. Of a quick answer, a model first words the question in other
// ways.
func planAnswerOptions(mode outcome.AnswerMode) workflow.ActivityOptions {
	const summary = "look for passages"
	if mode != outcome.ModeQuick {
		return parseOptions(summary)
	}
	options := readOptions(0, 0)
	options.Summary = summary
	return options
}

// composeOptions are for the call to the model that writes the sentences. As for a chunk, the activity
// decides how failures are retried.
func composeOptions() workflow.ActivityOptions {
	options := readOptions(0, 0)
	options.Summary = "write the answer"
	return options
}

// groupOptions are for a call to the model about labels. As for a chunk, the activity decides how failures
// are retried.
func groupOptions(calls int) workflow.ActivityOptions {
	options := readOptions(0, 0)
	options.Summary = fmt.Sprintf("group labels, call %d", calls)
	return options
}

// stopTimeout is how long a run that ends early waits for its activities. One that is running learns of its
// cancellation within the throttle of heartbeats; one that is paused, or whose worker is gone, does not.
const stopTimeout = 15 * time.Second

// deletionOptions are for about twenty seconds of batches. After ten minutes of failures the run ends, and a
// worker that reaches the database starts another one.
func deletionOptions() workflow.ActivityOptions {
	options := databaseOptions("remove what is marked deleted")
	options.StartToCloseTimeout = 2 * time.Minute // a statement may wait for locks
	options.ScheduleToCloseTimeout = 10 * time.Minute
	return options
}

// retentionOptions are for the rows that expire in a day. The first run may find years of them.
func retentionOptions() workflow.ActivityOptions {
	options := databaseOptions("delete what is older than its retention")
	options.StartToCloseTimeout = 4 * time.Hour
	options.ScheduleToCloseTimeout = 12 * time.Hour
	return options
}

// accountMailOptions are for a mail that a person waits for. Attempts continue while the mail server is down;
// after half an hour the run ends, and a worker starts another one as long as the mail is of use.
func accountMailOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    90 * time.Second, // an SMTP session is bounded by a minute
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: 30 * time.Minute,
		Summary:                "mint and mail the link",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    2 * time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    2 * time.Minute,
		},
	}
}

// deliverOptions are for about twenty seconds of digests. Attempts continue while the mail server is down;
// after fifty minutes the run ends, and the tick of the next hour starts another one.
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

// webhookOptions are for about ten seconds of requests. Deliveries that are not sent within the budget
// stay due, and a worker starts another run.
func webhookOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueWebhook,
		StartToCloseTimeout:    time.Minute, // ten seconds, and the request that is then in progress
		HeartbeatTimeout:       heartbeatTimeout,
		ScheduleToCloseTimeout: 10 * time.Minute,
		Summary:                "send a batch",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    30 * time.Second,
		},
	}
}

// call runs an activity and waits for its result. Unlike with workflow.ExecuteActivity, the compiler checks
// that the input fits the method. The method is that of a nil struct pointer.
func call[In, Out any](
	ctx workflow.Context, options workflow.ActivityOptions, method func(context.Context, In) (Out, error), in In,
) (Out, error) {
	var out Out
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), method, in).Get(ctx, &out)
	return out, err
}
