// Package s3 declares what Temporal's server uses of the package of this name. Every call fails.
package s3

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/aws-sdk-go/aws/session"
)

// Codes of errors.
const (
	ErrCodeNoSuchBucket = "NoSuchBucket"
	ErrCodeNoSuchKey    = "NoSuchKey"
)

// Requests and responses, with the members that the server sets and reads.
type (
	HeadBucketInput struct{ Bucket *string }
	HeadObjectInput struct{ Bucket, Key *string }
	GetObjectInput  struct{ Bucket, Key *string }
	PutObjectInput  struct {
		Bucket, Key *string
		Body        io.ReadSeeker
	}
	ListObjectsV2Input struct {
		Bucket, Prefix, Delimiter, ContinuationToken *string
		MaxKeys                                      *int64
	}
	HeadBucketOutput    struct{}
	HeadObjectOutput    struct{}
	PutObjectOutput     struct{}
	GetObjectOutput     struct{ Body io.ReadCloser }
	ListObjectsV2Output struct {
		CommonPrefixes        []*CommonPrefix
		Contents              []*Object
		IsTruncated           *bool
		NextContinuationToken *string
	}
	CommonPrefix struct{ Prefix *string }
	Object       struct{ Key *string }
)

// An S3 is a client that reaches nothing.
type S3 struct{}

// New returns a client.
func New(*session.Session) *S3 { return &S3{} }

// HeadBucketWithContext returns aws.ErrAbsent.
func (*S3) HeadBucketWithContext(
	context.Context, *HeadBucketInput, ...request.Option,
) (*HeadBucketOutput, error) {
	return nil, aws.ErrAbsent
}

// HeadObjectWithContext returns aws.ErrAbsent.
func (*S3) HeadObjectWithContext(
	context.Context, *HeadObjectInput, ...request.Option,
) (*HeadObjectOutput, error) {
	return nil, aws.ErrAbsent
}

// GetObjectWithContext returns aws.ErrAbsent.
func (*S3) GetObjectWithContext(
	context.Context, *GetObjectInput, ...request.Option,
) (*GetObjectOutput, error) {
	return nil, aws.ErrAbsent
}

// PutObjectWithContext returns aws.ErrAbsent.
func (*S3) PutObjectWithContext(
	context.Context, *PutObjectInput, ...request.Option,
) (*PutObjectOutput, error) {
	return nil, aws.ErrAbsent
}

// ListObjectsV2WithContext returns aws.ErrAbsent.
func (*S3) ListObjectsV2WithContext(
	context.Context, *ListObjectsV2Input, ...request.Option,
) (*ListObjectsV2Output, error) {
	return nil, aws.ErrAbsent
}
