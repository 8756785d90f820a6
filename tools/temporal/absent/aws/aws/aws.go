// Package aws declares what Temporal's server uses of the package of this name. Nothing works.
package aws

import (
	"errors"

	"github.com/aws/aws-sdk-go/aws/credentials"
)

// ErrAbsent is the error of everything that would open a connection.
var ErrAbsent = errors.New("this server is built without Amazon's clients")

// A LogLevelType is how much a client logs.
type LogLevelType uint

// Config is the configuration of a client.
type Config struct {
	Endpoint, Region *string
	S3ForcePathStyle *bool
	LogLevel         *LogLevelType
	Credentials      *credentials.Credentials
}

// String returns a pointer to s.
func String(s string) *string { return &s }

// Bool returns a pointer to b.
func Bool(b bool) *bool { return &b }

// Int64 returns a pointer to n.
func Int64(n int64) *int64 { return &n }
