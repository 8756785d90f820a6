package workflows_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"research/workflows"
)

// An authority signs certificates for 127.0.0.1, as an operator's own CA does.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// issue makes a certificate and its key, in PEM.
func (a *authority) issue(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	require.NoError(t, err)
	raw, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

// A guarded is as much of a Temporal server as a client needs to find it healthy, behind TLS.
type guarded struct {
	workflowservice.UnimplementedWorkflowServiceServer
	address string
	header  atomic.Pointer[metadata.MD] // of the last request
}

func (g *guarded) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func newGuarded(t *testing.T, ca *authority, clients tls.ClientAuthType) *guarded {
	t.Helper()
	pair, err := tls.X509KeyPair(ca.issue(t))
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	g := &guarded{}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: clients, MinVersion: tls.VersionTLS12})),
		grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			header, _ := metadata.FromIncomingContext(ctx)
			g.header.Store(&header)
			return handler(ctx, req)
		}))
	workflowservice.RegisterWorkflowServiceServer(server, g)
	healthy := health.NewServer()
	healthy.SetServingStatus("temporal.api.workflowservice.v1.WorkflowService", grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	g.address = listener.Addr().String()
	return g
}

// ready dials with settings as operators write them.
func (g *guarded) ready(t *testing.T, env map[string]string) error {
	t.Helper()
	c, err := workflows.Dial(workflows.Settings{Address: g.address, Namespace: "ours", Identity: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Getenv: func(name string) string { return env[name] }})
	if err != nil {
		return err
	}
	defer c.Close()
	return workflows.NewClient(c).Ready(t.Context())
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it.pem")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// Temporal behind TLS, certificates and keys, by the settings that every Temporal client knows.
func TestDialSecured(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	cert, key := ca.issue(t)

	t.Run("mTLS", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t, ca, tls.RequireAndVerifyClientCert)
		byPath := map[string]string{"TEMPORAL_TLS_SERVER_CA_CERT_PATH": write(t, ca.pem), "TEMPORAL_TLS_CLIENT_CERT_PATH": write(t, cert), "TEMPORAL_TLS_CLIENT_KEY_PATH": write(t, key)}
		byData := map[string]string{"TEMPORAL_TLS_SERVER_CA_CERT_DATA": string(ca.pem), "TEMPORAL_TLS_CLIENT_CERT_DATA": string(cert), "TEMPORAL_TLS_CLIENT_KEY_DATA": string(key)}
		require.NoError(t, g.ready(t, byPath))
		require.NoError(t, g.ready(t, byData))
		require.ErrorIs(t, g.ready(t, nil), workflows.ErrUnavailable, "without TLS")
		require.ErrorIs(t, g.ready(t, map[string]string{"TEMPORAL_TLS": "true", "TEMPORAL_TLS_SERVER_CA_CERT_DATA": string(ca.pem)}), workflows.ErrUnavailable, "without a certificate")
		strange, strangeKey := other.issue(t)
		byData["TEMPORAL_TLS_CLIENT_CERT_DATA"], byData["TEMPORAL_TLS_CLIENT_KEY_DATA"] = string(strange), string(strangeKey)
		require.ErrorIs(t, g.ready(t, byData), workflows.ErrUnavailable, "a stranger's certificate")
		require.Error(t, g.ready(t, map[string]string{"TEMPORAL_TLS_CLIENT_CERT_PATH": "/nowhere", "TEMPORAL_TLS_CLIENT_KEY_PATH": "/nowhere"}))
	})

	t.Run("an API key, over TLS without being told", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t, ca, tls.NoClientCert)
		require.NoError(t, g.ready(t, map[string]string{"TEMPORAL_API_KEY": "sekret", "TEMPORAL_TLS_SERVER_CA_CERT_DATA": string(ca.pem)}))
		require.Equal(t, []string{"Bearer sekret"}, g.header.Load().Get("authorization"))
		g.header.Store(nil)
		require.ErrorIs(t, g.ready(t, map[string]string{"TEMPORAL_API_KEY": "sekret"}), workflows.ErrUnavailable, "a server whose certificate nobody knows")
		require.Nil(t, g.header.Load(), "the key goes to no stranger")
	})
}
