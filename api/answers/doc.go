// Package answers serves the questions that people ask the interviews of a project: asking, reading the
// answer, asking again, cancelling and deleting. It starts the runs that answer, and does not read interviews
// itself; the events of an answer belong to package events.
package answers
