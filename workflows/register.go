package workflows

import "go.temporal.io/sdk/workflow"

// A Registry takes workflows: a worker, a test environment or a replayer.
type Registry interface {
	RegisterWorkflow(w any)
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register registers every workflow.
func Register(r Registry) {
	r.RegisterWorkflow(ParseTranscript)
	r.RegisterWorkflow(ReconcileImports)
	r.RegisterWorkflow(SendAccountMail)
	r.RegisterWorkflow(SendDigests)
	// Where workers have versions, a run ends on the one that it began on. This one may go on from period to period, so that its version could never be stopped:
	// it moves to the version that is current.
	r.RegisterWorkflowWithOptions(RetryDigests, workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
}
