// Package outage logs an outage in two lines, however long it lasts: one when an operation begins to fail,
// and one when it succeeds again.
//
// It does no I/O but what the logger does, and imports nothing of ours.
package outage

import (
	"log/slog"
	"sync"
)

// A Log logs the failures of an operation that is repeated. It is safe for concurrent use.
type Log struct {
	log     *slog.Logger
	message string

	mu       sync.Mutex
	failures int // since the last success
}

// New returns a Log that logs the first failure with the message, which says what is not done.
func New(log *slog.Logger, message string) *Log { return &Log{log: log, message: message} }

// Report takes the result of the operation. The first error is logged as a warning, the errors after it at
// the debug level, and the first success after an error with the number of failures. Do not report an
// operation that was cut off because the program stops.
func (l *Log) Report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil && l.failures > 0:
		l.log.Info("recovered", "from", l.message, "failures", l.failures)
		l.failures = 0
	case err != nil && l.failures == 0:
		l.log.Warn(l.message, "error", err)
		l.failures = 1
	case err != nil:
		l.log.Debug(l.message, "error", err)
		l.failures++
	}
}
