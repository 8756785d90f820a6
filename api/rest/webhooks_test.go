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

// What no event could be sent to or about is refused when it is written, in a sentence that says what to do.
func TestWebhookEndpointsAreChecked(t *testing.T) {
	t.Parallel()
	e := begin(t)
	e.DB.Exec(t, `insert into private.settings (name, value)
		values ('webhook_allowed_hosts', 'hooks.internal,10.0.0.5:8080,::1'), ('webhook_endpoints', '1000')
		on conflict (name) do update set value = excluded.value`)
	admin := e.as(t, e.Admin)
	add := func(url, event string) answer {
		body, err := json.Marshal(map[string]any{
			"workspace_id": e.Workspace, "url": url, "events": []string{event},
		})
		require.NoError(t, err)
		return admin.do(http.MethodPost, "/webhook_endpoints", string(body))
	}
	const private, port, literal = "is a private address", "no valid host and port", "not a valid IP address"
	for url, want := range map[string]string{
		"":                                  "must be an address such as",
		"receiver.example":                  "must be an address such as",
		"ftp://receiver.example/":           "must be an address such as",
		"https:///hook":                     "must be an address such as",
		"https://receiver.example/a b":      "white space",
		"https://receiver.example/a\u007f":  "white space",
		"https://receiver.example/%zz":      "a % without two hexadecimal digits",
		"https://user:pw@receiver.example/": "must not contain a user or password",
		"https://receiver.example:0/":       port,
		"https://receiver.example:65536/":   port,
		"https://receiver.example:x/":       port,
		"https://[fe80::1%25eth0]/":         port,
		"http://receiver.example/":          "must begin with https://, unless the operator allows",
		"http://10.0.0.5/":                  "must begin with https://",
		"https://LocalHost/":                private,
		"https://a.localhost./":             private,
		"https://10.0.0.1:8443/":            private,
		"https://10.0.0.5/":                 private,
		"https://127.0.0.1?x":               private,
		"https://169.254.169.254/":          private,
		"https://[::ffff:10.0.0.1]/":        private,
		"https://[fd00::1]:443/":            private,
		"https://127.1/":                    literal,
		"https://2130706433/":               literal,
		"https://0x7f.0.0.0x1/":             literal,
		"https://[1::2::3]/":                literal,
		"https://receiver.example/hook":     "",
		"HTTPS://Receiver.Example:8443":     "",
		"https://8.8.8.8/#a?b":              "",
		"https://[2606:4700::1111]/":        "",
		"https://b\u00fccher.example/":      "",
		"http://HOOKS.internal:9000/":       "",
		"http://10.0.0.5:8080/hook":         "",
		"http://[::1]:9000/":                "",
	} {
		a := add(url, "*")
		if want == "" {
			require.Equal(t, http.StatusCreated, a.status, "%s: %s", url, a.body)
			continue
		}
		require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", url, a.body)
		require.Contains(t, a.body, want, url)
		require.NotContains(t, a.body, "violates")
	}
	for event, nearest := range map[string]string{
		"import.parse": "import.parsed", "Import.Parsed": "import.parsed", "imports.failed": "import.failed",
		"evidence.create": "evidence.created", "hypothesis.changed_status": "hypothesis.status_changed",
		"member.role": "member.role_changed", "import.": "import.failed", "invoice.*": "",
	} {
		a := add("https://receiver.example/", event)
		require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", event, a.body)
		require.Contains(t, a.body, `which is no type of event: did you mean `+nearest, event)
		require.Contains(t, a.body, "import.timed_out")
	}
	a := admin.do(http.MethodPatch, "/webhook_endpoints?url=eq.https://receiver.example/hook",
		`{"url": "https://localhost/"}`)
	require.Equal(t, http.StatusBadRequest, a.status, a.body)
	require.Contains(t, a.body, private)
	a = admin.do(http.MethodPatch, "/webhook_endpoints?url=eq.https://receiver.example/hook",
		`{"events": []}`)
	require.Equal(t, http.StatusBadRequest, a.status, a.body)
	require.Contains(t, a.body, "1 to 50 types")
	// An operator who no longer allows a host keeps nobody from pausing its endpoint.
	e.DB.Exec(t, `delete from private.settings where name = 'webhook_allowed_hosts'`)
	a = admin.do(http.MethodPatch, "/webhook_endpoints?url=eq.http://10.0.0.5:8080/hook",
		`{"url": "http://10.0.0.5:8080/hook", "active": false}`)
	require.Equal(t, http.StatusNoContent, a.status, a.body)
}

// Admins have a test event sent, as often as endpoints can begin.
func TestWebhookTestEvents(t *testing.T) {
	t.Parallel()
	e := begin(t)
	e.DB.Exec(t, `insert into private.settings (name, value) values ('webhook_endpoints', '1')
		on conflict (name) do update set value = excluded.value`)
	admin := e.as(t, e.Admin)
	a := admin.do(http.MethodPost, "/webhook_endpoints",
		fmt.Sprintf(`{"workspace_id": %q, "url": "https://receiver.example/hook"}`, e.Workspace))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	endpoint := dbtest.Value[string](t, e.DB, `select id::text from webhook_endpoints`)
	body := fmt.Sprintf(`{"endpoint": %q}`, endpoint)
	send := func(c *caller) answer { return c.do(http.MethodPost, "/rpc/send_test_event", body) }
	for range 4 {
		a = send(admin)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.JSONEq(t, a.body, dbtest.Value[string](t, e.DB, `
			select to_json(id)::text from webhook_deliveries
			where type = 'webhook.test' and status = 'pending' and endpoint_id = $1`, endpoint))
	}
	a = send(admin)
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	require.Contains(t, a.body, "added, changed or tested 5 times within an hour")
	require.Equal(t, "null", send(e.as(t, e.Editor)).body)
	e.DB.Exec(t, `update webhook_endpoints set active = false`)
	require.Equal(t, "null", send(admin).body)
}
