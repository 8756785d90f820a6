// Package credentials declares what Temporal's server uses of the package of this name.
package credentials

// Credentials are none.
type Credentials struct{}

// NewStaticCredentials returns no credentials.
func NewStaticCredentials(_, _, _ string) *Credentials { return &Credentials{} }

// NewEnvCredentials returns no credentials.
func NewEnvCredentials() *Credentials { return &Credentials{} }
