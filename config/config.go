// Package config reads the settings of every program from the environment, once, and checks them.
//
// It is the only reader of the environment. Load reports all problems at once, each by the name of its setting; a Config
// prints itself with its secrets masked. Each consumer is handed only its own part.
package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/joho/godotenv"
)

// Config is everything that can be set. Docs of the fields name the setting.
type Config struct {
	StateDir string // STATE_DIR: where `research dev` keeps its data, and where mails go without SMTP_URL
	LogLevel string // LOG_LEVEL: debug, info, warn or error

	HTTP     HTTP
	Database Database
	Temporal Temporal
	Worker   Worker
	Keys     Keys
	Identity Identity
	Data     Data
	Extract  Extract
	Parse    Parse
	Digest   Digest
	Mail     Mail
	Seeing   Seeing
	Dev      Dev

	printed []entry
}

// HTTP is what `serve` needs.
type HTTP struct {
	Addr      string // HTTP_ADDR: host:port to listen on
	PublicURL string // PUBLIC_URL: how clients reach us, without a trailing slash; made from Addr where unset
	// DrainDelay is DRAIN_DELAY: how long a stopping server is unready and still answers, so that balancers take it out before it stops to listen.
	DrainDelay time.Duration
}

// Database says where PostgreSQL is.
type Database struct {
	URL      string // DATABASE_URL; empty means that `research dev` brings one
	MaxConns int    // DATABASE_MAX_CONNS
}

// Temporal says where the Temporal service is and how to connect to it.
type Temporal struct {
	Address   string // TEMPORAL_ADDRESS; empty means that `research dev` brings one
	Namespace string // TEMPORAL_NAMESPACE
	UIURL     string // TEMPORAL_UI_URL: for links from an import to its run
	APIKey    string // TEMPORAL_API_KEY
	TLS       TemporalTLS

	PayloadKeys string // PAYLOAD_KEYS: id:base64, separated by commas; the first encrypts what goes to Temporal, all of them decrypt; empty: no encryption
	CodecSecret string // CODEC_SECRET: opens the endpoint by which Temporal's UI and CLI decrypt
}

// TemporalTLS holds the TLS settings of every Temporal client. Any of them, or an API key, turns TLS on, unless
// Enabled is false. Certificates and keys are PEM.
type TemporalTLS struct {
	Enabled                 *bool  // TEMPORAL_TLS; nil means unset
	ClientCertPath          string // TEMPORAL_TLS_CLIENT_CERT_PATH
	ClientCertData          string // TEMPORAL_TLS_CLIENT_CERT_DATA
	ClientKeyPath           string // TEMPORAL_TLS_CLIENT_KEY_PATH
	ClientKeyData           string // TEMPORAL_TLS_CLIENT_KEY_DATA
	ServerCACertPath        string // TEMPORAL_TLS_SERVER_CA_CERT_PATH
	ServerCACertData        string // TEMPORAL_TLS_SERVER_CA_CERT_DATA
	ServerName              string // TEMPORAL_TLS_SERVER_NAME
	DisableHostVerification bool   // TEMPORAL_TLS_DISABLE_HOST_VERIFICATION
}

// Worker says how a worker works and ends.
type Worker struct {
	// StopTimeout is WORKER_STOP_TIMEOUT: how long a stopping worker waits for model calls under way; one call and a little more where unset.
	StopTimeout time.Duration
	Deployment  string // WORKER_DEPLOYMENT: the name of the worker deployment, where versions are told apart
	BuildID     string // WORKER_BUILD_ID: switches worker versioning on
}

// Keys are the secrets that clients show us.
type Keys struct {
	Anon       string // ANON_KEY
	Service    string // SERVICE_ROLE_KEY
	JWTSecret  string // JWT_SECRET
	CronSecret string // CRON_SECRET
}

