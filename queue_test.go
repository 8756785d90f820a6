package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A full queue is told, with the import as it was: for one workspace first, then for everybody.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "PARSE_QUEUE_LIMIT", "3", "PARSE_QUEUE_LIMIT_WORKSPACE", "2")
	other := *s
	other.Tenant = s.DB.Tenant(t)

	add := func(s *service) (editor, path string, wanted uuid.UUID) {
		editor = s.signIn(t, s.Editor)
		status, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
		require.Equal(t, http.StatusCreated, status)
		return editor, "/api/import/" + uploaded["importId"].(string), s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	}
	parse := func(s *service, editor, path string, wanted uuid.UUID) (status int, code, retryAfter string) {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.cfg.HTTP.PublicURL+path+"/parse", strings.NewReader(`{"hypothesisIds": ["`+wanted.String()+`"]}`))
		require.NoError(t, err)
		req.Header.Set("apikey", s.cfg.Keys.Anon)
		req.Header.Set("Authorization", "Bearer "+editor)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		var answer struct{ Error string }
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
		return resp.StatusCode, answer.Error, resp.Header.Get("Retry-After")
	}
	accepted := func(s *service) (editor, path string, wanted uuid.UUID) {
		editor, path, wanted = add(s)
		status, code, _ := parse(s, editor, path, wanted)
		require.Equal(t, http.StatusOK, status, code)
		return editor, path, wanted
	}
	refused := func(s *service) (editor, path string, wanted uuid.UUID) {
		editor, path, wanted = add(s)
		status, code, retryAfter := parse(s, editor, path, wanted)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Equal(t, "queue_full", code)
		require.Equal(t, "30", retryAfter)
		_, mirror := s.do(t, http.MethodGet, path, editor, "", nil)
		require.Equal(t, "uploaded", mirror["status"])
		require.Nil(t, mirror["workflowId"])
		return editor, path, wanted
	}
	accepted(s)
	editor, path, wanted := accepted(s)
	status, code, _ := parse(s, editor, path, wanted)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "import_already_parsing", code, "what is wrong with the import itself comes first")
	again, later, hypothesis := refused(s)
	accepted(&other)
	refused(&other)

	s.startWork(t)
	s.eventually(t, func() bool {
		return dbtest.Value[int](t, s.DB, `select count(*) from imports where status = 'parsed'`) == 3
	})
	status, code, _ = parse(s, again, later, hypothesis)
	require.Equal(t, http.StatusOK, status, code)
}
