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
	// With worker versioning, a run ends on the version on which it began. RetryDigests may run from period to
	// period, so that its version could never be stopped: it moves to the current version.
	r.RegisterWorkflowWithOptions(RetryDigests, workflow.RegisterOptions{
		VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
	})
}
