// Package request declares what Temporal's server uses of the package of this name.
package request

// An Option changes a request.
type Option func()

// IsErrorRetryable returns false.
func IsErrorRetryable(error) bool { return false }

// IsErrorThrottle returns false.
func IsErrorThrottle(error) bool { return false }
