package temporalclient

import (
	"context"
	"errors"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"research/workflows"
)

// EnsureSearchAttributes registers the search attributes that the namespace lacks. Its errors are
// ErrUnavailable and a *RefusedError, as in Temporal Cloud, where an operator must add them. Runs are started
// without them until then.
func (c *Client) EnsureSearchAttributes(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	missing, err := c.missingSearchAttributes(ctx, namespace)
	if err != nil {
		return Failure("list search attributes", err)
	}
	if len(missing) == 0 {
		return nil
	}
	add := map[string]enumspb.IndexedValueType{}
	var names []string
	for _, key := range missing {
		names = append(names, key.GetName())
		add[key.GetName()] = key.GetValueType()
	}
	_, err = c.temporal.OperatorService().AddSearchAttributes(ctx,
		&operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: add})
	var exists *serviceerror.AlreadyExists // another program registered it first
	if err != nil && !errors.As(err, &exists) {
		return Failure("add the search attributes "+strings.Join(names, ", "), err)
	}
	return nil
}

// missingSearchAttributes returns the search attributes that the namespace lacks. Its error is the SDK's.
func (c *Client) missingSearchAttributes(ctx context.Context, namespace string) (
	[]temporal.SearchAttributeKey, error,
) {
	registered, err := c.temporal.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, err
	}
	var missing []temporal.SearchAttributeKey
	for _, key := range workflows.SearchAttributes {
		if _, ok := registered.GetCustomAttributes()[key.GetName()]; !ok {
			missing = append(missing, key)
		}
	}
	return missing, nil
}
