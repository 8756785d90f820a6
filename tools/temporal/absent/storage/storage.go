// Package storage declares what Temporal's server uses of the package of this name. Every call fails.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

// ErrAbsent is the error of all calls.
var ErrAbsent = errors.New("this server is built without Google's clients")

// ScopeFullControl is the scope of a client.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

// What a client leads to, with the members that the server sets and reads.
type (
	Client         struct{}
	BucketHandle   struct{}
	ObjectHandle   struct{}
	ObjectIterator struct{}
	Writer         struct{}
	Reader         struct{}
	BucketAttrs    struct{}
	ObjectAttrs    struct{ Name string }
	Query          struct{ Prefix string }
)

// NewClient returns ErrAbsent.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, ErrAbsent }

// The methods below lead nowhere: there is no client.

func (*Client) Bucket(string) *BucketHandle                           { return nil }
func (*BucketHandle) Object(string) *ObjectHandle                     { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return nil }
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error)     { return nil, ErrAbsent }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error)     { return nil, ErrAbsent }
func (*ObjectHandle) NewWriter(context.Context) *Writer               { return nil }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)      { return nil, ErrAbsent }
func (*ObjectIterator) Next() (*ObjectAttrs, error)                   { return nil, ErrAbsent }
func (*Writer) Write([]byte) (int, error)                             { return 0, ErrAbsent }
func (*Writer) Close() error                                          { return ErrAbsent }
func (*Writer) CloseWithError(error) error                            { return nil }
func (*Reader) Read([]byte) (int, error)                              { return 0, ErrAbsent }
func (*Reader) Close() error                                          { return ErrAbsent }
