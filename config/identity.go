package config

import (
	"regexp"
	"strings"
	"time"
)

// Keys are the secrets that clients present.
type Keys struct {
	Anon       string
	Service    string
	JWTSecret  string
	CronSecret string
}

// minJWTSecret is in characters: a key for HS256 must have at least 256 bits (RFC 7518, section 3.2).
const minJWTSecret = 32

func readKeys(r *reader) Keys {
	r.group = "API keys and tokens"
	return Keys{
		Anon:    r.secret("ANON_KEY", 0, "The public API key, which every client knows. Made by `dev`."),
		Service: r.secret("SERVICE_ROLE_KEY", 0, "The API key that bypasses row-level security. Made by `dev`."),
		CronSecret: r.secret("CRON_SECRET", 16,
			"The bearer token of the scheduler that calls the digest endpoint. Made by `dev`."),
		JWTSecret: r.secret("JWT_SECRET", minJWTSecret,
			"Signs access tokens with HS256, and makes tokens trusted that others signed with it. Not set: ES256 "+
				"with keys in the database."),
	}
}

// Identity configures sign-up, sign-in and tokens.
type Identity struct {
	Off                bool   // nobody signs in here; only external issuers and JWT_SECRET are trusted
	PrivateKey         string // PEM
	ExternalIssuers    string // JSON
	PublishableKey     string // a second anon key
	SecretKey          string // a second service key
	SignUp             string // on, off, or e-mail domains
	ConfirmEmail       bool
	Anonymous          bool // users may sign up without an address
	BcryptCost         int
	PasswordMinLength  int // characters
	PasswordCharacters []string
	RedirectURLs       []string
	SessionMaxLifetime time.Duration // 0 means no limit
	SessionIdleTimeout time.Duration // 0 means no limit
	OAuthClientHosts   []string      // of metadata documents of apps; empty means all
	TrustedHops        int           // proxies whose X-Forwarded-For entry is trusted

	// Providers with which people sign in. Each is used if its client id is set.
	GoogleClientID     string // several are separated by commas
	GoogleClientSecret string
	AzureClientID      string // several are separated by commas
	AzureClientSecret  string
	AzureTenant        string
	Providers          string   // JSON
	ProviderHosts      []string // of providers, which may have private addresses

	// Limits are per hour; 0 means no limit.
	AccountFailures      int
	AccountFailuresTotal int
	AddressFailures      int
	AddressSignUps       int
	AddressClients       int
	AccountMails         int
	AddressMails         int
}

