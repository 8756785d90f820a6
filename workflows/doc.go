// Package workflows orchestrates work that is slow, retried or scheduled. It owns the contract with Temporal
// (task queues, workflow ids, inputs and results: contract.go) and the timeouts and retries of activities
// (options.go).
//
// Workflow functions are deterministic and do no I/O. Activities do the work, and write their rows and the
// new status in one transaction. Histories hold ids, counts and enums; transcripts, prompts, responses,
// addresses and secrets never enter them.
package workflows
