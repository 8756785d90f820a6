package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// registersApps calls what makes apps known, and reads the documents in which apps find out how to ask for
// access.
func (c *caller) registersApps(t testing.TB) {
	t.Helper()
	for _, operation := range []string{
		"getServerMetadata", "getServerMetadataOfIssuer", "getServerMetadataOfHost", "getDiscoveryOfIssuer",
		"getDiscoveryOfHost", "getResourceMetadata", "getResourceMetadataOfMCP",
	} {
		c.call(t, documentedCall{operation: operation, noKey: true, status: http.StatusOK})
	}
	registered := c.call(t, documentedCall{operation: "registerClient", noKey: true, status: http.StatusCreated})
	require.NotContains(t, registered, "client_secret", "a public client")
	c.call(t, documentedCall{
		operation: "registerClient", noKey: true, fields: map[string]any{"redirect_uris": []any{"data:x"}},
		status: http.StatusBadRequest,
	})

	admin := func(operation string, status int, call documentedCall) map[string]any {
		call.operation, call.token, call.status = operation, serviceKey, status
		return c.call(t, call)
	}
	id := map[string]string{"id": admin("createClient", http.StatusCreated, documentedCall{})["id"].(string)}
	bad := documentedCall{parameters: id, fields: map[string]any{"redirect_uris": []any{"data:x"}}}
	admin("createClient", http.StatusBadRequest, bad)
	admin("listClients", http.StatusOK, documentedCall{})
	admin("listClients", http.StatusBadRequest, documentedCall{parameters: map[string]string{"page": "0"}})
	admin("getClient", http.StatusOK, documentedCall{parameters: id})
	admin("changeClient", http.StatusOK, documentedCall{parameters: id})
	admin("changeClient", http.StatusBadRequest, bad)
	admin("regenerateClientSecret", http.StatusOK, documentedCall{parameters: id})
	public := map[string]string{"id": registered["client_id"].(string)}
	admin("regenerateClientSecret", http.StatusBadRequest, documentedCall{parameters: public})
	admin("deleteClient", http.StatusNoContent, documentedCall{parameters: id})
	malformed := map[string]string{"id": "x"}
	for _, operation := range []string{"getClient", "changeClient", "regenerateClientSecret", "deleteClient"} {
		admin(operation, http.StatusNotFound, documentedCall{parameters: id})
		admin(operation, http.StatusBadRequest, documentedCall{parameters: malformed})
	}
}
