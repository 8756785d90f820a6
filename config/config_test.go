package config_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/config"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestLoad(t *testing.T) {
	t.Parallel()

	t.Run("has a default for everything but the addresses and the secrets", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env())
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:8080", c.HTTP.Addr)
		require.Equal(t, "http://127.0.0.1:8080", c.HTTP.PublicURL)
		require.Equal(t, 8, c.Parse.Concurrency)
		require.Equal(t, ".dev/mail", c.Mail.Dir)
		require.False(t, c.Extract.UsesModel())
	})

	t.Run("names every setting that is wrong, and never its value", func(t *testing.T) {
		t.Parallel()
		_, err := config.Load(env(
			"HTTP_ADDR", "sekret", "PARSE_TIMEOUT", "sekret", "PARSE_CONCURRENCY", "-1", "DATABASE_URL", "sekret",
			"CRON_SECRET", "sekret", "LOG_LEVEL", "sekret", "OPENAI_API_KEY", "sekret"))
		var problems *config.Problems
		require.True(t, errors.As(err, &problems))
		var named []string
		for _, p := range problems.List {
			named = append(named, p.Setting)
		}
		require.ElementsMatch(t, []string{"HTTP_ADDR", "PARSE_TIMEOUT", "PARSE_CONCURRENCY", "DATABASE_URL", "CRON_SECRET", "LOG_LEVEL", "OPENAI_MODEL"}, named)
		require.NotContains(t, err.Error(), "sekret")
	})

	t.Run("prints itself without secrets", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("DATABASE_URL", "postgres://me:sekret@db.example:5432/x", "CRON_SECRET", "sekret-sekret-sekret", "PARSE_TIMEOUT", "90s"))
		require.NoError(t, err)
		require.Equal(t, 90*time.Second, c.Parse.Timeout)
		printed := c.String()
		require.NotContains(t, printed, "sekret")
		require.Contains(t, printed, "DATABASE_URL=postgres://me:xxxxx@db.example:5432/x\n")
		require.Contains(t, printed, "CRON_SECRET=***\n")
		require.Contains(t, printed, "PARSE_TIMEOUT=90s\n")
	})

	t.Run("reads the TLS settings of Temporal as every Temporal client does", func(t *testing.T) {
		t.Parallel()
		unset, err := config.Load(env())
		require.NoError(t, err)
		require.Zero(t, unset.Temporal.TLS)
		set, err := config.Load(env("TEMPORAL_TLS", "TRUE", "TEMPORAL_TLS_CLIENT_KEY_DATA", "sekret",
			"TEMPORAL_TLS_SERVER_NAME", "temporal.example", "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION", "1"))
		require.NoError(t, err)
		require.Equal(t, config.TemporalTLS{
			Enabled: new(true), ClientKeyData: "sekret", ServerName: "temporal.example", DisableHostVerification: true,
		}, set.Temporal.TLS)
		require.NotContains(t, set.String(), "sekret")
		_, err = config.Load(env("TEMPORAL_TLS", "perhaps"))
		require.EqualError(t, err, "settings: TEMPORAL_TLS must be true or false")
	})

	t.Run("says all that a program misses", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("ANON_KEY", "anon"))
		require.NoError(t, err)
		require.EqualError(t, c.Require("DATABASE_URL", "ANON_KEY", "TEMPORAL_ADDRESS"),
			"settings: DATABASE_URL is missing; TEMPORAL_ADDRESS is missing")
		require.NoError(t, c.Require("ANON_KEY"))
	})
}
