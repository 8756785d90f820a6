// Package digest decides what a digest says and when it is due.
//
// It is pure. The calendar computes periods from a member's time zone, hour and weekday; Compose turns News,
// which activities reads from the database as the recipient, into the input of the templates in
// activities/mail. It does not read, send or remember anything.
package digest
