package temporalclient

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// ErrWrongNamespace means that the namespace does not belong to the database: TEMPORAL_NAMESPACE is wrong, or
// Temporal lost its data. Nothing was started.
var ErrWrongNamespace error = wrongNamespace{}

type wrongNamespace struct{}

func (wrongNamespace) Error() string {
	return "the namespace of temporal does not belong to the database: see research temporal adopt"
}

// Unavailable marks the error as caused by an unusable dependency.
func (wrongNamespace) Unavailable() bool { return true }

// NeedsOperator marks the error as one that lasts until an operator acts.
func (wrongNamespace) NeedsOperator() bool { return true }

// State names the state of Temporal, for readiness.
func (wrongNamespace) State() string { return "wrong_namespace" }

// A Home records which namespace belongs to the database. *db.Store implements it.
type Home interface {
	// RecordNamespace records the id of a namespace unless one is recorded already, and returns the recorded
	// one.
	RecordNamespace(ctx context.Context, id string) (recorded string, err error)
}

// namespaceMaxAge is how long a successful check is cached.
const namespaceMaxAge = 10 * time.Second

// A namespaceGuard checks a namespace by its id, because names can be reused.
type namespaceGuard struct {
	temporal  client.Client
	namespace string
	home      Home

	lock    chan struct{} // holds an element while rightAt is in use: unlike a mutex, it can be given up
	rightAt time.Time
}

func newNamespaceGuard(c client.Client, namespace string, home Home) *namespaceGuard {
	return &namespaceGuard{temporal: c, namespace: namespace, home: home, lock: make(chan struct{}, 1)}
}

// CheckNamespace returns ErrWrongNamespace if the namespace does not belong to the database. The first
// namespace that is checked is recorded as the database's own. Other errors are ErrUnavailable, a
// *RefusedError and those of the database.
func (c *Client) CheckNamespace(ctx context.Context) error {
	if c.guard == nil {
		return nil
	}
	return c.request(ctx, requestTimeout, c.guard.check)
}

func (g *namespaceGuard) check(ctx context.Context) error {
	select {
	case g.lock <- struct{}{}:
		defer func() { <-g.lock }()
	case <-ctx.Done():
		return Failure("check the namespace", ctx.Err())
	}
	if time.Since(g.rightAt) < namespaceMaxAge {
		return nil
	}
	id, err := namespaceID(ctx, g.temporal, g.namespace)
	if err != nil {
		return err
	}
	recorded, err := g.home.RecordNamespace(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("look up the namespace: %w", err)
	case recorded != id:
		return ErrWrongNamespace
	}
	g.rightAt = time.Now()
	return nil
}

// NamespaceID returns the id of the namespace. Its errors are ErrUnavailable and a *RefusedError: without the
// right to describe the namespace, the SDK starts no worker either (docs/decisions/0376).
func (c *Client) NamespaceID(ctx context.Context, namespace string) (string, error) {
	return namespaceID(ctx, c.temporal, namespace)
}

func namespaceID(ctx context.Context, c client.Client, namespace string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	described, err := c.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return "", Failure("describe the namespace", err)
	}
	return described.GetNamespaceInfo().GetId(), nil
}
