package workflows

// A Registry takes workflows: a worker, a test environment or a replayer.
type Registry interface {
	RegisterWorkflow(w any)
}

// Register registers every workflow.
func Register(r Registry) {
	r.RegisterWorkflow(ParseTranscript)
	r.RegisterWorkflow(ReconcileImports)
	r.RegisterWorkflow(SendAccountMail)
	r.RegisterWorkflow(SendDigests)
	r.RegisterWorkflow(RetryDigests)
}
