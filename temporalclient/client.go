// Package temporalclient connects the programs to Temporal: it dials, encrypts payloads, starts, cancels and
// describes workflows, and keeps schedules and search attributes up to date.
//
// It refers to the definitions in package workflows and contains none. Its errors name the kind of a failure;
// they never repeat an address or a payload.
package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
)

// ErrUnavailable means that Temporal cannot be reached. Nothing was started.
var ErrUnavailable error = unavailable{}

type unavailable struct{}

func (unavailable) Error() string { return "temporal unavailable" }

// Unavailable marks the error as that of a dependency that cannot be reached.
func (unavailable) Unavailable() bool { return true }

// ErrNotRunning means that there is no run to cancel.
var ErrNotRunning = errors.New("no run")

// requestTimeout bounds a request to Temporal while a person waits for the answer.
const requestTimeout = 5 * time.Second

// A Client starts, cancels and describes workflows. It is safe for concurrent use.
type Client struct {
	temporal client.Client
}

// New wraps a client of the SDK, which stays the caller's to close.
func New(c client.Client) *Client { return &Client{temporal: c} }

// Ready reports whether Temporal answers. Its error is ErrUnavailable.
func (c *Client) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if _, err := c.temporal.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		return unreachable("check the health of temporal", err)
	}
	return nil
}

// unreachable wraps ErrUnavailable with what was being done and the kind of the cause.
func unreachable(doing string, cause error) error {
	return fmt.Errorf("%s: %w: %s", doing, ErrUnavailable, kindOf(cause))
}

// kindOf names the type of an error. The text of a gRPC error may contain addresses.
func kindOf(err error) string {
	name := fmt.Sprintf("%T", err)
	return name[strings.LastIndex(name, ".")+1:]
}
