package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"research/config"
	"research/db/dbtest"
)

// visit has the doctor look at settings, and returns the findings and whether the exit code is 0.
func visit(t *testing.T, env map[string]string) (findings []finding, healthy bool) {
	t.Helper()
	cfg, err := config.Load(func(name string) string { return env[name] })
	require.NoError(t, err)
	var out bytes.Buffer
	err = examine(t.Context(), cfg, true, &out)
	if err != nil {
		require.Equal(t, exitCode(1), err)
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &findings))
	for _, secret := range []string{"anon-key", "service-key", "cron-secret", "sekret"} {
		require.NotContains(t, out.String(), secret)
	}
	return findings, err == nil
}

// waitForFinding has the doctor look until it finds one about the check, in a state, with words in it: what it asks may be busy. There must be advice, and a fault must fail the command.
func (s *service) waitForFinding(t *testing.T, env map[string]string, check, state, words string) {
	t.Helper()
	var findings []finding
	defer logOnFailure(t, &findings)
	s.eventually(t, func() (found bool) {
		var healthy bool
		findings, healthy = visit(t, env)
		return slices.ContainsFunc(findings, func(f finding) bool {
			return f.Check == check && f.State == state && strings.Contains(f.Found, words) && f.Do != "" && (state != isFault || !healthy)
		})
	})
}

