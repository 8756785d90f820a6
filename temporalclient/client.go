// Package temporalclient connects the programs to Temporal: it dials, encrypts payloads, starts, cancels and
// describes workflows, and keeps schedules and search attributes up to date.
//
// It uses the definitions in package workflows and contains none itself. Its errors name the kind of a
// failure, but never an address or a payload.
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

// Unavailable marks the error as caused by an unreachable dependency.
func (unavailable) Unavailable() bool { return true }

// ErrNotRunning means that there is no run to cancel.
var ErrNotRunning = errors.New("no run")

// requestTimeout bounds a request to a slow server, since a person waits for it.
const requestTimeout = 5 * time.Second

// A Client starts, cancels and describes workflows. It is safe for concurrent use.
type Client struct {
	temporal client.Client
	breaker  *breaker
	guard    *namespaceGuard // nil means that any namespace is accepted

	publicURL string // of the page, for links in Temporal's UI; empty without a guard
}

// New wraps a client of the SDK, which the caller must close. A request fails if Temporal does not respond
// within the timeout.
func New(c client.Client, timeout time.Duration) *Client {
	probe := func(ctx context.Context) error {
		_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
		if isRefusal(codeOf(err)) { // an answer: gateways may not forward health checks
			return nil
		}
		return err
	}
	// A request waits for half of the timeout, and then probes.
	return &Client{temporal: c, breaker: &breaker{probe: probe, timeout: timeout / 2}}
}

// NewGuarded is like New, for programs that start and end the runs of imports. Its client refuses to do so in
// a namespace that does not belong to the database. home is required. Temporal's UI links runs to publicURL,
// the address of the page.
func NewGuarded(
	c client.Client, timeout time.Duration, namespace string, home Home, publicURL string,
) *Client {
	guarded := New(c, timeout)
	guarded.guard = newNamespaceGuard(c, namespace, home)
	guarded.publicURL = publicURL
	return guarded
}

// Ready returns nil if Temporal responds and, for a guarded client, the namespace may be used. Its errors are
// ErrUnavailable, a *RefusedError and ErrWrongNamespace.
func (c *Client) Ready(ctx context.Context) error {
	if err := c.responds(ctx); err != nil || c.guard == nil {
		return err
	}
	err := c.guard.check(ctx)
	if errors.As(err, new(*RefusedError)) || errors.Is(err, ErrWrongNamespace) {
		return err
	}
	return nil // that the database fails is said elsewhere
}

func (c *Client) responds(ctx context.Context) error {
	if err := c.breaker.check(ctx); err != nil {
		return Failure("check the health of temporal", err)
	}
	return nil
}

// Available returns nil if Temporal responds and the namespace belongs to the database. Call it before
// writing data that is useless without a workflow. Its errors are ErrUnavailable, a *RefusedError,
// ErrWrongNamespace and those of the database.
func (c *Client) Available(ctx context.Context) error {
	if err := c.breaker.admit(ctx); err != nil {
		return Failure("check that temporal is available", err)
	}
	if err := c.responds(ctx); err != nil {
		return err
	}
	return c.CheckNamespace(ctx)
}

// request makes a request to Temporal. It fails at once while the breaker is open, and is abandoned if
// Temporal does not respond. A budget that is too short for the breaker to detect an outage is raised. Its
// errors are those of the call and of the breaker.
func (c *Client) request(ctx context.Context, budget time.Duration, call func(context.Context) error) error {
	if err := c.breaker.admit(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(budget, 3*c.breaker.timeout))
	defer cancel()
	return c.breaker.watch(ctx, call)
}

// execute starts a workflow.
func (c *Client) execute(
	ctx context.Context, budget time.Duration, options client.StartWorkflowOptions, workflow, input any,
) (run client.WorkflowRun, err error) {
	err = c.request(ctx, budget, func(ctx context.Context) (err error) {
		run, err = c.temporal.ExecuteWorkflow(ctx, options, workflow, input)
		return err
	})
	return run, err
}

// kindOf names the type of an error. The text of a gRPC error may contain addresses.
func kindOf(err error) string {
	name := fmt.Sprintf("%T", err)
	return name[strings.LastIndex(name, ".")+1:]
}
