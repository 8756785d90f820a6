package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"research/activities/mail/smtptest"
	"research/cli"
	"research/db/dbtest"
)

// A finding is what `research doctor --json` prints for a check.
type finding struct{ Check, State, Found, Do string }

// doctor runs `research doctor --json`. It returns the findings, and whether the exit code is 0.
func (s *service) doctor(t *testing.T) (findings []finding, healthy bool) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := cli.Run(t.Context(), []string{"doctor", "--json"}, s.system(strings.NewReader(""), &out, &errOut))
	require.Contains(t, []int{0, 1}, code, errOut.String())
	require.NoError(t, json.Unmarshal(out.Bytes(), &findings), errOut.String())
	for _, secret := range []string{anonKey, serviceKey, "cron-secret", "sekret"} {
		require.NotContains(t, out.String()+errOut.String(), secret)
	}
	return findings, code == 0
}

// waitForFinding waits for a finding of this check, in this state, whose text contains want.Found: the
// dependencies of the doctor may be busy. It must come with advice, and a FAIL must fail the command.
func (s *service) waitForFinding(t *testing.T, want finding) {
	t.Helper()
	var findings []finding
	defer logOnFailure(t, &findings)
	eventually(t, "the doctor finds: "+want.Found, func() bool {
		var healthy bool
		findings, healthy = s.doctor(t)
		return slices.ContainsFunc(findings, func(f finding) bool {
			return f.Check == want.Check && f.State == want.State && strings.Contains(f.Found, want.Found) &&
				f.Do != "" && (f.State != "FAIL" || !healthy)
		})
	})
}

func logOnFailure(t *testing.T, findings *[]finding) {
	t.Helper()
	if t.Failed() {
		t.Logf("findings: %+v", *findings)
	}
}

