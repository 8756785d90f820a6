package notifications_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/internal/unsubscribe"
)

// unsubscribePath is the path of a link with this token.
func unsubscribePath(token string) string {
	return "/unsubscribe?" + url.Values{"token": {token}}.Encode()
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	h := handler(t, d, &fakeTemporal{}, 0)
	key, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (unsubscribe.Key, error) {
		return q.GetSecret(t.Context(), unsubscribe.SecretName)
	})
	require.NoError(t, err)
	frequency := func(user uuid.UUID) string {
		return dbtest.Value[string](t, d, `select frequency::text from digest_preferences where user_id = $1`, user)
	}
	d.Exec(t, `update digest_preferences set frequency = 'daily'`)

	t.Run("GET shows a page and changes nothing; its button unsubscribes without sign-in", func(t *testing.T) {
		t.Parallel()
		link := unsubscribePath(key.Token(unsubscribe.Digests, n.Viewer))
		for range 2 {
			w := do(t, h, http.MethodGet, link, "", "")
			require.Equal(t, http.StatusOK, w.Code)
			require.Contains(t, w.Body.String(),
				`<form method="post"><button type="submit">Unsubscribe</button></form>`)
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"), "the URL has the token")
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
			require.Equal(t, "daily", frequency(n.Viewer))
		}
		w := do(t, h, http.MethodPost, link, "", "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), "You have been unsubscribed")
		require.Equal(t, "off", frequency(n.Viewer))
		require.Equal(t, "daily", frequency(n.Editor), "nobody else is unsubscribed")
		again := do(t, h, http.MethodPost, link, "", "")
		require.Equal(t, http.StatusOK, again.Code, "a repetition is not an error")
	})

	t.Run("the one-click POST of a mail program unsubscribes", func(t *testing.T) {
		t.Parallel()
		link := unsubscribePath(key.Token(unsubscribe.Digests, n.Admin))
		require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, link, "", "List-Unsubscribe=One-Click").Code)
		require.Equal(t, "off", frequency(n.Admin))
	})

	t.Run("a user who no longer exists is not an error", func(t *testing.T) {
		t.Parallel()
		link := unsubscribePath(key.Token(unsubscribe.Digests, uuid.New()))
		require.Equal(t, http.StatusOK, do(t, h, http.MethodPost, link, "", "").Code)
	})

	good := key.Token(unsubscribe.Digests, n.Owner)
	for name, bad := range map[string]string{
		"no token":              "",
		"not base64":            "%%",
		"cut off":               good[:len(good)-1],
		"longer":                good + "A",
		"for another list":      key.Token("news", n.Owner),
		"signed by another key": unsubscribe.Key("guess").Token(unsubscribe.Digests, n.Owner),
		"signed without a key":  unsubscribe.Key(nil).Token(unsubscribe.Digests, n.Owner),
		"of another user":       key.Token(unsubscribe.Digests, n.Editor)[:10] + good[10:],
		"only the user's id":    n.Owner.String(),
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" rejects a bad token: "+name, func(t *testing.T) {
				t.Parallel()
				w := do(t, h, method, unsubscribePath(bad), "", "")
				require.Equal(t, http.StatusBadRequest, w.Code)
				require.Contains(t, w.Body.String(), "This link does not work")
				require.Equal(t, "daily", frequency(n.Owner))
			})
		}
	}

	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run(method+" asks to try again while the database is unavailable", func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			h := handler(t, d, &fakeTemporal{}, 0)
			d.Close()
			w := do(t, h, method, unsubscribePath(good), "", "")
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.NotEmpty(t, w.Header().Get("Retry-After"))
			require.Contains(t, w.Body.String(), "Nothing was changed")
		})
	}
}
