// Package imports serves /api/import: uploading a transcript, or previewing how it is read, and starting,
// observing and cancelling its parse.
//
// No request queries a running workflow: GET reads the row of the import, which the run updates. Errors are
// {"error", "message"}, with "details" if a field is invalid.
package imports