// Identity says who can sign in, and how.
type Identity struct {
	Off                bool     // IDENTITY=off: nobody signs in here; only external issuers and JWT_SECRET are trusted
	PrivateKey         string   // JWT_PRIVATE_KEY: PEM
	ExternalIssuers    string   // EXTERNAL_ISSUERS: JSON
	PublishableKey     string   // PUBLISHABLE_KEY
	SecretKey          string   // SECRET_KEY
	SignUp             string   // SIGNUP: on, off, or e-mail domains
	ConfirmEmail       bool     // SIGNUP_CONFIRM
	BcryptCost         int      // BCRYPT_COST
	PasswordMinLength  int      // PASSWORD_MIN_LENGTH: characters
	PasswordCharacters []string // PASSWORD_REQUIRED_CHARACTERS
	RedirectURLs       []string // REDIRECT_URLS
	TrustedHops        int      // TRUSTED_PROXY_HOPS

	// An hour; 0 means no limit.
	AccountFailures int // LIMIT_ACCOUNT_FAILURES
	AddressFailures int // LIMIT_ADDRESS_FAILURES
	AddressSignUps  int // LIMIT_ADDRESS_SIGNUPS
	AccountMails    int // LIMIT_ACCOUNT_MAILS
	AddressMails    int // LIMIT_ADDRESS_MAILS
}

// Data says what the data API serves.
type Data struct {
	Schemas          []string      // REST_SCHEMAS: the first by default
	MaxRows          int           // REST_MAX_ROWS: in one answer; 0 means no limit
	MaxBodyBytes     int           // REST_MAX_BODY_BYTES
	StatementTimeout time.Duration // REST_STATEMENT_TIMEOUT: of roles that have none of their own; 0 means none
	AllowUnfiltered  bool          // REST_UNFILTERED_WRITES
	Aggregates       bool          // REST_AGGREGATES
	Plan             bool          // REST_PLAN
	TerseErrors      bool          // REST_ERRORS
	OpenAPI          bool          // REST_OPENAPI
}

// Extract says which model answers.
type Extract struct {
	APIKey  string        // OPENAI_API_KEY
	BaseURL string        // OPENAI_BASE_URL
	Model   string        // OPENAI_MODEL
	Timeout time.Duration // OPENAI_TIMEOUT: one call
	Context int           // OPENAI_CONTEXT_TOKENS: what one question and its answer may take
}

// UsesModel tells whether a model is configured; without one the keyword extractor works.
func (e Extract) UsesModel() bool { return e.APIKey != "" || e.BaseURL != "" }

// Parse bounds the parsing of one import.
type Parse struct {
	Concurrency        int           // PARSE_CONCURRENCY: chunks of one import in flight
	CallsInFlight      int           // MODEL_CALLS_IN_FLIGHT: of one worker, for all imports
	CallsPerMinute     int           // MODEL_CALLS_PER_MINUTE: of all workers; 0 means no limit
	QueueLimit         int           // PARSE_QUEUE_LIMIT: imports that may wait or be parsed, of everybody; 0 means no limit
	WorkspaceLimit     int           // PARSE_QUEUE_LIMIT_WORKSPACE: the same, of one workspace
	Timeout            time.Duration // PARSE_TIMEOUT: a whole parse
	MaxTokensPerImport int64         // MAX_TOKENS_PER_IMPORT: 0 means no limit
	ReconcileInterval  time.Duration // RECONCILE_INTERVAL
}

// Digest is what the digests need.
type Digest struct {
	DefaultFrequency string // DIGEST_DEFAULT_FREQUENCY: off, daily or weekly
}

// Mail says how mails go out.
type Mail struct {
	SMTPURL string // SMTP_URL; empty means that mails become files
	From    string // MAIL_FROM
	Dir     string // MAIL_DIR: for the files

	Connections int // SMTP_CONNECTIONS: of one worker
	Rate        int // MAIL_RATE: digests a second over all workers; 0 means no limit
}

// Seeing is what operators see by.
type Seeing struct {
	MetricsAddr  string  // METRICS_ADDR: where /metrics, /healthz and /readyz are served for operators; empty: nowhere apart from HTTP_ADDR
	MetricsToken string  // METRICS_TOKEN: what a client shows for /metrics at HTTP_ADDR; empty: it is for this machine alone, by localhost or an address
	OTLPEndpoint string  // OTEL_EXPORTER_OTLP_ENDPOINT: where traces go; empty: there are none
	OTLPHeaders  string  // OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas
	TraceRatio   float64 // OTEL_TRACES_SAMPLER_ARG: of traces that are kept, 0 to 1
}

// Dev says where `research dev` lets its parts listen, all of them on 127.0.0.1. Temporal's defaults are its own; PostgreSQL's is beside its own, which a
// machine's server often has.
type Dev struct {
	PostgresPort   int // POSTGRES_PORT
	TemporalPort   int // TEMPORAL_PORT
	TemporalUIPort int // TEMPORAL_UI_PORT
}