func readIdentity(r *reader) Identity {
	i := Identity{
		PrivateKey: r.secret("JWT_PRIVATE_KEY", 0,
			"An EC P-256 key in PEM that signs access tokens in place of the database's keys."),
		PublishableKey: r.secret("PUBLISHABLE_KEY", 0,
			"A second `ANON_KEY`, so that it can be replaced without downtime."),
		SecretKey: r.secret("SECRET_KEY", 0,
			"A second `SERVICE_ROLE_KEY`, so that it can be replaced without downtime."),
		ExternalIssuers: r.secret("EXTERNAL_ISSUERS", 0,
			"Other issuers whose access tokens are trusted, as a JSON array. See "+
				"[compatibility](compat.md#identity)."),
	}

	r.group = "Identity"
	i.Off = !r.onOff("IDENTITY", true,
		"`off` disables sign-in here: only tokens of `EXTERNAL_ISSUERS` and `JWT_SECRET` are trusted.")
	i.SignUp = r.text("SIGNUP", "on", "Who may sign up: `on`, `off`, or e-mail domains separated by commas.")
	i.ConfirmEmail = readSignUpConfirm(r, i.SignUp)
	i.Anonymous = r.onOff("SIGNUP_ANONYMOUS", false,
		"`on` lets anybody begin an account without an address (`signInAnonymously`). It gets no mails, and lasts "+
			"as long as its session unless an address is added. Only with `SIGNUP=on`.")
	i.BcryptCost = r.number("BCRYPT_COST", 10, 4, 15,
		"The cost of new password hashes. A hash of another cost is renewed at the next sign-in.")
	i.PasswordMinLength = r.number("PASSWORD_MIN_LENGTH", 8, 1, 72, "Characters that a password must have.")
	i.PasswordCharacters = r.list("PASSWORD_REQUIRED_CHARACTERS", []string{"lower", "upper", "digit", "symbol"},
		"Classes of characters of which a password must have one each.")
	i.RedirectURLs = r.urls("REDIRECT_URLS",
		"URLs that links in mails and sign-in with a provider may lead to, besides `PUBLIC_URL`.")
	i.SessionMaxLifetime = readSessionLimit(r, "SESSION_MAX_LIFETIME",
		"How long after the sign-in a session ends, also one of an app. Personal access tokens have an expiry of "+
			"their own. `0s`: never.")
	i.SessionIdleTimeout = readSessionLimit(r, "SESSION_IDLE_TIMEOUT",
		"How long a session may go without a refresh of its access token, which then lasts half as long. "+
			"`0s`: without limit.")
	i.OAuthClientHosts = r.hosts("OAUTH_CLIENT_HOSTS",
		"Hosts (`host` or `host:port`, separated by commas) of apps that identify themselves by the URL of a "+
			"document; their addresses may be private. Not set: all hosts with public addresses. Apps that "+
			"registered are not affected. Apps that are connected already keep their access: delete them (`DELETE "+
			"/auth/v1/admin/oauth/clients/{id}`).")
	i.TrustedHops = r.number("TRUSTED_PROXY_HOPS", 0, 0, 10,
		"Proxies in front of the service that add to `X-Forwarded-For`. `0`: the header is not trusted.")

	const limit = 1_000_000
	// The default is that of NIST SP 800-63B, section 3.2.2.
	i.AccountFailures = r.number("LIMIT_ACCOUNT_FAILURES", 100, 0, limit,
		"Failed sign-ins of one account from one network in an hour. `0`, here and below: no limit.")
	i.AccountFailuresTotal = r.number("LIMIT_ACCOUNT_FAILURES_TOTAL", 1000, 0, limit,
		"Failed sign-ins of one account in an hour from all networks on which it has not signed in recently.")
	i.AddressFailures = r.number("LIMIT_ADDRESS_FAILURES", 1000, 0, limit,
		"Failed sign-ins from one IP address in an hour.")
	i.AddressSignUps = r.number("LIMIT_ADDRESS_SIGNUPS", 200, 0, limit,
		"Sign-ups from one IP address in an hour.")
	i.AddressClients = r.number("LIMIT_ADDRESS_CLIENTS", 20, 0, limit,
		"Apps that register from one network in an hour, or identify themselves by a document for the first time.")
	i.AccountMails = r.number("LIMIT_ACCOUNT_MAILS", 10, 0, limit,
		"Mails to one account in an hour.")
	i.AddressMails = r.number("LIMIT_ADDRESS_MAILS", 100, 0, limit,
		"Mails requested from one IP address in an hour.")
	if !validSignUp(i.SignUp) {
		r.problem("SIGNUP", "must be on, off, or e-mail domains separated by commas")
	}
	readProviders(r, &i)
	return i
}

// readSignUpConfirm reads SIGNUP_CONFIRM. Anybody can write an address of a domain into a form, so a limit to
// domains requires the proof of the address.
func readSignUpConfirm(r *reader, signUp string) bool {
	const name = "SIGNUP_CONFIRM"
	byDomain := !strings.EqualFold(signUp, "on") && !strings.EqualFold(signUp, "off")
	switch r.read(Setting{
		Name: name, Values: "on, off",
		Description: "`on` requires new users to confirm their address by the mailed link before they sign in. " +
			"`off`: they get no invitations and no digests before. Not set: `on` if `SIGNUP` is a list of domains, " +
			"where `off` is not allowed, else `off`.",
	}) {
	case "on":
		return true
	case "":
		return byDomain
	case "off":
		if byDomain {
			r.problem(name, "must be on where SIGNUP is a list of domains: otherwise anybody can claim an address")
		}
		return byDomain
	}
	r.problem(name, "must be one of on, off")
	return true
}

// minSessionLimit keeps access tokens long enough for clients, which refresh them 90 seconds before the end.
const minSessionLimit = 10 * time.Minute

func readSessionLimit(r *reader, name, description string) time.Duration {
	const year = 365 * 24 * time.Hour
	limit := r.duration(name, 0, 0, year, description)
	if limit > 0 && limit < minSessionLimit {
		r.problem(name, "must be 0s or at least %s", short(minSessionLimit))
	}
	return limit
}

// domainPattern matches a host name with a dot, with an optional @ before it.
var domainPattern = regexp.MustCompile(`^@?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$`)

func validSignUp(value string) bool {
	value = strings.ToLower(value)
	if value == "on" || value == "off" {
		return true
	}
	domains := split(value)
	for _, domain := range domains {
		if !domainPattern.MatchString(domain) {
			return false
		}
	}
	return len(domains) > 0
}
