// Package imports answers /api/import: uploading a transcript, reading the mirror of its parsing, starting and cancelling it.
//
// It never asks a running workflow anything: GET reads the import's row. Errors are {"error", "message"} with "details" where a field is to blame.
package imports
