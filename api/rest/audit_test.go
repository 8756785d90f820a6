package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
)

func TestAuditLog(t *testing.T) {
	t.Parallel()
	e := begin(t)
	type record struct {
		Actor  *uuid.UUID      `json:"actor_id"`
		Action string          `json:"action"`
		Type   string          `json:"target_type"`
		Target uuid.UUID       `json:"target_id"`
		Detail json.RawMessage `json:"detail"`
	}
	read := func(user uuid.UUID) (records []record) {
		a := e.as(t, user).get(fmt.Sprintf(
			"/rpc/audit_log?workspace=%s&order=occurred_at&select=actor_id,action,target_type,target_id,detail",
			e.Workspace))
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NoError(t, json.Unmarshal([]byte(a.body), &records))
		return records
	}
	before := len(read(e.Owner)) // of the set-up
	owner := e.as(t, e.Owner)
	do := func(method, path, body string) {
		a := owner.do(method, path, body)
		require.Less(t, a.status, 300, a.body)
	}
	hypothesis := e.Hypothesis(t, e.Tenant, "People pay")
	do(http.MethodPost, "/workspace_invitations",
		fmt.Sprintf(`{"workspace_id": %q, "email": "new@example.com", "role": "editor"}`, e.Workspace))
	do(http.MethodPatch, fmt.Sprintf("/workspace_members?workspace_id=eq.%s&user_id=eq.%s", e.Workspace,
		e.Viewer),
		`{"role": "editor"}`)
	do(http.MethodDelete, fmt.Sprintf("/workspace_members?workspace_id=eq.%s&user_id=eq.%s", e.Workspace,
		e.Viewer), "")
	do(http.MethodPatch, "/workspaces?id=eq."+e.Workspace.String(), `{"name": "Renamed"}`)
	do(http.MethodPost, "/rpc/record_export", fmt.Sprintf(`{"project": %q, "format": "csv", "quotes": 7}`,
		e.Project))
	do(http.MethodDelete, "/hypotheses?id=eq."+hypothesis.String(), "")
	e.Exec(t, `insert into auth.sessions (user_id, ip, user_agent)
		values ($1, '192.0.2.77', 'Mozilla/5.0 Firefox/140.0')`,
		e.Editor)

	var got []string
	records := read(e.Admin)[before:]
	for _, r := range records[:len(records)-1] {
		require.Equal(t, &e.Owner, r.Actor, r.Action)
		got = append(got, fmt.Sprintf("%s %s %s", r.Action, r.Type, r.Detail))
	}
	require.Equal(t, []string{
		`invited invitation {"role": "editor", "email": "new@example.com"}`,
		`role_changed user {"to": "editor", "from": "viewer"}`,
		`member_removed user {"role": "editor"}`,
		`settings_changed workspace {"settings": ["name"]}`,
		`exported project {"format": "csv", "quotes": 7}`,
		`deleted hypothesis {}`,
	}, got)
	require.Equal(t, "signed_in", records[len(records)-1].Action)
	csv := owner.get(fmt.Sprintf("/rpc/audit_log?workspace=%s&action=eq.signed_in", e.Workspace), "Accept",
		"text/csv")
	require.Regexp(t, `^id,occurred_at,actor_id,actor_email,action,.*\n.*,signed_in,.*,192\.0\.2\.0/24,Firefox$`,
		csv.body)

	require.Empty(t, read(e.Editor), "it is for admins")
	require.Empty(t, read(e.Tenant.Viewer), "who was removed")
	other := e.DB.Tenant(t)
	require.Empty(t, read(other.Owner))
	a := e.as(t, other.Owner).do(http.MethodPost, "/rpc/record_export",
		fmt.Sprintf(`{"project": %q, "format": "csv", "quotes": 7}`, e.Project))
	require.Equal(t, "false", a.body)

	// Nobody changes it.
	e.AsOwner(t, func(c *pgx.Conn) {
		for _, sql := range []string{
			"update private.audit_records set actor_id = null", "delete from private.audit_records",
			"set role service_role; delete from private.audit_records",
		} {
			_, err := c.Exec(t.Context(), sql)
			require.ErrorContains(t, err, "do not change", sql)
		}
	})
	e.Exec(t, `insert into private.audit_records (workspace_id, occurred_at, action, target_type)
		values ($1, now() - interval '2 years', 'old', 'user')`, e.Workspace)
	deleted, err := db.AsService(t.Context(), e.store, func(q *db.Queries) (int64, error) {
		return q.DeleteOldAuditRecords(t.Context(), db.DeleteOldAuditRecordsParams{
			Before: time.Now().AddDate(-1, 0, 0), Most: 10,
		})
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, deleted)
}