// newModelList serves the list of models, for those who present the key good-sekret.
func newModelList(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/refuses/"):
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path != "/v1/models":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("Authorization") != "Bearer good-sekret":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"data":[{"id":"small"},{"id":"large"}]}`))
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	model := newModelList(t)
	running := startService(t, "PAYLOAD_KEYS="+payloadKey("k1", 'x'), "TEMPORAL_UI_URL="+model.URL,
		"CODEC_SECRET=sekret-sekret-sekret")
	h := running.Hypothesis(t, running.Tenant, "Closing the books takes days")
	editor := running.signIn(t, running.Editor)
	id := running.add(t, editor, "zoom.vtt", []byte(zoom))
	running.startParse(t, editor, id, h)
	running.waitForStatus(t, editor, id, "parsed")
	s := running.with("OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=good-sekret", "OPENAI_MODEL=small",
		"MAIL_DIR="+t.TempDir())

	// Not in parallel: the other tests need the schedule to run.
	t.Run("a schedule that an operator paused", func(t *testing.T) {
		schedule := s.temporal.ScheduleClient().GetHandle(t.Context(), "digest-daily")
		require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{}))
		s.waitForFinding(t, finding{Check: "schedules", State: "warn", Found: "digest-daily paused"})
		require.NoError(t, schedule.Unpause(t.Context(), client.ScheduleUnpauseOptions{}))
	})

	t.Run("a service that works", func(t *testing.T) {
		t.Parallel()
		var findings []finding
		defer logOnFailure(t, &findings)
		// A new worker takes a moment to show as a poller.
		// Mails become files, nobody makes backups, and the login is a superuser's.
		mayWarn := []string{"mail", "backup", "login"}
		s := s.with("OTEL_EXPORTER_OTLP_ENDPOINT="+newTraceCollector(t).URL,
			"OTEL_EXPORTER_OTLP_HEADERS=x-collector-key="+collectorKey)
		eventually(t, "everything else is ok", func() bool {
			var healthy bool
			findings, healthy = s.doctor(t)
			return healthy && !slices.ContainsFunc(findings, func(f finding) bool {
				return f.State != "ok" && !slices.Contains(mayWarn, f.Check)
			})
		})
	})

	empty, older := dbtest.Empty(t), dbtest.New(t)
	older.Exec(t, `update private.migrations set checksum = repeat('0', 64) where version_id = 3`)
	stranger := "stranger_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	s.Exec(t, "create role "+stranger+" login password 'sekret'")
	t.Cleanup(func() { s.Exec(t, "drop role "+stranger) })
	asStranger, err := url.Parse(s.URL)
	require.NoError(t, err)
	asStranger.User = url.UserPassword(stranger, "sekret")
	nobody := unusedAddress(t)
	closedRelay := smtptest.New(t, smtptest.Config{User: "u", Pass: "p"})
	for name, tt := range map[string]struct {
		settings []string
		want     finding
	}{
		"a setting is missing": {
			[]string{"CRON_SECRET="},
			finding{Check: "settings", State: "FAIL", Found: "CRON_SECRET"},
		},
		"the keys are the same": {
			[]string{"ANON_KEY=service-key"},
			finding{Check: "keys", State: "FAIL", Found: "SERVICE_ROLE_KEY"},
		},
		"passwords in plain text": {
			[]string{"PUBLIC_URL=http://api.example.com"},
			finding{Check: "public url", State: "warn", Found: "plain text"},
		},
		"a public address that is another's": {
			[]string{"PUBLIC_URL=" + model.URL},
			finding{Check: "public url", State: "FAIL", Found: "is not this service"},
		},
		"a public address at which nobody answers": {
			[]string{"PUBLIC_URL=http://" + nobody},
			finding{Check: "public url", State: "warn", Found: "the connection is refused"},
		},
		"the public address of another deployment": {
			[]string{"ANON_KEY=another-key"},
			finding{Check: "public url", State: "FAIL", Found: "another ANON_KEY"},
		},
		"no database server": {
			[]string{"DATABASE_URL=postgres://me:sekret@" + nobody + "/x"},
			finding{Check: "postgresql", State: "FAIL", Found: "nothing listens at its address"},
		},
		"no database of the name": {
			[]string{"DATABASE_URL=" + s.URL + "_gone"},
			finding{Check: "postgresql", State: "FAIL", Found: "no database of this name"},
		},
		"no migrations": {
			[]string{"DATABASE_URL=" + empty.URL},
			finding{Check: "migrations", State: "FAIL", Found: "missing"},
		},
		"migrations of an older state": {
			[]string{"DATABASE_URL=" + older.URL},
			finding{
				Check: "migrations", State: "FAIL",
				Found: "of a version before 1.0.0 or of a development build: 0003",
			},
		},
		"a login without rights": {
			[]string{"DATABASE_URL=" + asStranger.String()},
			finding{Check: "roles", State: "FAIL",
				Found: "may not become anon, authenticated, authenticator, service_role"},
		},
		"no Temporal": {
			[]string{"TEMPORAL_ADDRESS=" + nobody},
			finding{Check: "temporal", State: "FAIL", Found: "unavailable"},
		},
		"no namespace": {
			[]string{"TEMPORAL_NAMESPACE=nowhere-" + uuid.NewString()},
			finding{Check: "temporal", State: "FAIL", Found: "no namespace"},
		},
		"the wrong key for payloads": {
			[]string{"PAYLOAD_KEYS=" + payloadKey("k1", 'y')},
			finding{Check: "payloads", State: "FAIL", Found: `the key "k1" in PAYLOAD_KEYS is not the one`},
		},
		"a key for payloads is missing": {
			[]string{"PAYLOAD_KEYS=" + payloadKey("k2", 'y')},
			finding{Check: "payloads", State: "FAIL", Found: `the key "k1", which is not in PAYLOAD_KEYS`},
		},
		"no keys for payloads": {
			[]string{"PAYLOAD_KEYS=", "CODEC_SECRET="},
			finding{Check: "payloads", State: "FAIL", Found: "PAYLOAD_KEYS is not set"},
		},
		"invalid keys for payloads": {
			[]string{"PAYLOAD_KEYS=sekret"},
			finding{Check: "temporal", State: "FAIL", Found: "id:base64"},
		},
		"nobody can decrypt": {
			[]string{"CODEC_SECRET="},
			finding{Check: "codec", State: "warn", Found: "cannot show"},
		},
		"no UI": {
			[]string{"TEMPORAL_UI_URL="},
			finding{Check: "temporal ui", State: "warn", Found: "not set"},
		},
		"the UI does not answer": {
			[]string{"TEMPORAL_UI_URL=http://" + nobody},
			finding{Check: "temporal ui", State: "warn", Found: "nothing answers"},
		},
		"no model": {
			[]string{"OPENAI_BASE_URL=", "OPENAI_API_KEY=", "OPENAI_MODEL="},
			finding{Check: "model", State: "warn", Found: "keyword"},
		},
		"the model's key is refused": {
			[]string{"OPENAI_API_KEY=bad-sekret"},
			finding{Check: "model", State: "FAIL", Found: "refuses the key"},
		},
		"the model does not exist": {
			[]string{"OPENAI_MODEL=huge"},
			finding{Check: "model", State: "FAIL", Found: "huge"},
		},
		"the model's server does not answer": {
			[]string{"OPENAI_BASE_URL=http://" + nobody + "/v1"},
			finding{Check: "model", State: "FAIL", Found: "does not answer"},
		},
		"no mail server": {
			[]string{"SMTP_URL=smtp://me:sekret@" + nobody},
			finding{Check: "mail", State: "FAIL", Found: "reached"},
		},
		"the mail server wants a login": {
			[]string{"SMTP_URL=smtp://" + closedRelay.Addr},
			finding{Check: "mail", State: "FAIL", Found: "it requires a login (530)"},
		},
		"mails become files": {
			nil,
			finding{Check: "mail", State: "warn", Found: "files"},
		},
		"the folder of mails cannot be made": {
			[]string{"MAIL_DIR=/dev/null/mails"},
			finding{Check: "mail", State: "FAIL", Found: "MAIL_DIR"},
		},
		"no collector of traces": {
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + nobody},
			finding{Check: "traces", State: "warn", Found: "nothing answers"},
		},
		"something else than a collector of traces": {
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + model.URL},
			finding{Check: "traces", State: "warn", Found: "is no collector"},
		},
		"a collector that refuses the key": {
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + model.URL + "/refuses"},
			finding{Check: "traces", State: "warn", Found: "refuses the credentials"},
		},
		"invalid headers of traces": {
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + nobody, "OTEL_EXPORTER_OTLP_HEADERS=sekret"},
			finding{Check: "traces", State: "FAIL", Found: "name=value"},
		},
		"an invalid private key": {
			[]string{"JWT_PRIVATE_KEY=sekret"},
			finding{Check: "tokens", State: "FAIL", Found: "JWT_PRIVATE_KEY"},
		},
		"metrics at the API's address": {
			[]string{"METRICS_ADDR=" + s.settings["HTTP_ADDR"]},
			finding{Check: "metrics", State: "FAIL", Found: "HTTP_ADDR"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.with(tt.settings...).waitForFinding(t, tt.want)
		})
	}

	t.Run("a namespace that no program has prepared", func(t *testing.T) {
		t.Parallel()
		bare := s.with("TEMPORAL_NAMESPACE=" + newNamespace(t))
		bare.waitForFinding(t, finding{Check: "search attributes", State: "warn",
			Found: "WorkspaceId, ProjectId, ImportId, ErrorCode, UnreadRanges"})
		bare.waitForFinding(t, finding{Check: "schedules", State: "FAIL", Found: "digest-daily"})
	})
}
