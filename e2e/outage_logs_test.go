package e2e

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// allowConnections lets the database accept connections, or ends them all and rejects new ones.
func (s *service) allowConnections(t *testing.T, allow bool) {
	t.Helper()
	u, err := url.Parse(s.settings["DATABASE_URL"])
	require.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	allowed := map[bool]string{true: "true", false: "false"}[allow]
	_, err = conn.Exec(t.Context(),
		"alter database "+pgx.Identifier{name}.Sanitize()+" with allow_connections "+allowed)
	require.NoError(t, err)
	if !allow {
		_, err = conn.Exec(t.Context(),
			`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, name)
		require.NoError(t, err)
	}
}

// logLines counts the lines about no request and no run with a message, by their level.
func (s *service) logLines(t *testing.T) map[string]map[string]int {
	t.Helper()
	counts := map[string]map[string]int{}
	for line := range strings.Lines(s.logs.String()) {
		var entry struct {
			Level, Msg, From, Dependency string
			Request                      string `json:"request_id"`
			Workflow                     string `json:"workflow_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &entry), line)
		if entry.Request+entry.Workflow != "" {
			continue
		}
		message := entry.Msg + entry.From + entry.Dependency
		if counts[message] == nil {
			counts[message] = map[string]int{}
		}
		counts[message][entry.Level]++
	}
	return counts
}

// While PostgreSQL is away, each operation that a program repeats is logged when it begins to fail and when
// it succeeds again, however often it fails.
func TestOutageOfPostgresIsLoggedOnce(t *testing.T) {
	t.Parallel()
	s := startService(t, "LOG_LEVEL=debug", "RECONCILE_INTERVAL=1s")
	repeated := []string{
		"webhooks not started", "not listening for schema changes", "events not read, streams are behind",
		"open imports not compared",
	}
	eventually(t, "the worker has started", func() bool {
		return s.logs.has(t, map[string]string{"msg": "worker started"})
	})
	s.allowConnections(t, false)
	defer s.allowConnections(t, true)
	eventually(t, "each operation fails several times", func() bool {
		lines := s.logLines(t)
		for _, message := range repeated {
			if lines[message]["DEBUG"] < 3 {
				return false
			}
		}
		return true
	})
	s.allowConnections(t, true)
	eventually(t, "each operation succeeds again", func() bool {
		lines := s.logLines(t)
		for _, message := range repeated {
			if lines["recovered"+message]["INFO"] == 0 {
				return false
			}
		}
		return true
	})
	lines := s.logLines(t)
	t.Logf("lines by message and level: %v", lines)
	for message, levels := range lines {
		// Open imports are compared by serve and by the worker.
		require.LessOrEqual(t, levels["WARN"]+levels["ERROR"], 2, message)
	}
}
