// Package iterator declares what Temporal's server uses of the package of this name.
package iterator

import "errors"

// Done is the error of an iterator at its end.
var Done = errors.New("no more items in iterator")
