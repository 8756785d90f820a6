package workflows

import "go.temporal.io/sdk/workflow"

// A Registry registers workflows: a worker, a test environment or a replayer.
type Registry interface {
	RegisterWorkflow(w any)
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register registers every workflow.
func Register(r Registry) {
	r.RegisterWorkflow(AnswerQuestion)
	r.RegisterWorkflow(DeleteData)
	r.RegisterWorkflow(DeliverWebhooks)
	r.RegisterWorkflow(EnforceRetention)
	r.RegisterWorkflow(ParseTranscript)
	r.RegisterWorkflow(ProposeThemes)
	r.RegisterWorkflow(SendAccountMail)
	r.RegisterWorkflow(SendAccountNotice)
	r.RegisterWorkflow(PlanDigests)
	r.RegisterWorkflow(SendDigestPreview)
	// With worker versioning, a run stays on the version on which it began, and so does one that continues as
	// new. DeliverDigests may continue for long, so that its version could not be stopped. Therefore it moves to
	// the current version.
	r.RegisterWorkflowWithOptions(DeliverDigests,
		workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
}
