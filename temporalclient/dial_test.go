package temporalclient_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
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
	"google.golang.org/grpc/stats"

	"research/temporalclient"
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
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
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
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	require.NoError(t, err)
	raw, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return cert, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

// A fakeServer is a Temporal server behind TLS that only answers health checks.
type fakeServer struct {
	workflowservice.UnimplementedWorkflowServiceServer
	address string
	header  atomic.Pointer[metadata.MD] // of the last request

	requests   atomic.Int32
	compressed atomic.Int32 // of the requests
}

func (g *fakeServer) GetSystemInfo(
	context.Context, *workflowservice.GetSystemInfoRequest,
) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

// recordHeader keeps the metadata of a request.
func (g *fakeServer) recordHeader(
	ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	header, _ := metadata.FromIncomingContext(ctx)
	g.header.Store(&header)
	return handler(ctx, request)
}

// TagRPC implements stats.Handler.
func (*fakeServer) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn implements stats.Handler.
func (*fakeServer) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (*fakeServer) HandleConn(context.Context, stats.ConnStats) {}

// HandleRPC implements stats.Handler. It counts requests.
func (g *fakeServer) HandleRPC(_ context.Context, event stats.RPCStats) {
	if header, ok := event.(*stats.InHeader); ok {
		g.requests.Add(1)
		if header.Compression != "" {
			g.compressed.Add(1)
		}
	}
}

func newFakeServer(t *testing.T, ca *authority, clients tls.ClientAuthType) *fakeServer {
	t.Helper()
	pair, err := tls.X509KeyPair(ca.issue(t))
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	g := &fakeServer{}
	creds := credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: clients, MinVersion: tls.VersionTLS12,
	})
	server := grpc.NewServer(grpc.UnaryInterceptor(g.recordHeader), grpc.StatsHandler(g), grpc.Creds(creds))
	workflowservice.RegisterWorkflowServiceServer(server, g)
	healthy := health.NewServer()
	healthy.SetServingStatus("temporal.api.workflowservice.v1.WorkflowService",
		grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	g.address = listener.Addr().String()
	return g
}

// ready dials and reports whether the server answers. The address and what every client needs are filled in.
func (g *fakeServer) ready(t *testing.T, s temporalclient.Settings) error {
	t.Helper()
	s.Address, s.Namespace, s.Identity, s.Log = g.address, "ours", "test", slog.New(slog.DiscardHandler)
	c, err := temporalclient.Dial(s)
	if err != nil {
		return err
	}
	defer c.Close()
	return temporalclient.New(c, time.Minute).Ready(t.Context())
}

// write writes a file and returns its path.
func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.pem")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestDialWithTLS(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	cert, key := ca.issue(t)
	unavailable := temporalclient.ErrUnavailable

	t.Run("authenticates with a client certificate", func(t *testing.T) {
		t.Parallel()
		g := newFakeServer(t, ca, tls.RequireAndVerifyClientCert)
		ready := func(c temporalclient.TLS) error { return g.ready(t, temporalclient.Settings{TLS: c}) }
		byPath := temporalclient.TLS{
			ServerCACertPath: write(t, ca.pem), ClientCertPath: write(t, cert), ClientKeyPath: write(t, key),
		}
		byData := temporalclient.TLS{
			ServerCACertData: string(ca.pem), ClientCertData: string(cert), ClientKeyData: string(key),
		}
		require.NoError(t, ready(byPath))
		require.NoError(t, ready(byData))
		require.ErrorIs(t, ready(temporalclient.TLS{}), unavailable, "without TLS")
		noCert := temporalclient.TLS{Enabled: new(true), ServerCACertData: string(ca.pem)}
		require.ErrorIs(t, ready(noCert), unavailable, "without a certificate")
		otherCert, otherKey := other.issue(t)
		byData.ClientCertData, byData.ClientKeyData = string(otherCert), string(otherKey)
		require.ErrorIs(t, ready(byData), unavailable, "with a certificate of another authority")
		require.Error(t, ready(temporalclient.TLS{ClientCertPath: "/nowhere", ClientKeyPath: "/nowhere"}))
	})

	t.Run("turns TLS off if Enabled is false", func(t *testing.T) {
		t.Parallel()
		g := newFakeServer(t, ca, tls.NoClientCert)
		on := temporalclient.TLS{ServerCACertData: string(ca.pem)}
		require.NoError(t, g.ready(t, temporalclient.Settings{TLS: on}))
		off := on
		off.Enabled = new(false)
		require.ErrorIs(t, g.ready(t, temporalclient.Settings{TLS: off}), unavailable)
	})

	t.Run("sends an API key over TLS only", func(t *testing.T) {
		t.Parallel()
		g := newFakeServer(t, ca, tls.NoClientCert)
		known := temporalclient.Settings{
			APIKey: "sekret", TLS: temporalclient.TLS{ServerCACertData: string(ca.pem)},
		}
		require.NoError(t, g.ready(t, known))
		require.Equal(t, []string{"Bearer sekret"}, g.header.Load().Get("authorization"))
		g.header.Store(nil)
		unknown := temporalclient.Settings{APIKey: "sekret"}
		require.ErrorIs(t, g.ready(t, unknown), unavailable, "a server whose certificate is not trusted")
		require.Nil(t, g.header.Load(), "the key is not sent to a server that is not trusted")
	})
}

func TestRequestsAreNotCompressed(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	g := newFakeServer(t, ca, tls.NoClientCert)
	trusting := temporalclient.TLS{ServerCACertData: string(ca.pem)}
	require.NoError(t, g.ready(t, temporalclient.Settings{TLS: trusting}))
	require.Positive(t, g.requests.Load())
	require.Zero(t, g.compressed.Load())
}
