// Package workflows orchestrates what is slow, retried or scheduled, and owns the names that Temporal knows us by: workflow ids, task queues, search
// attributes and start policies (client.go), time-outs and retries (options.go).
//
// Workflow functions are deterministic and do no I/O: activities do the work, and write the rows and the new status in one transaction. History holds ids,
// counts and enums; transcripts, prompts, answers, addresses and secrets never enter it.
package workflows
