package e2e

import (
	"context"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// A strictTemporal forwards calls to Temporal, but for those that it denies, as a server of somebody else does
// whose key may do little.
type strictTemporal struct {
	address string

	mu     sync.Mutex
	denied map[string]codes.Code // by name of the call, such as StartWorkflowExecution; "*" means all
}

func newStrictTemporal(t *testing.T) *strictTemporal {
	t.Helper()
	s := &strictTemporal{denied: map[string]codes.Code{}}
	target, err := grpc.NewClient(temporalAddress(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = target.Close() })
	server := grpc.NewServer(grpc.UnaryInterceptor(s.check))
	runs, err := proxy.NewWorkflowServiceProxyServer(
		proxy.WorkflowServiceProxyOptions{Client: workflowservice.NewWorkflowServiceClient(target)})
	require.NoError(t, err)
	workflowservice.RegisterWorkflowServiceServer(server, runs)
	operatorservice.RegisterOperatorServiceServer(server,
		&operators{to: operatorservice.NewOperatorServiceClient(target)})
	healthy := health.NewServer()
	healthy.SetServingStatus("temporal.api.workflowservice.v1.WorkflowService",
		grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = listener.Addr().String()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return s
}

// operators forwards the calls of the operator service that ours makes.
type operators struct {
	operatorservice.UnimplementedOperatorServiceServer

	to operatorservice.OperatorServiceClient
}

func (o *operators) ListSearchAttributes(
	ctx context.Context, req *operatorservice.ListSearchAttributesRequest,
) (*operatorservice.ListSearchAttributesResponse, error) {
	return o.to.ListSearchAttributes(ctx, req)
}

func (o *operators) AddSearchAttributes(
	ctx context.Context, req *operatorservice.AddSearchAttributesRequest,
) (*operatorservice.AddSearchAttributesResponse, error) {
	return o.to.AddSearchAttributes(ctx, req)
}

// deny denies calls with a code from now on; codes.OK permits them again.
func (s *strictTemporal) deny(code codes.Code, calls ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range calls {
		s.denied[call] = code
	}
}

func (s *strictTemporal) check(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
) (any, error) {
	call := path.Base(info.FullMethod)
	s.mu.Lock()
	code := s.denied[call]
	if all := s.denied["*"]; all != codes.OK && strings.HasPrefix(info.FullMethod, "/temporal.api.") &&
		call != "GetSystemInfo" {
		code = all
	}
	s.mu.Unlock()
	if code != codes.OK {
		return nil, status.Error(code, "sekret.example.com says no")
	}
	return handler(ctx, req)
}

// temporalState is what /readyz says of Temporal.
func (s *service) temporalState(t *testing.T) any {
	t.Helper()
	code, ready := s.get(t, "/readyz", "")
	require.Equal(t, http.StatusOK, code, "reads need no Temporal")
	return ready["temporal"]
}

// What only an operator of Temporal can permit is named, and what is comfort is done without.
func TestTemporalDeniesCalls(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, strict *strictTemporal) (s *service, parse func() (status int, answer map[string]any)) {
		t.Helper()
		s = startAPI(t, "TEMPORAL_ADDRESS="+strict.address)
		h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
		editor := s.signIn(t, s.Editor)
		id := s.add(t, editor, "zoom.vtt", []byte(zoom))
		return s, func() (int, map[string]any) { return s.requestParse(t, editor, id, h) }
	}
	requireNamed := func(t *testing.T, s *service, status int, answer map[string]any) {
		t.Helper()
		require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
		require.Contains(t, answer["message"], "the operator has to act")
		require.NotContains(t, s.logs.String(), "sekret.example.com")
	}
	warnings := func(s *service, text string) int { return strings.Count(s.logs.String(), text) }

	t.Run("search attributes, without which parses run", func(t *testing.T) {
		t.Parallel()
		strict := newStrictTemporal(t)
		strict.deny(codes.PermissionDenied, "ListSearchAttributes", "AddSearchAttributes")
		s, parse := begin(t, strict)
		s.startWorker(t)
		status, answer := parse()
		require.Equal(t, http.StatusOK, status, "%v", answer)
		s.waitForStatus(t, s.signIn(t, s.Editor), answer["importId"].(string), "parsed")
		require.Equal(t, "ok", s.temporalState(t))
		require.Equal(t, 1, warnings(s, `"call":"ListSearchAttributes"`), s.logs.String())
	})

	t.Run("all, with a wrong key", func(t *testing.T) {
		t.Parallel()
		strict := newStrictTemporal(t)
		s, parse := begin(t, strict)
		strict.deny(codes.Unauthenticated, "*")
		eventually(t, "the probe says so", func() bool { return s.temporalState(t) == "denied" })
		status, answer := parse()
		requireNamed(t, s, status, answer)
		for range 5 {
			parse()
		}
		require.Equal(t, 1, warnings(s, "temporal refuses the key"), s.logs.String())
		strict.deny(codes.OK, "*")
		eventually(t, "the key is accepted", func() bool { return s.temporalState(t) == "ok" })
		eventually(t, "a parse starts", func() bool {
			status, answer = parse()
			return status == http.StatusOK
		})
	})

	t.Run("to start a parse", func(t *testing.T) {
		t.Parallel()
		strict := newStrictTemporal(t)
		strict.deny(codes.PermissionDenied, "StartWorkflowExecution")
		s, parse := begin(t, strict)
		status, answer := parse()
		requireNamed(t, s, status, answer)
		require.Equal(t, "denied", s.temporalState(t))
		strict.deny(codes.OK, "StartWorkflowExecution")
		status, answer = parse()
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, "ok", s.temporalState(t))
	})

	t.Run("to describe the namespace, without which workers work", func(t *testing.T) {
		t.Parallel()
		strict := newStrictTemporal(t)
		strict.deny(codes.PermissionDenied, "DescribeNamespace")
		s, parse := begin(t, strict)
		status, answer := parse()
		require.Equal(t, http.StatusOK, status, "%v", answer)
		s.startWorker(t)
		s.waitForStatus(t, s.signIn(t, s.Editor), answer["importId"].(string), "parsed")
	})
}
