package auth_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListUsers(t *testing.T) {
	t.Parallel()
	e := setup(t)
	admin := []string{"apikey: " + serviceKey, bearer(serviceKey)}
	ada := e.User(t, "ada@example.com").String()
	e.User(t, "grace@other.example")
	e.User(t, "lin_a@example.com")
	e.Exec(t, `update auth.users set created_at = now() - interval '1 hour' where id = $1`, ada)
	e.Exec(t,
		`update auth.users set raw_user_meta_data = '{"full_name": "Ada L\u00f6velace"}' where id = $1`, ada)

	// list returns the addresses of the users that a query finds.
	list := func(t *testing.T, query url.Values) (found []string, a answer) {
		t.Helper()
		a = e.do(t, "GET", "/admin/users?"+query.Encode(), "", admin...)
		require.Equal(t, 200, a.status, a.raw)
		for _, user := range a.body["users"].([]any) {
			found = append(found, user.(map[string]any)["email"].(string))
		}
		return found, a
	}

	t.Run("finds users by a part of the address or the name", func(t *testing.T) {
		t.Parallel()
		for filter, want := range map[string][]string{
			"ada@":             {"ada@example.com"},
			"ADA@Example":      {"ada@example.com"},
			"L\u00d6VE":        {"ada@example.com"},
			"other.example":    {"grace@other.example"},
			"n_a":              {"lin_a@example.com"}, // no pattern
			"%":                nil,
			"nobody@x.example": nil,
		} {
			found, a := list(t, url.Values{"filter": {filter}, "per_page": {"1"}})
			require.Equal(t, want, found, filter)
			require.Len(t, want, len(found))
			if want != nil {
				require.Equal(t, "1", a.header.Get("X-Total-Count"), "of those found")
				require.Contains(t, a.header.Get("Link"), "filter=")
			}
		}
		found, _ := list(t, url.Values{"filter": {""}})
		require.Len(t, found, 3)
	})

	t.Run("sorts them by their creation", func(t *testing.T) {
		t.Parallel()
		newest, _ := list(t, url.Values{"sort": {"created_at desc"}})
		require.Equal(t, "ada@example.com", newest[2])
		oldest, _ := list(t, url.Values{"sort": {"created_at asc"}})
		require.Equal(t, "ada@example.com", oldest[0])
	})

	t.Run("rejects parameters that it does not know", func(t *testing.T) {
		t.Parallel()
		for _, query := range []string{
			"email=ada@example.com", "filter=a&filter=b", "sort=email", "sort=created_at+sideways", "Filter=a",
			"filter=%00", "filter=%ff",
		} {
			requireError(t, e.do(t, "GET", "/admin/users?"+query, "", admin...), 400, "validation_failed")
		}
		a := e.do(t, "GET", "/admin/users/"+ada+"/factors?status=verified", "", admin...)
		requireError(t, a, 400, "validation_failed")
	})
}
