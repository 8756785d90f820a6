package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A thief with a session links an account of their own. The mail about it undoes that.
func TestLinkOfAThiefIsUndone(t *testing.T) {
	t.Parallel()
	thief := newPerson("thief")
	s, _ := startWithProvider(t, []person{thief})
	s.startWorker(t)
	stolen := s.signIn(t, s.Editor)
	s.link(t, stolen, thief)
	theirs := s.signInBy(t, thief)
	require.Equal(t, s.Editor.String(), theirs.user)

	mail := s.waitForMail(t, s.email(t, s.Editor), "A way to sign in was added to your account")
	token := linkIn(t, mail).Get("token")
	require.NotEmpty(t, token, mail)
	status := s.pressButton(t, "/auth/v1/undo", url.Values{"token": {token}})
	require.Equal(t, http.StatusOK, status)
	require.False(t, s.works(t, theirs))
	require.NotEqual(t, s.Editor.String(), s.signInBy(t, thief).user)
	s.signIn(t, s.Editor)
}

// pressButton sends the form of a page of the service, and returns the status of the next page.
func (s *service) pressButton(t testing.TB, path string, form url.Values) (status int) {
	t.Helper()
	body := strings.NewReader(form.Encode())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url()+path, body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
