// Package awserr declares what Temporal's server uses of the package of this name.
package awserr

// An Error has a code, and may wrap another one.
type Error interface {
	error
	Code() string
	OrigErr() error
}

// A RequestFailure is the error of a response.
type RequestFailure interface {
	Error
	StatusCode() int
}