// Environment returns the lookup of the process's environment, with a .env file beside the binary, else in the working folder, behind it:
// what is set in the environment wins.
func Environment() (func(string) string, error) {
	file := map[string]string{}
	for _, dir := range []string{binaryDir(), "."} {
		values, err := godotenv.Read(filepath.Join(dir, ".env"))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			// The parser's message repeats the line, which may hold a secret.
			return nil, fmt.Errorf("%s is not a list of NAME=value lines", filepath.Join(dir, ".env"))
		}
		file = values
		break
	}
	return func(name string) string {
		if value, ok := os.LookupEnv(name); ok {
			return value
		}
		return file[name]
	}, nil
}

func binaryDir() string {
	path, err := os.Executable()
	if err != nil {
		return "."
	}
	return filepath.Dir(path)
}

// stopMargin is what a worker needs after its last model call has answered: to store the answer and to say so.
const stopMargin = 10 * time.Second

// Load reads and checks all settings. Its error is a *Problems that names each setting at fault.
func Load(getenv func(string) string) (Config, error) {
	r := &reader{getenv: getenv}
	c := Config{
		StateDir: r.text("STATE_DIR", ".dev"),
		LogLevel: r.oneOf("LOG_LEVEL", "info", "debug", "info", "warn", "error"),
		HTTP: HTTP{
			Addr:       r.hostPort("HTTP_ADDR", "127.0.0.1:8080"),
			PublicURL:  strings.TrimRight(r.url("PUBLIC_URL", "", "http", "https"), "/"),
			DrainDelay: r.duration("DRAIN_DELAY", 5*time.Second, 0, 5*time.Minute),
		},
		Database: Database{
			URL:      r.secretURL("DATABASE_URL", "postgres", "postgresql"),
			MaxConns: r.number("DATABASE_MAX_CONNS", 20, 2, 1000),
		},
		Temporal: Temporal{
			Address:   r.text("TEMPORAL_ADDRESS", ""),
			Namespace: r.text("TEMPORAL_NAMESPACE", "default"),
			UIURL:     strings.TrimRight(r.url("TEMPORAL_UI_URL", "", "http", "https"), "/"),
			APIKey:    r.secret("TEMPORAL_API_KEY", 0),
			TLS: TemporalTLS{
				Enabled:                 r.optionalBool("TEMPORAL_TLS"),
				ClientCertPath:          r.text("TEMPORAL_TLS_CLIENT_CERT_PATH", ""),
				ClientCertData:          r.secret("TEMPORAL_TLS_CLIENT_CERT_DATA", 0),
				ClientKeyPath:           r.text("TEMPORAL_TLS_CLIENT_KEY_PATH", ""),
				ClientKeyData:           r.secret("TEMPORAL_TLS_CLIENT_KEY_DATA", 0),
				ServerCACertPath:        r.text("TEMPORAL_TLS_SERVER_CA_CERT_PATH", ""),
				ServerCACertData:        r.secret("TEMPORAL_TLS_SERVER_CA_CERT_DATA", 0),
				ServerName:              r.text("TEMPORAL_TLS_SERVER_NAME", ""),
				DisableHostVerification: r.boolean("TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"),
			},

			PayloadKeys: r.secret("PAYLOAD_KEYS", 0),
			CodecSecret: r.secret("CODEC_SECRET", 16),
		},
		Worker: Worker{
			StopTimeout: r.duration("WORKER_STOP_TIMEOUT", 0, 0, time.Hour),
			Deployment:  r.text("WORKER_DEPLOYMENT", "research"),
			BuildID:     r.text("WORKER_BUILD_ID", ""),
		},
		Keys: Keys{
			Anon:       r.secret("ANON_KEY", 0),
			Service:    r.secret("SERVICE_ROLE_KEY", 0),
			JWTSecret:  r.secret("JWT_SECRET", 32), // RFC 7518 §3.2: a key of at least 256 bits for HS256
			CronSecret: r.secret("CRON_SECRET", 16),
		},
		Identity: Identity{
			Off:                r.oneOf("IDENTITY", "on", "on", "off") == "off",
			PrivateKey:         r.secret("JWT_PRIVATE_KEY", 0),
			ExternalIssuers:    r.secret("EXTERNAL_ISSUERS", 0),
			PublishableKey:     r.secret("PUBLISHABLE_KEY", 0),
			SecretKey:          r.secret("SECRET_KEY", 0),
			SignUp:             r.text("SIGNUP", "on"),
			ConfirmEmail:       r.oneOf("SIGNUP_CONFIRM", "off", "on", "off") == "on",
			BcryptCost:         r.number("BCRYPT_COST", 10, 4, 15),
			PasswordMinLength:  r.number("PASSWORD_MIN_LENGTH", 8, 1, 72),
			PasswordCharacters: r.list("PASSWORD_REQUIRED_CHARACTERS", "lower", "upper", "digit", "symbol"),
			RedirectURLs:       r.urls("REDIRECT_URLS"),
			TrustedHops:        r.number("TRUSTED_PROXY_HOPS", 0, 0, 10),
			AccountFailures:    r.number("LIMIT_ACCOUNT_FAILURES", 100, 0, 1_000_000), // NIST SP 800-63B §3.2.2
			AddressFailures:    r.number("LIMIT_ADDRESS_FAILURES", 1000, 0, 1_000_000),
			AddressSignUps:     r.number("LIMIT_ADDRESS_SIGNUPS", 200, 0, 1_000_000),
			AccountMails:       r.number("LIMIT_ACCOUNT_MAILS", 10, 0, 1_000_000),
			AddressMails:       r.number("LIMIT_ADDRESS_MAILS", 100, 0, 1_000_000),
		},
		Data: Data{
			Schemas:          split(r.text("REST_SCHEMAS", "public")),
			MaxRows:          r.number("REST_MAX_ROWS", 1000, 0, 1_000_000), // Supabase's
			MaxBodyBytes:     r.number("REST_MAX_BODY_BYTES", 10<<20, 1<<10, 1<<30),
			StatementTimeout: r.duration("REST_STATEMENT_TIMEOUT", 8*time.Second, 0, time.Hour), // Supabase's for signed-in users
			AllowUnfiltered:  r.oneOf("REST_UNFILTERED_WRITES", "off", "on", "off") == "on",
			Aggregates:       r.oneOf("REST_AGGREGATES", "off", "on", "off") == "on",
			Plan:             r.oneOf("REST_PLAN", "off", "on", "off") == "on",
			TerseErrors:      r.oneOf("REST_ERRORS", "verbose", "verbose", "minimal") == "minimal",
			OpenAPI:          r.oneOf("REST_OPENAPI", "on", "on", "off") == "on",
		},
		Extract: Extract{
			APIKey:  r.secret("OPENAI_API_KEY", 0),
			BaseURL: strings.TrimRight(r.url("OPENAI_BASE_URL", "", "http", "https"), "/"),
			Model:   r.text("OPENAI_MODEL", ""),
			Timeout: r.duration("OPENAI_TIMEOUT", 2*time.Minute, time.Second, time.Hour),
			Context: r.number("OPENAI_CONTEXT_TOKENS", 0, 0, 10_000_000),
		},
		Parse: Parse{
			Concurrency:        r.number("PARSE_CONCURRENCY", 8, 1, 256),
			CallsInFlight:      r.number("MODEL_CALLS_IN_FLIGHT", 64, 1, 1000),
			CallsPerMinute:     r.number("MODEL_CALLS_PER_MINUTE", 0, 0, 1_000_000),
			QueueLimit:         r.number("PARSE_QUEUE_LIMIT", 10_000, 0, 1_000_000),
			WorkspaceLimit:     r.number("PARSE_QUEUE_LIMIT_WORKSPACE", 1000, 0, 1_000_000),
			Timeout:            r.duration("PARSE_TIMEOUT", 2*time.Hour, time.Second, 7*24*time.Hour),
			MaxTokensPerImport: int64(r.number("MAX_TOKENS_PER_IMPORT", 0, 0, 1<<40)),
			ReconcileInterval:  r.duration("RECONCILE_INTERVAL", 5*time.Second, time.Second, time.Hour),
		},
		Digest: Digest{DefaultFrequency: r.oneOf("DIGEST_DEFAULT_FREQUENCY", "weekly", "off", "daily", "weekly")},
		Mail: Mail{
			SMTPURL: r.secretURL("SMTP_URL", "smtp", "smtps"),
			From:    r.text("MAIL_FROM", "Research <research@localhost>"),
			Dir:     r.text("MAIL_DIR", ""),

			Connections: r.number("SMTP_CONNECTIONS", 4, 1, 100),
			Rate:        r.number("MAIL_RATE", 10, 0, 10_000), // below what large providers allow a new customer
		},
		Seeing: Seeing{
			MetricsAddr:  r.optionalHostPort("METRICS_ADDR"),
			MetricsToken: r.secret("METRICS_TOKEN", 16),
			OTLPEndpoint: strings.TrimRight(r.url("OTEL_EXPORTER_OTLP_ENDPOINT", "", "http", "https"), "/"),
			OTLPHeaders:  r.secret("OTEL_EXPORTER_OTLP_HEADERS", 0),
			TraceRatio:   r.ratio("OTEL_TRACES_SAMPLER_ARG", 1),
		},
		Dev: Dev{
			PostgresPort:   r.number("POSTGRES_PORT", 5433, 1, 65535),
			TemporalPort:   r.number("TEMPORAL_PORT", 7233, 1, 65535),
			TemporalUIPort: r.number("TEMPORAL_UI_PORT", 8233, 1, 65535),
		},
	}
	if c.HTTP.PublicURL == "" {
		c.HTTP.PublicURL = "http://" + c.HTTP.Addr
	}
	if c.Mail.Dir == "" {
		c.Mail.Dir = filepath.Join(c.StateDir, "mail")
	}
	if c.Worker.StopTimeout == 0 {
		c.Worker.StopTimeout = c.Extract.Timeout + stopMargin
	}
	if c.Temporal.CodecSecret != "" && c.Temporal.PayloadKeys == "" {
		r.problem("CODEC_SECRET", "is set without PAYLOAD_KEYS: there is nothing to decrypt")
	}
	if c.Extract.UsesModel() && c.Extract.Model == "" {
		r.problem("OPENAI_MODEL", "is missing: a model server is configured, so say which of its models answers")
	}
	if c.Keys.JWTSecret != "" && c.Identity.PrivateKey != "" {
		r.problem("JWT_PRIVATE_KEY", "and JWT_SECRET are both set: tokens are signed with one of them")
	}
	if c.Identity.Off && c.Keys.JWTSecret == "" && c.Identity.ExternalIssuers == "" {
		r.problem("IDENTITY", "is off, and neither EXTERNAL_ISSUERS nor JWT_SECRET says whose tokens to trust instead")
	}
	if len(c.Data.Schemas) == 0 {
		r.problem("REST_SCHEMAS", "must name a schema, or several separated by commas")
	}
	for _, name := range c.Data.Schemas {
		if name == "auth" || name == "private" || name == "information_schema" || strings.HasPrefix(name, "pg_") {
			r.problem("REST_SCHEMAS", "must not hold %s, which is never served", name)
		}
	}
	if !validSignUp(c.Identity.SignUp) {
		r.problem("SIGNUP", "must be on, off, or e-mail domains separated by commas")
	}
	c.printed = r.printed
	if len(r.problems) > 0 {
		return c, &Problems{List: r.problems}
	}
	return c, nil
}

// Require checks that the settings a program cannot do without are there. Its error is a *Problems that names all that are missing.
func (c Config) Require(names ...string) error {
	var missing []Problem
	for _, e := range c.printed {
		if slices.Contains(names, e.name) && e.value == "" {
			missing = append(missing, Problem{e.name, "is missing"})
		}
	}
	if len(missing) > 0 {
		return &Problems{List: missing}
	}
	return nil
}

// String lists every setting, a line each, with secrets masked.
func (c Config) String() string {
	var b strings.Builder
	for _, e := range c.printed {
		fmt.Fprintf(&b, "%s=%s\n", e.name, e.shown())
	}
	return b.String()
}

// Names lists the settings that Load reads, sorted.
func Names() []string {
	c, _ := Load(func(string) string { return "" })
	names := map[string]bool{}
	for _, e := range c.printed {
		names[e.name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// A Problem is a setting that cannot be used. It never repeats the value.
type Problem struct {
	Setting string
	Reason  string
}

// Problems is the error of Load and Require.
type Problems struct {
	List []Problem
}

func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = one.Setting + " " + one.Reason
	}
	return "settings: " + strings.Join(lines, "; ")
}
