package config

import (
	"net"
	"strings"
	"time"
)

// Temporal configures the connection to the Temporal service.
type Temporal struct {
	Address   string // host:port; empty means that `research dev` provides a server
	Namespace string
	UIURL     string // of Temporal's UI, for links from an import to its run; empty means no links
	APIKey    string
	TLS       TemporalTLS

	// Timeout is how long a request waits if Temporal does not respond.
	Timeout time.Duration

	PayloadKeys string // id:base64, separated by commas: the first one encrypts; empty means plain
	CodecSecret string // opens the endpoint that decrypts payloads; empty means that there is none
}

// TemporalTLS holds the TLS settings that every Temporal client has. Any of them, or an API key, turns TLS
// on, unless Enabled is false. Certificates and keys are PEM.
type TemporalTLS struct {
	Enabled                 *bool // nil means not set
	ClientCertPath          string
	ClientCertData          string
	ClientKeyPath           string
	ClientKeyData           string
	ServerCACertPath        string
	ServerCACertData        string
	ServerName              string
	DisableHostVerification bool
}

func readTemporal(r *reader) Temporal {
	r.group = "Temporal"
	t := Temporal{
		Address:   r.text("TEMPORAL_ADDRESS", "", "`host:port` of Temporal. Provided by `dev`."),
		Namespace: r.text("TEMPORAL_NAMESPACE", "default", "The namespace that holds the workflows."),
		UIURL: asBrowsersWrite(r.url("TEMPORAL_UI_URL",
			"The URL of Temporal's UI, for links from an import to its run. Provided by `dev`.")),
		APIKey: r.secret("TEMPORAL_API_KEY", 0, "The API key of Temporal Cloud; it implies TLS."),
		TLS:    readTemporalTLS(r),
	}
	address := strings.TrimPrefix(t.Address, "dns:///") // of gRPC
	_, port, err := net.SplitHostPort(address)
	if address != "" && (err != nil || strings.Contains(port, "/")) {
		r.problem("TEMPORAL_ADDRESS", "must be host:port, such as 127.0.0.1:7233, without http://")
	}
	t.Timeout = r.duration("TEMPORAL_TIMEOUT", 900*time.Millisecond, 100*time.Millisecond, time.Minute,
		"How long a request waits for a Temporal that answers nothing, before it is answered with 503. One that "+
			"answers slowly has five seconds, or one and a half times this setting if that is longer.")
	t.PayloadKeys = r.secret("PAYLOAD_KEYS", 0,
		"Keys for what Temporal stores, as `id:base64` of 32 bytes, separated by commas: the first one encrypts, "+
			"all of them decrypt. Not set: no encryption. See "+
			"[operations](operations.md#encrypting-what-temporal-stores).")
	t.CodecSecret = r.secret("CODEC_SECRET", 16,
		"Lets operators decrypt in Temporal's UI and CLI, through `/api/codec`. Requires `PAYLOAD_KEYS`.")
	if t.CodecSecret != "" && t.PayloadKeys == "" {
		r.problem("CODEC_SECRET", "is set without PAYLOAD_KEYS: there is nothing to decrypt")
	}
	return t
}

func readTemporalTLS(r *reader) TemporalTLS {
	return TemporalTLS{
		Enabled: r.optionalBool("TEMPORAL_TLS",
			"`false` connects without TLS. Defaults to `true` where an API key or another TLS setting is set."),
		ClientCertPath: r.text("TEMPORAL_TLS_CLIENT_CERT_PATH", "",
			"A file with the client certificate for mTLS, in PEM."),
		ClientCertData: r.secret("TEMPORAL_TLS_CLIENT_CERT_DATA", 0, "The same certificate itself."),
		ClientKeyPath: r.text("TEMPORAL_TLS_CLIENT_KEY_PATH", "",
			"A file with the private key of the client certificate, in PEM."),
		ClientKeyData: r.secret("TEMPORAL_TLS_CLIENT_KEY_DATA", 0, "The same private key itself."),
		ServerCACertPath: r.text("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "",
			"A file with the CA certificate that signed the server's, in PEM."),
		ServerCACertData: r.secret("TEMPORAL_TLS_SERVER_CA_CERT_DATA", 0, "The same certificate itself."),
		ServerName: r.text("TEMPORAL_TLS_SERVER_NAME", "",
			"The name in the server's certificate, where it differs from the address."),
		DisableHostVerification: r.boolean("TEMPORAL_TLS_DISABLE_HOST_VERIFICATION",
			"`true` accepts any server certificate; for tests."),
	}
}
