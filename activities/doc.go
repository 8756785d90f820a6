// Package activities does the I/O of workflows: it reads and writes the database, and calls models and mail
// servers.
//
// Activities run at least once; the comment of each says why it is safe to retry. Their inputs and results
// hold ids, counts and enums, and their errors hold no transcript text, because Temporal stores both. Only
// errors.go decides whether an error is retried.
package activities
