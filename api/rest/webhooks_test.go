package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Admins register an endpoint by the data API. The answer has the secret, once.
func TestWebhookEndpoints(t *testing.T) {
	t.Parallel()
	e := begin(t)
	body := func(events string) string {
		return fmt.Sprintf(`{"workspace_id": %q, "url": "https://receiver.example/hook", "events": %s}`,
			e.Workspace, events)
	}
	admin := e.as(t, e.Admin)
	var added []struct {
		ID     string
		Secret *string
	}
	a := admin.do(http.MethodPost, "/webhook_endpoints", body(`["import.*", "evidence.accepted"]`),
		"Prefer", "return=representation")
	require.Equal(t, http.StatusCreated, a.status, a.body)
	require.NoError(t, json.Unmarshal([]byte(a.body), &added))
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, *added[0].Secret)

	a = admin.get("/webhook_endpoints?select=id,secret,active")
	require.JSONEq(t, fmt.Sprintf(`[{"id": %q, "secret": null, "active": true}]`, added[0].ID), a.body)
	a = admin.do(http.MethodPatch, "/webhook_endpoints?id=eq."+added[0].ID, `{"active": false}`,
		"Prefer", "return=representation")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.NotContains(t, a.body, "whsec_")

	for _, wrong := range []string{
		body(`["import.parsed", "Import.Parsed"]`), body(`["invoice.paid"]`), body(`[]`),
		fmt.Sprintf(`{"workspace_id": %q, "url": "ftp://receiver.example/"}`, e.Workspace),
		fmt.Sprintf(`{"workspace_id": %q, "url": "https://user:password@receiver.example/"}`, e.Workspace),
	} {
		a = admin.do(http.MethodPost, "/webhook_endpoints", wrong)
		require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", wrong, a.body)
	}
	a = admin.do(http.MethodPatch, "/webhook_endpoints?id=eq."+added[0].ID, `{"secret": "whsec_chosen"}`)
	require.Equal(t, http.StatusForbidden, a.status, a.body)
	a = e.as(t, e.Editor).do(http.MethodPost, "/webhook_endpoints", body(`["*"]`))
	require.Equal(t, http.StatusForbidden, a.status, a.body)
	require.Equal(t, "[]", e.as(t, e.Editor).get("/webhook_endpoints").body)
}

// A workspace has a limited number of endpoints, also within one request, and begins a limited number within
// an hour.
func TestWebhookEndpointsAreLimited(t *testing.T) {
	t.Parallel()
	e := begin(t)
	d := e.DB
	d.Exec(t, `insert into private.settings (name, value) values ('webhook_endpoints', '3')
		on conflict (name) do update set value = excluded.value`)
	admin := e.as(t, e.Admin)
	endpoint := fmt.Sprintf(`{"workspace_id": %q, "url": "https://receiver.example/hook"}`, e.Workspace)
	add := func(body string) answer { return admin.do(http.MethodPost, "/webhook_endpoints", body) }
	require.Equal(t, http.StatusTooManyRequests, add("["+endpoint+strings.Repeat(","+endpoint, 3)+"]").status)
	require.Equal(t, http.StatusCreated, add("["+endpoint+strings.Repeat(","+endpoint, 2)+"]").status)
	a := add(endpoint)
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	require.Contains(t, a.body, "The workspace has 3 webhook endpoints, which is the limit.")

	one := "/webhook_endpoints?id=eq." +
		dbtest.Value[string](t, d, `select min(id::text) from webhook_endpoints`)
	for i := range 12 {
		a = admin.do(http.MethodPatch, one,
			fmt.Sprintf(`{"url": "https://receiver.example/%d"}`, i))
		require.Equal(t, http.StatusNoContent, a.status, a.body)
	}
	a = admin.do(http.MethodPatch, one, `{"url": "https://receiver.example/"}`)
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	a = admin.do(http.MethodPatch, one, `{"events": ["import.*"]}`)
	require.Equal(t, http.StatusNoContent, a.status, a.body)
	d.Exec(t, `alter table private.audit_records disable trigger user`)
	d.Exec(t, `update private.audit_records set occurred_at = now() - interval '61 minutes'`)
	a = admin.do(http.MethodPatch, one, `{"url": "https://receiver.example/"}`)
	require.Equal(t, http.StatusNoContent, a.status, a.body)
}
