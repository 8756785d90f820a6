// Package session declares what Temporal's server uses of the package of this name.
package session

import "github.com/aws/aws-sdk-go/aws"

// A Session is never made.
type Session struct{ Config *aws.Config }

// NewSession returns aws.ErrAbsent.
func NewSession(...*aws.Config) (*Session, error) { return nil, aws.ErrAbsent }
