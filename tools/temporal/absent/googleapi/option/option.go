// Package option declares what Temporal's server uses of the package of this name.
package option

import "golang.org/x/oauth2"

// A ClientOption is ignored.
type ClientOption struct{}

// WithTokenSource returns an option.
func WithTokenSource(oauth2.TokenSource) ClientOption { return ClientOption{} }
