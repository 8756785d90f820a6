package qdpx

import "fmt"

// An Error says why a file was rejected. Its Reason is a sentence for the person who chose the file; it never
// repeats text of the file.
type Error struct {
	Reason   string
	TooLarge bool // a limit is exceeded
	Cause    error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s (%v)", e.Reason, e.Cause)
	}
	return e.Reason
}

// Unwrap returns the cause, which is nil for most errors.
func (e *Error) Unwrap() error { return e.Cause }

func unreadable(reason string, cause error) *Error { return &Error{Reason: reason, Cause: cause} }

func tooLarge(format string, args ...any) *Error {
	return &Error{Reason: fmt.Sprintf(format, args...), TooLarge: true}
}
