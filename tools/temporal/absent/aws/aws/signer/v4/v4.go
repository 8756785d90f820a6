// Package v4 declares what a client of Elasticsearch uses of the package of this name.
package v4

import (
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/credentials"
)

// A Signer signs nothing.
type Signer struct{}

// NewSigner returns a Signer.
func NewSigner(*credentials.Credentials) *Signer { return &Signer{} }

// Sign returns aws.ErrAbsent.
func (*Signer) Sign(*http.Request, io.ReadSeeker, string, string, time.Time) (http.Header, error) {
	return nil, aws.ErrAbsent
}
