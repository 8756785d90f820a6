package config_test

import (
	"errors"
	"strings"
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
			"HTTP_ADDR", "sekret", "PARSE_TIMEOUT", "sekret", "PARSE_CONCURRENCY", "-1",
			"DATABASE_URL", "sekret", "CRON_SECRET", "sekret", "LOG_LEVEL", "sekret", "OPENAI_API_KEY", "sekret",
			"MAIL_FROM", "sekret"))
		var problems *config.Problems
		require.True(t, errors.As(err, &problems))
		var named []string
		for _, p := range problems.List {
			named = append(named, p.Setting)
		}
		require.ElementsMatch(t, []string{"HTTP_ADDR", "PARSE_TIMEOUT", "PARSE_CONCURRENCY", "DATABASE_URL",
			"CRON_SECRET", "LOG_LEVEL", "OPENAI_MODEL", "MAIL_FROM"}, named)
		require.NotContains(t, err.Error(), "sekret")
	})

	t.Run("takes hosts of apps, and no URLs", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("OAUTH_CLIENT_HOSTS", "claude.ai, app.example:8443"))
		require.NoError(t, err)
		require.Equal(t, []string{"claude.ai", "app.example:8443"}, c.Identity.OAuthClientHosts)
		require.Equal(t, 20, c.Identity.AddressClients)
		for _, hosts := range []string{"https://claude.ai", "claude.ai/x", "*.claude.ai", "a.example b.example"} {
			_, err = config.Load(env("OAUTH_CLIENT_HOSTS", hosts))
			require.ErrorContains(t, err, "OAUTH_CLIENT_HOSTS must be hosts", hosts)
		}
	})

	t.Run("takes providers with both of their halves", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("EXTERNAL_GOOGLE_CLIENT_ID", "web.apps.example,ios.apps.example",
			"EXTERNAL_GOOGLE_CLIENT_SECRET", "sekret", "EXTERNAL_AZURE_CLIENT_ID", "app",
			"EXTERNAL_AZURE_CLIENT_SECRET", "sekret", "EXTERNAL_AZURE_TENANT", "Corp.example",
			"EXTERNAL_PROVIDERS", `[{"client_secret": "sekret"}]`, "EXTERNAL_ALLOWED_HOSTS", "idp.corp:8443"))
		require.NoError(t, err)
		require.Equal(t, "web.apps.example,ios.apps.example", c.Identity.GoogleClientID)
		require.Equal(t, "corp.example", c.Identity.AzureTenant)
		require.Equal(t, []string{"idp.corp:8443"}, c.Identity.ProviderHosts)
		require.NotContains(t, c.String(), "sekret")

		for _, tt := range []struct {
			want string
			env  []string
		}{
			{"EXTERNAL_GOOGLE_CLIENT_SECRET is missing, and EXTERNAL_GOOGLE_CLIENT_ID is set: set both",
				[]string{"EXTERNAL_GOOGLE_CLIENT_ID", "a"}},
			{"EXTERNAL_AZURE_CLIENT_ID is missing, and EXTERNAL_AZURE_CLIENT_SECRET is set: set both",
				[]string{"EXTERNAL_AZURE_CLIENT_SECRET", "sekret"}},
			{"EXTERNAL_ALLOWED_HOSTS must be hosts such as app.example or app.example:8443, not URLs",
				[]string{"EXTERNAL_ALLOWED_HOSTS", "https://idp.corp"}},
			{"IDENTITY is off, so that nobody signs in here, but a provider is set",
				[]string{"IDENTITY", "off", "JWT_SECRET", strings.Repeat("x", 32), "EXTERNAL_PROVIDERS", "[]"}},
		} {
			_, err := config.Load(env(tt.env...))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "sekret")
		}
	})

	t.Run("takes a public address as browsers write it, and none with a path", func(t *testing.T) {
		t.Parallel()
		for given, want := range map[string]string{
			"https://research.example.com/":       "https://research.example.com",
			"HTTPS://Research.Example.com:443":    "https://research.example.com",
			"http://research.example.com:80//":    "http://research.example.com",
			"https://research.example.com:8443":   "https://research.example.com:8443",
			"http://[::1]:8080":                   "http://[::1]:8080",
			"https://xn--bcher-kva.example.com:/": "https://xn--bcher-kva.example.com",
			"https://research.example.com.":       "https://research.example.com",
			"https://Research.example.com.:8443/": "https://research.example.com:8443",
			"https://[2001:DB8::1]:443":           "https://[2001:db8::1]",
		} {
			c, err := config.Load(env("PUBLIC_URL", given))
			require.NoError(t, err, given)
			require.Equal(t, want, c.HTTP.PublicURL)
		}
		for given, want := range map[string]string{
			"https://example.com/research":        "must have no path: give the service a host name of its own",
			"https://example.com/research/":       "must have no path",
			"https://sekret@example.com":          "must be a scheme, a host and perhaps a port",
			"https://example.com/?sekret":         "must be a scheme, a host and perhaps a port",
			"https://example.com#sekret":          "must be a scheme, a host and perhaps a port",
			"https://bücher.example.com":          "must have its host in ASCII",
			"research.example.com":                "must be a URL that begins with http:// or https://",
			"ftp://research.example.com":          "must be a URL that begins with http:// or https://",
			"https://:8080":                       "must be a URL that begins with http:// or https://",
			"https://research.example.com:abc":    "must be a URL that begins with http:// or https://",
			"https://research.example.com:443443": "must have a port from 1 to 65535",
		} {
			_, err := config.Load(env("PUBLIC_URL", given))
			require.ErrorContains(t, err, "PUBLIC_URL "+want, given)
			require.NotContains(t, err.Error(), "sekret")
		}
	})

	t.Run("takes the origins of other sites as browsers write them", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("TEMPORAL_UI_URL", "https://Temporal.example.com:443/UI/",
			"REDIRECT_URLS", "https://App.example.com:443/After, http://localhost:3000/"))
		require.NoError(t, err)
		require.Equal(t, "https://temporal.example.com/UI", c.Temporal.UIURL)
		require.Equal(t, []string{"https://app.example.com/After", "http://localhost:3000"},
			c.Identity.RedirectURLs)
	})

	t.Run("masks personal data for servers elsewhere", func(t *testing.T) {
		t.Parallel()
		for server, masks := range map[string]bool{
			"https://api.openai.com/v1": true, "http://8.8.8.8:8000/v1": true, "https://models.example.com/v1": true,
			"http://localhost:11434/v1": false, "http://127.0.0.1:1234/v1": false, "http://[::1]:1234/v1": false,
			"http://10.1.2.3/v1": false, "http://192.168.0.7/v1": false, "http://ollama:11434/v1": false,
			"http://host.docker.internal:11434/v1": false, "http://gpu.local/v1": false,
		} {
			c, err := config.Load(env("OPENAI_BASE_URL", server, "OPENAI_MODEL", "m"))
			require.NoError(t, err)
			require.Equal(t, masks, c.Extract.Mask, server)
			c, err = config.Load(env("OPENAI_BASE_URL", server, "OPENAI_MODEL", "m", "MASK_PERSONAL_DATA", "off"))
			require.NoError(t, err)
			require.False(t, c.Extract.Mask)
		}
		c, err := config.Load(env("OPENAI_API_KEY", "sk-test", "OPENAI_MODEL", "m"))
		require.NoError(t, err)
		require.True(t, c.Extract.Mask, "OpenAI's own server")
	})

	t.Run("takes prices of tokens with their currency", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("MODEL_INPUT_PRICE", "0.25", "MODEL_OUTPUT_PRICE", "2", "MODEL_CURRENCY", "EUR"))
		require.NoError(t, err)
		require.Equal(t, config.Prices{Input: 0.25, Output: 2, Currency: "EUR"}, c.Extract.Prices)
		_, err = config.Load(env("MODEL_INPUT_PRICE", "-1", "MODEL_OUTPUT_PRICE", "two", "MODEL_CURRENCY", "euro"))
		require.ErrorContains(t, err, "MODEL_INPUT_PRICE must be a number from 0 to 100000")
		require.ErrorContains(t, err, "MODEL_OUTPUT_PRICE must be a number from 0 to 100000")
		require.ErrorContains(t, err, "MODEL_CURRENCY must be three capital letters")
	})

	t.Run("takes limits of sessions that clients can keep", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("SESSION_MAX_LIFETIME", "0s", "SESSION_IDLE_TIMEOUT", "10m"))
		require.NoError(t, err)
		require.Zero(t, c.Identity.SessionMaxLifetime)
		require.Equal(t, 10*time.Minute, c.Identity.SessionIdleTimeout)
		_, err = config.Load(env("SESSION_MAX_LIFETIME", "9m", "SESSION_IDLE_TIMEOUT", "1s"))
		require.ErrorContains(t, err, "SESSION_MAX_LIFETIME must be 0s or at least 10m")
		require.ErrorContains(t, err, "SESSION_IDLE_TIMEOUT must be 0s or at least 10m")
	})

	t.Run("prints itself without secrets", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("DATABASE_URL", "postgres://me:sekret@db.example:5432/x",
			"CRON_SECRET", "sekret-sekret-sekret", "PARSE_TIMEOUT", "90s"))
		require.NoError(t, err)
		require.Equal(t, 90*time.Second, c.Parse.Timeout)
		printed := c.String()
		require.NotContains(t, printed, "sekret")
		c, err = config.Load(env("SECRET_KEY", "sekret://sekret"))
		require.NoError(t, err)
		require.NotContains(t, c.String(), "sekret", "it looks like a URL, and is none")
		require.Contains(t, printed, "DATABASE_URL=postgres://me:xxxxx@db.example:5432/x\n")
		require.Contains(t, printed, "CRON_SECRET=***\n")
		require.Contains(t, printed, "PARSE_TIMEOUT=90s\n")
	})

	t.Run("reports which settings the environment sets", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("LOG_LEVEL", "info"))
		require.NoError(t, err)
		require.True(t, c.IsSet("LOG_LEVEL"))
		require.False(t, c.IsSet("DRAIN_DELAY"), "its default applies")
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

	t.Run("confirms addresses if sign-up is limited to domains", func(t *testing.T) {
		t.Parallel()
		for _, tt := range []struct {
			signUp, confirm string
			want            bool
		}{
			{"", "", false},
			{"on", "on", true},
			{"off", "off", false},
			{"corp.example", "", true},
			{"corp.example, @corp.test", "on", true},
		} {
			c, err := config.Load(env("SIGNUP", tt.signUp, "SIGNUP_CONFIRM", tt.confirm))
			require.NoError(t, err, tt)
			require.Equal(t, tt.want, c.Identity.ConfirmEmail, tt)
		}
		_, err := config.Load(env("SIGNUP", "corp.example", "SIGNUP_CONFIRM", "off"))
		require.EqualError(t, err, "settings: SIGNUP_CONFIRM must be on where SIGNUP is a list of domains: "+
			"otherwise anybody can claim an address")
		_, err = config.Load(env("SIGNUP_CONFIRM", "perhaps"))
		require.EqualError(t, err, "settings: SIGNUP_CONFIRM must be one of on, off")
	})

	t.Run("takes an address of Temporal only with a port and without a scheme", func(t *testing.T) {
		t.Parallel()
		for _, address := range []string{"", "temporal:7233", "[::1]:7233", "dns:///temporal:7233"} {
			_, err := config.Load(env("TEMPORAL_ADDRESS", address))
			require.NoError(t, err, address)
		}
		for _, address := range []string{"temporal", "http://temporal:7233", "https://temporal"} {
			_, err := config.Load(env("TEMPORAL_ADDRESS", address))
			require.EqualError(t, err, "settings: TEMPORAL_ADDRESS must be host:port, such as 127.0.0.1:7233, "+
				"without http://", address)
		}
	})

	t.Run("names all settings that a program lacks", func(t *testing.T) {
		t.Parallel()
		c, err := config.Load(env("ANON_KEY", "anon"))
		require.NoError(t, err)
		require.EqualError(t, c.Require("DATABASE_URL", "ANON_KEY", "TEMPORAL_ADDRESS"),
			"settings: DATABASE_URL is missing; TEMPORAL_ADDRESS is missing")
		require.NoError(t, c.Require("ANON_KEY"))
	})
}
