package mail_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/mail"
	"research/api/reference/contract"
	"research/db/dbtest"
)

const secret = "the-secret-of-the-relay"

// A fixture is a database with a tenant, and the handler.
type fixture struct {
	*dbtest.DB
	dbtest.Tenant
	handler http.Handler
	logs    strings.Builder
	opened  []string // URLs that the handler has opened
	answer  int      // status of the response to them; 0 means that nobody answers
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{DB: dbtest.New(t), answer: http.StatusOK}
	f.Tenant = f.DB.Tenant(t)
	var err error
	f.handler, err = mail.New(mail.Deps{
		Store: f.Store, Log: slog.New(slog.NewTextHandler(&f.logs, nil)), Secret: secret, HTTP: f,
	})
	require.NoError(t, err)
	return f
}

// RoundTrip stands in for Amazon.
func (f *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	f.opened = append(f.opened, r.URL.String())
	if f.answer == 0 {
		return nil, errors.New("nobody answers")
	}
	w := httptest.NewRecorder()
	w.WriteHeader(f.answer)
	return w.Result(), nil
}

func (f *fixture) request(
	t *testing.T, contentType, body string, authorize func(*http.Request),
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/events", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	authorize(r)
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	contract.Check(t, contract.Exchange{
		Method: http.MethodPost, Path: "/api/mail/events", Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	require.NotContains(t, w.Body.String()+f.logs.String(), "@example.com", "no address is returned or logged")
	return w
}

func withSecret(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }

// post sends a body that must be accepted, and returns how many of its events were read and recorded.
func (f *fixture) post(t *testing.T, contentType, body string) (events, recorded int) {
	t.Helper()
	w := f.request(t, contentType, body, withSecret)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	var answer struct {
		OK               bool
		Events, Recorded int
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	require.True(t, answer.OK)
	return answer.Events, answer.Recorded
}

func (f *fixture) requireRejected(t *testing.T, contentType, body string) {
	t.Helper()
	w := f.request(t, contentType, body, withSecret)
	require.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", body, w.Body)
	require.Contains(t, w.Body.String(), `"error":"invalid_request"`)
}

func (f *fixture) address(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, f.DB, `select email from auth.users where id = $1`, user)
}

// cause returns why a user's address is suppressed. It is empty if it is not.
func (f *fixture) cause(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, f.DB, `select coalesce((
		select r.suppressed_by from private.mail_refusals r
		join auth.users u on lower(u.email) = r.address
		where u.id = $1 and r.suppressed_at is not null), '')`, user)
}

// sentDigest adds a digest that was sent to a user, and returns its Message-ID.
func (f *fixture) sentDigest(t *testing.T, user uuid.UUID) (messageID string) {
	t.Helper()
	id := uuid.New()
	messageID = "digest." + id.String() + "@research.example.com"
	f.Exec(t, `insert into digest_deliveries
		(id, user_id, frequency, period, window_start, window_end, status, message_id, sent_at)
		values ($1, $2, 'daily', '2026-11-20', '2026-11-20', '2026-11-21', 'sent', $3, now())`, id, user, messageID)
	return messageID
}

// digestStatus returns the status and reason of a user's digest.
func (f *fixture) digestStatus(t *testing.T, user uuid.UUID) string {
	t.Helper()
	query := `select concat_ws(' ', status, reason) from digest_deliveries where user_id = $1`
	return dbtest.Value[string](t, f.DB, query, user)
}

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := mail.New(mail.Deps{})
	require.Error(t, err)
}

func TestEventsRequireTheSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	header := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", value) }
	}
	basic := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("relay", password) }
	}
	for name, tt := range map[string]struct {
		authorize func(*http.Request)
		status    int
	}{
		"nothing":               {func(*http.Request) {}, http.StatusUnauthorized},
		"another secret":        {header("Bearer x"), http.StatusUnauthorized},
		"the secret alone":      {header(secret), http.StatusUnauthorized},
		"another password":      {basic("x"), http.StatusUnauthorized},
		"a bearer token":        {withSecret, http.StatusOK},
		"the password of a URL": {basic(secret), http.StatusOK},
	} {
		w := f.request(t, "application/json", `{"events": []}`, tt.authorize)
		require.Equal(t, tt.status, w.Code, name)
		if tt.status == http.StatusUnauthorized {
			require.Contains(t, w.Header().Values("WWW-Authenticate"), `Basic realm="mail events"`,
				"Amazon SNS sends a password only when it is asked")
		}
	}
}

