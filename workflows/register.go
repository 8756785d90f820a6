package workflows

import "go.temporal.io/sdk/workflow"

// A Registry registers workflows: a worker, a test environment or a replayer.
type Registry interface {
	RegisterWorkflow(w any)
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// RegisterParse registers the workflow whose runs are on QueueParse. The workflow and its activity share a
// queue, so that a worker with a free slot begins to read as soon as it has begun the run (eager execution).
func RegisterParse(r Registry) { r.RegisterWorkflow(ParseTranscript) }

// RegisterControl registers the workflows whose runs are on QueueControl: all others.
func RegisterControl(r Registry) {
	r.RegisterWorkflow(DeliverWebhooks)
	r.RegisterWorkflow(EnforceRetention)
	r.RegisterWorkflow(SendAccountMail)
	r.RegisterWorkflow(SendAccountNotice)
	r.RegisterWorkflow(SendDigests)
	r.RegisterWorkflow(SendDigestPreview)
	// With worker versioning, a run stays on the version on which it began. These workflows never end, or may
	// run from one period into the next, so their version could never be stopped. Therefore they move to the
	// current version.
	moving := workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade}
	r.RegisterWorkflowWithOptions(ReconcileOpenImports, moving)
	r.RegisterWorkflowWithOptions(DeleteData, moving)
	r.RegisterWorkflowWithOptions(DeliverDigests, moving)
}
