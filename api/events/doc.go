// Package events serves the streams of /api/events and /api/import/{importId}/events: events of the caller's
// workspaces, as server-sent events.
//
// It follows the section "Server-sent events" of the HTML Living Standard. A stream keeps no events in
// memory. The hub of the process detects new events and wakes the streams that they concern. Each stream then
// reads them from the database with the rights of its user. A stream that is interrupted or slow continues
// after the number of the last event that its client received.
package events