func TestEventsOfOurOwnForm(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	event := func(fields string) string { return `{"events": [{` + fields + `}]}` }
	to := func(user uuid.UUID) string { return `"recipient": "` + strings.ToUpper(f.address(t, user)) + `"` }

	t.Run("a permanent bounce suppresses the address", func(t *testing.T) {
		events, recorded := f.post(t, "application/json",
			event(`"type": "bounce", "permanent": true, `+to(f.Viewer)))
		require.Equal(t, 1, events)
		require.Equal(t, 1, recorded)
		require.Equal(t, "hard_bounce", f.cause(t, f.Viewer))
		require.Empty(t, f.cause(t, f.Editor))
	})

	t.Run("a complaint suppresses the address, and remains the cause", func(t *testing.T) {
		f.post(t, "application/json", event(`"type": "complaint", `+to(f.Viewer)))
		require.Equal(t, "complaint", f.cause(t, f.Viewer))
		f.post(t, "application/json",
			event(`"type": "bounce", "permanent": true, `+to(f.Viewer)))
		require.Equal(t, "complaint", f.cause(t, f.Viewer))
		f.post(t, "application/json", event(`"type": "delivery", `+to(f.Viewer)))
		require.Equal(t, "complaint", f.cause(t, f.Viewer))
	})

	t.Run("without permanent, the status decides", func(t *testing.T) {
		for _, temporary := range []string{`"status": "4.2.2"`, `"permanent": false, "status": "5.1.1"`,
			`"reply": "gone?"`} {
			events, _ := f.post(t, "application/json", event(`"type": "bounce", `+temporary+`, `+to(f.Editor)))
			require.Zero(t, events, temporary)
		}
		f.post(t, "application/json", event(`"type": "bounce", "reply": "550 5.1.1 no such user", `+to(f.Editor)))
		require.Equal(t, "hard_bounce", f.cause(t, f.Editor))
	})

	t.Run("an address of nobody is not recorded", func(t *testing.T) {
		_, recorded := f.post(t, "application/json",
			event(`"type": "complaint", "recipient": "stranger@example.com"`))
		require.Zero(t, recorded)
		require.Zero(t, dbtest.Value[int](t, f.DB,
			`select count(*) from private.mail_refusals where address like 'stranger%'`))
	})

	t.Run("a wrong event is rejected, and none is recorded", func(t *testing.T) {
		for _, wrong := range []string{
			`{`, `[]`, `{}`, `{"events": {}}`, event(`"type": "bounce"`), event(`"type": "joy", ` + to(f.Admin)),
			event(`"type": "bounce", "hard": true, ` + to(f.Admin)), event(`"type": 5`),
			`{"events": [{"type": "complaint", ` + to(f.Admin) + `}, {"type": "complaint"}]}`,
		} {
			f.requireRejected(t, "application/json", wrong)
		}
		require.Empty(t, f.cause(t, f.Admin))
	})

	t.Run("a body that is too large or of another type is rejected", func(t *testing.T) {
		many := `{"events": [` + strings.Repeat(`{"type": "complaint", "recipient": "a@b"},`, 1001)
		many = strings.TrimSuffix(many, ",") + "]}"
		require.Equal(t, http.StatusRequestEntityTooLarge, f.request(t, "application/json", many, withSecret).Code)
		huge := strings.Repeat(" ", 3<<20)
		require.Equal(t, http.StatusRequestEntityTooLarge, f.request(t, "application/json", huge, withSecret).Code)
		require.Equal(t, http.StatusUnsupportedMediaType, f.request(t, "image/png", "", withSecret).Code)
		require.Equal(t, http.StatusUnsupportedMediaType, f.request(t, "", "", withSecret).Code)
	})
}

func TestBouncesThatAreNotAboutTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	full := `{"events": [{"type": "bounce", "status": "5.2.2", "recipient": "` + f.address(t, f.Viewer) + `"}]}`
	halfADayLater := func() {
		f.Exec(t, `update private.mail_refusals set bounced_at = bounced_at - interval '13 hours'`)
	}
	_, recorded := f.post(t, "application/json", full)
	require.Equal(t, 1, recorded)
	_, recorded = f.post(t, "application/json", full)
	require.Zero(t, recorded, "a repeated event counts once")
	halfADayLater()
	f.post(t, "application/json", full)
	require.Empty(t, f.cause(t, f.Viewer))
	halfADayLater()
	f.post(t, "application/json", full)
	require.Equal(t, "bounces", f.cause(t, f.Viewer), "the third suppresses the address")

	f.Exec(t, `update private.mail_refusals set suppressed_at = null, suppressed_by = null, bounces = 2,
		bounced_at = now() - interval '31 days'`)
	f.post(t, "application/json", full)
	require.Empty(t, f.cause(t, f.Viewer), "those of a month ago are forgotten")

	f.post(t, "application/json",
		`{"events": [{"type": "delivery", "recipient": "`+f.address(t, f.Viewer)+`"}]}`)
	require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from private.mail_refusals`),
		"a mail that arrived clears the count")
}
