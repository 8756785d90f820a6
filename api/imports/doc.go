// Package imports serves /api/import: uploading a transcript, the state of its parsing, and starting and
// cancelling it.
//
// No request asks a running workflow: GET reads the row of the import, which the run updates. Errors are
// {"error", "message"}, with "details" if a field is to blame.
package imports
