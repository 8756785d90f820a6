package imports_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

func TestQuotasOfUploads(t *testing.T) {
	t.Parallel()
	const sentence = "Ada: We pay too much.\n"
	setQuota := func(t *testing.T, u *uploads, name, value string) {
		u.Exec(t, `insert into private.settings values ($1, $2)
			on conflict (name) do update set value = excluded.value`, name, value)
	}
	upload := func(t *testing.T, u *uploads) (int, string) {
		contentType, body := u.file(t, sentence, false)
		return u.send(t, u.Editor, contentType, body)
	}
	anotherWorkspace := func(t *testing.T, u *uploads) {
		creator := u.Owner
		u.Tenant = u.DB.Tenant(t)
		u.Owner = creator
		u.Exec(t, `update workspaces set created_by = $1 where id = $2`, creator, u.Workspace)
	}

	t.Run("storage of a workspace is free again when an interview is deleted", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(*imports.Deps) {})
		setQuota(t, u, "workspace_storage", "10000") // more than one interview, and less than three
		for range 2 {
			status, _ := upload(t, u)
			require.Equal(t, http.StatusCreated, status)
		}
		status, code := upload(t, u)
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Equal(t, "storage_quota_exceeded", code)
		require.EqualValues(t, 2, dbtest.Value[int](t, u.DB, `select count(*) from imports`))

		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete,
			u.url+"/"+dbtest.Value[uuid.UUID](t, u.DB, `select id from imports limit 1`).String(), nil)
		require.NoError(t, err)
		req.Header.Set("apikey", tokentest.AnonKey)
		req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, u.Editor))
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode)
		status, _ = upload(t, u)
		require.Equal(t, http.StatusCreated, status)
	})

	t.Run("storage of an account is that of all workspaces it created", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(*imports.Deps) {})
		setQuota(t, u, "account_storage", "10000")
		for range 2 {
			anotherWorkspace(t, u)
			status, _ := upload(t, u)
			require.Equal(t, http.StatusCreated, status)
		}
		anotherWorkspace(t, u)
		status, code := upload(t, u)
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Equal(t, "storage_quota_exceeded", code)
	})

	for _, quota := range []string{"workspace_uploads_per_day", "account_uploads_per_day"} {
		t.Run(quota+" counts deleted interviews, until the next day", func(t *testing.T) {
			t.Parallel()
			u := serveUploads(t, func(*imports.Deps) {})
			setQuota(t, u, quota, "2")
			for range 2 {
				status, _ := upload(t, u)
				require.Equal(t, http.StatusCreated, status)
			}
			u.Exec(t, `delete from imports`)
			contentType, body := u.file(t, sentence, false)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+"/", body)
			require.NoError(t, err)
			req.Header.Set("apikey", tokentest.AnonKey)
			req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, u.Editor))
			req.Header.Set("Content-Type", contentType)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			raw, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
			wait, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s")
			require.NoError(t, err)
			require.LessOrEqual(t, wait, 24*time.Hour+time.Second)
			var answer struct{ Error, Message string }
			require.NoError(t, json.Unmarshal(raw, &answer))
			require.Equal(t, "too_many_uploads", answer.Error)
			require.Contains(t, answer.Message, "00:00 UTC")

			u.Exec(t, `update private.daily_usage set day = day - 1`)
			status, _ := upload(t, u)
			require.Equal(t, http.StatusCreated, status)
		})
	}

	t.Run("0 is no limit", func(t *testing.T) {
		t.Parallel()
		u := serveUploads(t, func(*imports.Deps) {})
		for _, quota := range []string{
			"workspace_storage", "account_storage", "workspace_uploads_per_day", "account_uploads_per_day",
		} {
			setQuota(t, u, quota, "0")
		}
		for range 2 {
			status, _ := upload(t, u)
			require.Equal(t, http.StatusCreated, status)
		}
	})
}
