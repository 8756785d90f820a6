package temporalclient

import (
	"fmt"
	"log/slog"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
)

// Settings configure the connection to Temporal. Address, Namespace, Identity and Log are required.
type Settings struct {
	Address   string
	Namespace string
	Identity  string // of this process, as Temporal's UI shows it
	APIKey    string // empty means none
	TLS       TLS
	Log       *slog.Logger
	Keys      *Keyring // encrypts payloads and failure messages; nil leaves them in plain text
	// Worker retries a task whose payloads cannot be decrypted, instead of failing its workflow.
	Worker        bool
	Observability Observability
}

// TLS holds the TEMPORAL_TLS settings. The zero value means no TLS, unless there is an API key. Setting any
// field enables TLS, unless Enabled is not nil and decides. Certificates and keys are PEM. Either a path or
// its data may be set, not both.
type TLS struct {
	Enabled                 *bool
	ClientCertPath          string
	ClientCertData          string
	ClientKeyPath           string
	ClientKeyData           string
	ServerCACertPath        string
	ServerCACertData        string
	ServerName              string // expected in the certificate; empty means the host of the address
	DisableHostVerification bool
}

// Observability connects metrics, traces and request ids to the SDK. The zero value connects nothing.
type Observability struct {
	Metrics      client.MetricsHandler
	Interceptors []interceptor.ClientInterceptor
	Propagators  []workflow.ContextPropagator
}

// Dial returns a client of the SDK. The client connects when it is first used, so that a program can start
// while Temporal is down.
func Dial(s Settings) (client.Client, error) {
	profile := envconfig.ClientConfigProfile{
		Address: s.Address, Namespace: s.Namespace, APIKey: s.APIKey, TLS: s.TLS.config(),
	}
	options, err := profile.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		return nil, fmt.Errorf("read the TEMPORAL_ settings: %w", err)
	}
	options.Identity = s.Identity
	options.Logger = log.NewStructuredLogger(slog.New(pollHandler{s.Log.Handler()}))
	options.MetricsHandler = s.Observability.Metrics
	options.Interceptors = s.Observability.Interceptors
	options.ContextPropagators = s.Observability.Propagators
	// Messages are small, and compressing them takes CPU time (docs/decisions/0335).
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions,
		grpc.WithChainUnaryInterceptor(watchConnection(s.Log)))
	if s.Keys != nil {
		var codec converter.PayloadCodec = s.Keys
		if s.Worker {
			codec = retryingCodec{s.Keys}
		}
		options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
		// This turns messages and stack traces of failures into payloads, so that they are encrypted too.
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: options.DataConverter, EncodeCommonAttributes: true,
		})
	}
	return client.NewLazyClient(options)
}

// config returns the SDK's form of the settings. Nil leaves the decision to the SDK: TLS if there is an API
// key.
func (t TLS) config() *envconfig.ClientConfigTLS {
	if t == (TLS{}) {
		return nil
	}
	return &envconfig.ClientConfigTLS{
		Disabled:                t.Enabled != nil && !*t.Enabled,
		ClientCertPath:          t.ClientCertPath,
		ClientCertData:          []byte(t.ClientCertData),
		ClientKeyPath:           t.ClientKeyPath,
		ClientKeyData:           []byte(t.ClientKeyData),
		ServerCACertPath:        t.ServerCACertPath,
		ServerCACertData:        []byte(t.ServerCACertData),
		ServerName:              t.ServerName,
		DisableHostVerification: t.DisableHostVerification,
	}
}