func logOnFailure(t *testing.T, findings *[]finding) {
	t.Helper()
	if t.Failed() {
		t.Logf("findings: %+v", *findings)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/v1/models":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("Authorization") != "Bearer good-sekret":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"data":[{"id":"small"},{"id":"large"}]}`))
		}
	}))
	t.Cleanup(model.Close)
	s := startService(t, "PAYLOAD_KEYS", payloadKey("k1", 'x'), "TEMPORAL_UI_URL", model.URL, "CODEC_SECRET", "sekret-sekret-sekret")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	_, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	s.post(t, "/api/import/"+uploaded["importId"].(string)+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h}})
	s.waitForStatus(t, editor, uploaded["importId"].(string), "parsed")

	// with is the service's environment, changed.
	with := func(pairs ...string) map[string]string {
		env := map[string]string{"OPENAI_BASE_URL": model.URL + "/v1", "OPENAI_API_KEY": "good-sekret", "OPENAI_MODEL": "small", "MAIL_DIR": t.TempDir()}
		for _, name := range config.Names() {
			if value := s.getenv(name); value != "" {
				env[name] = value
			}
		}
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}

	t.Run("a schedule that an operator paused", func(t *testing.T) { // alone, and before the others
		schedule := s.temporal.ScheduleClient().GetHandle(t.Context(), "digest-daily")
		require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{}))
		s.waitForFinding(t, with(), "schedules", isWarn, "digest-daily paused")
		require.NoError(t, schedule.Unpause(t.Context(), client.ScheduleUnpauseOptions{}))
	})

	t.Run("finds nothing at fault where the service works", func(t *testing.T) {
		t.Parallel()
		var findings []finding
		defer logOnFailure(t, &findings)
		s.eventually(t, func() bool { // a new worker shows as a poller within a moment
			var healthy bool
			findings, healthy = visit(t, with())
			return healthy && !slices.ContainsFunc(findings, func(f finding) bool { return f.State != isFine && f.Check != "mail" })
		})
	})

	empty := dbtest.Empty(t)
	stranger := "stranger_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	s.Exec(t, "create role "+stranger+" login password 'sekret'")
	t.Cleanup(func() { s.Exec(t, "drop role "+stranger) })
	asStranger, err := url.Parse(s.URL)
	require.NoError(t, err)
	asStranger.User = url.UserPassword(stranger, "sekret")
	nobody := freeAddress(t)
	for name, tt := range map[string]struct {
		env                 []string
		check, state, words string
	}{
		"a setting is missing":            {[]string{"CRON_SECRET", ""}, "settings", isFault, "CRON_SECRET"},
		"the keys are the same":           {[]string{"ANON_KEY", "service-key"}, "keys", isFault, "SERVICE_ROLE_KEY"},
		"passwords in plain text":         {[]string{"PUBLIC_URL", "http://api.example.com"}, "public url", isWarn, "plain text"},
		"no database there":               {[]string{"DATABASE_URL", "postgres://me:sekret@" + nobody + "/x"}, "postgresql", isFault, "reach the database"},
		"no database of the name":         {[]string{"DATABASE_URL", s.URL + "_gone"}, "postgresql", isFault, "no database of this name"},
		"no migrations":                   {[]string{"DATABASE_URL", empty.URL}, "migrations", isFault, "missing"},
		"a login without rights":          {[]string{"DATABASE_URL", asStranger.String()}, "roles", isFault, "may not become anon, authenticated, authenticator, service_role"},
		"no Temporal there":               {[]string{"TEMPORAL_ADDRESS", nobody}, "temporal", isFault, "unavailable"},
		"no namespace":                    {[]string{"TEMPORAL_NAMESPACE", "nowhere-" + uuid.NewString()}, "temporal", isFault, "no namespace"},
		"the wrong key for payloads":      {[]string{"PAYLOAD_KEYS", payloadKey("k1", 'y')}, "payloads", isFault, `the key "k1" in PAYLOAD_KEYS is not the one`},
		"a key for payloads is missing":   {[]string{"PAYLOAD_KEYS", payloadKey("k2", 'y')}, "payloads", isFault, `the key "k1", which is not in PAYLOAD_KEYS`},
		"no keys for payloads":            {[]string{"PAYLOAD_KEYS", "", "CODEC_SECRET", ""}, "payloads", isFault, "PAYLOAD_KEYS is not set"},
		"keys for payloads are misspelt":  {[]string{"PAYLOAD_KEYS", "sekret"}, "temporal", isFault, "id:base64"},
		"nobody can decrypt":              {[]string{"CODEC_SECRET", ""}, "codec", isWarn, "cannot show"},
		"no UI":                           {[]string{"TEMPORAL_UI_URL", ""}, "temporal ui", isWarn, "not set"},
		"the UI is away":                  {[]string{"TEMPORAL_UI_URL", "http://" + nobody}, "temporal ui", isWarn, "nothing answers"},
		"no model":                        {[]string{"OPENAI_BASE_URL", "", "OPENAI_API_KEY", "", "OPENAI_MODEL", ""}, "model", isWarn, "keyword"},
		"the model's key is refused":      {[]string{"OPENAI_API_KEY", "bad-sekret"}, "model", isFault, "refuses the key"},
		"the model is not there":          {[]string{"OPENAI_MODEL", "huge"}, "model", isFault, "huge"},
		"the model's server is not there": {[]string{"OPENAI_BASE_URL", "http://" + nobody + "/v1"}, "model", isFault, "does not answer"},
		"no mail server there":            {[]string{"SMTP_URL", "smtp://me:sekret@" + nobody}, "mail", isFault, "reached"},
		"mails become files":              {nil, "mail", isWarn, "files"},
		"the folder of mails is none":     {[]string{"MAIL_DIR", "/dev/null/mails"}, "mail", isFault, "MAIL_DIR"},
		"no collector of traces there":    {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://" + nobody}, "traces", isWarn, "nothing answers"},
		"headers of traces are misspelt":  {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://" + nobody, "OTEL_EXPORTER_OTLP_HEADERS", "sekret"}, "traces", isFault, "name=value"},
		"a private key is none":           {[]string{"JWT_PRIVATE_KEY", "sekret"}, "tokens", isFault, "JWT_PRIVATE_KEY"},
		"metrics on the API's address":    {[]string{"METRICS_ADDR", s.cfg.HTTP.Addr}, "metrics", isFault, "HTTP_ADDR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.waitForFinding(t, with(tt.env...), tt.check, tt.state, tt.words)
		})
	}

	t.Run("a namespace that no program has prepared", func(t *testing.T) {
		t.Parallel()
		bare := "bare-" + uuid.NewString()[:8]
		makeNamespace(t, s.cfg.Temporal.Address, bare)
		env := with("TEMPORAL_NAMESPACE", bare)
		s.waitForFinding(t, env, "search attributes", isFault, "WorkspaceId, ProjectId, ImportId")
		s.waitForFinding(t, env, "schedules", isFault, "reconcile-imports")
		s.waitForFinding(t, env, "workers", isFault, "research-control, research-parse, research-mail")
	})

	t.Run("clocks that differ", func(t *testing.T) {
		t.Parallel()
		var d doctor
		d.clock(-time.Minute, time.Millisecond)
		require.Equal(t, isFault, d.findings[0].State)
		require.Contains(t, d.findings[0].Found, "differ by 1m0s")
		d = doctor{}
		d.clock(time.Second, time.Millisecond)
		require.Equal(t, isFine, d.findings[0].State)
	})

	t.Run("is written for people", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		d := doctor{}
		d.fine("one", "works")
		d.fault("two", "broken", "mend it")
		require.NoError(t, d.print(false, &out))
		require.Equal(t, "ok    one                works\nFAIL  two                broken\n                         → mend it\n", out.String())
	})
}
