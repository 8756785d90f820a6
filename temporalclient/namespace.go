package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
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

	mu      sync.Mutex
	rightAt time.Time
}

// CheckNamespace returns ErrWrongNamespace if the namespace does not belong to the database. The first
// namespace that is checked is recorded as the database's own. Other errors are ErrUnavailable and those of
// the database.
func (c *Client) CheckNamespace(ctx context.Context) error {
	if c.guard == nil {
		return nil
	}
	return c.request(ctx, requestTimeout, c.guard.check)
}

func (g *namespaceGuard) check(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.rightAt) < namespaceMaxAge {
		return nil
	}
	id, err := namespaceID(ctx, g.temporal, g.namespace)
	if err != nil || id == "" {
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

// NamespaceID returns the id of the namespace, or "" if Temporal denies access to it. Its error is
// ErrUnavailable.
func (c *Client) NamespaceID(ctx context.Context, namespace string) (string, error) {
	return namespaceID(ctx, c.temporal, namespace)
}

func namespaceID(ctx context.Context, c client.Client, namespace string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	described, err := c.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	var denied *serviceerror.PermissionDenied
	switch {
	case errors.As(err, &denied):
		return "", nil
	case err != nil:
		return "", unreachable("describe the namespace", err)
	}
	return described.GetNamespaceInfo().GetId(), nil
}
