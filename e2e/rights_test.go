package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A gateway forwards the calls of Temporal's API, and refuses those that it is told to, as the authorization
// of a Temporal that somebody else runs does.
type gateway struct {
	address string

	mu      sync.Mutex
	refused map[string]codes.Code // by method; "" stands for all
	seen    map[string]int        // calls by method
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	target, err := grpc.NewClient(temporalAddress(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	g := &gateway{address: listener.Addr().String(), refused: map[string]codes.Code{}, seen: map[string]int{}}
	server := grpc.NewServer(grpc.ForceServerCodec(rawCodec{}), grpc.UnknownServiceHandler(
		func(_ any, stream grpc.ServerStream) error { return g.forward(stream, target) }))
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		_ = target.Close()
	})
	return g
}

// refuse refuses calls of the method, or all calls for "", from now on. OK permits them again.
func (g *gateway) refuse(method string, code codes.Code) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused[method] = code
}

// calls returns how often a method was called.
func (g *gateway) calls(method string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[method]
}

func (g *gateway) check(method string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[method]++
	code := max(g.refused[method], g.refused[""]) // OK is 0
	if code == codes.OK {
		return nil
	}
	return status.Error(code, "unknown method or missing right: sekret")
}

// forward forwards a call with one request and one answer, as all of Temporal's are.
func (g *gateway) forward(stream grpc.ServerStream, target *grpc.ClientConn) error {
	full, _ := grpc.MethodFromServerStream(stream)
	if err := g.check(path.Base(full)); err != nil {
		return err
	}
	var request, answer []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	ctx := stream.Context()
	if incoming, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, incoming.Copy())
	}
	if err := target.Invoke(ctx, full, &request, &answer, grpc.ForceCodec(rawCodec{})); err != nil {
		return err
	}
	return stream.SendMsg(&answer)
}

// rawCodec leaves messages as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = slices.Clone(data)
	return nil
}

func (rawCodec) Name() string { return "raw" }

// requireParsed requires that a new import is parsed.
func (s *service) requireParsed(t *testing.T, editor string, hypothesis uuid.UUID) {
	t.Helper()
	id := s.add(t, editor, uuid.NewString()+".vtt", []byte(zoom))
	s.startParse(t, editor, id, hypothesis)
	s.waitForStatus(t, editor, id, "parsed")
}

// temporalState is what readiness says of Temporal.
func (s *service) temporalState(t *testing.T) any {
	t.Helper()
	_, ready := s.get(t, "/readyz", "")
	return ready["temporal"]
}

// Each call of Temporal's API is refused once. What does not need it works, doctor names it, and everything
// goes on once it is permitted.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	s := startService(t, "TEMPORAL_ADDRESS="+g.address, "RECONCILE_INTERVAL=1s")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	s.requireParsed(t, editor, h)
	const (
		works = iota
		isRefused
		waits
	)
	denied, unknown := codes.PermissionDenied, codes.Unimplemented
	for _, tt := range []struct {
		method    string
		code      codes.Code
		parse     int
		state     string // of doctor
		readiness string
	}{
		{"ListSearchAttributes", denied, works, "warn", "ok"},
		{"AddSearchAttributes", denied, works, "", "ok"}, // all are registered
		{"ListWorkflowExecutions", denied, works, "warn", "ok"},
		{"ListWorkflowExecutions", unknown, works, "warn", "ok"},
		{"DescribeTaskQueue", denied, works, "warn", "ok"},
		{"DescribeSchedule", denied, works, "FAIL", "ok"},
		{"DescribeSchedule", unknown, works, "FAIL", "ok"},
		{"CreateSchedule", denied, works, "", "ok"}, // all exist
		{"UpdateSchedule", denied, works, "warn", "ok"},
		{"DescribeWorkflowExecution", denied, works, "FAIL", "ok"},
		{"GetWorkflowExecutionHistory", denied, works, "FAIL", "ok"},
		{"RecordActivityTaskHeartbeat", denied, works, "FAIL", "ok"},
		{"RecordWorkerHeartbeat", denied, works, "", "ok"},
		{"SignalWithStartWorkflowExecution", denied, works, "FAIL", "ok"},
		{"TerminateWorkflowExecution", denied, works, "FAIL", "ok"},
		{"RequestCancelWorkflowExecution", denied, works, "FAIL", "ok"},
		{"RespondActivityTaskFailed", denied, works, "FAIL", "ok"},
		{"RespondActivityTaskCanceled", denied, works, "FAIL", "ok"},
		{"RespondWorkflowTaskFailed", denied, works, "warn", "ok"},
		{"Check", unknown, works, "", "ok"},            // of gRPC's health service
		{"GetSystemInfo", denied, works, "FAIL", "ok"}, // asked once, at the start
		{"StartWorkflowExecution", denied, isRefused, "FAIL", "ok"},
		{"DescribeNamespace", denied, isRefused, "FAIL", "denied"},
		{"PollWorkflowTaskQueue", denied, waits, "FAIL", "ok"},
		{"PollActivityTaskQueue", denied, waits, "FAIL", "ok"},
		{"RespondWorkflowTaskCompleted", denied, waits, "FAIL", "ok"},
	} {
		t.Run(tt.method+" is "+tt.code.String(), func(t *testing.T) {
			g.refuse(tt.method, tt.code)
			defer g.refuse(tt.method, codes.OK)
			eventually(t, "readiness says "+tt.readiness, func() bool { return s.temporalState(t) == tt.readiness })
			id := s.add(t, editor, uuid.NewString()+".vtt", []byte(zoom))
			if tt.state != "" {
				found := tt.method + " (" + tt.code.String() + ")"
				s.waitForFinding(t, finding{Check: "rights", State: tt.state, Found: found})
			} else {
				findings, _ := s.doctor(t)
				require.Contains(t, findings, finding{
					Check: "rights", State: "ok", Found: "all calls that the programs make are permitted",
				})
			}
			status, answer := s.requestParse(t, editor, id, h)
			switch tt.parse {
			case works:
				require.Equal(t, http.StatusOK, status, "%v", answer)
				s.waitForStatus(t, editor, id, "parsed")
			case isRefused:
				require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
				require.Contains(t, answer["message"], "The operator has to act")
				g.refuse(tt.method, codes.OK)
				eventually(t, "readiness says ok", func() bool { return s.temporalState(t) == "ok" })
				s.startParse(t, editor, id, h)
			case waits:
				require.Equal(t, http.StatusOK, status, "%v", answer)
				before := g.calls(tt.method)
				eventually(t, "it is refused", func() bool { return g.calls(tt.method) > before })
				g.refuse(tt.method, codes.OK)
			}
			s.waitForStatus(t, editor, id, "parsed")
		})
	}
}

// requireNothingLeaked requires that no line of the log has the text of a refusal.
func (s *service) requireNothingLeaked(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(s.logs.String()) {
		require.NotContains(t, line, "sekret")
	}
}

// warnings counts the lines of the log that warn.
func (s *service) warnings() (n int) {
	for line := range strings.Lines(s.logs.String()) {
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
			n++
		}
	}
	return n
}

// A key that Temporal does not accept is one line of the log, and named by readiness, requests and doctor.
func TestRefusedKey(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]codes.Code{
		"by Temporal Cloud": codes.Unauthenticated, "by an authorizer": codes.PermissionDenied,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			address := unusedAddress(t)
			s := startAPI(t, "TEMPORAL_ADDRESS="+g.address, "RECONCILE_INTERVAL=1s")
			editor := s.signIn(t, s.Editor)
			id := s.add(t, editor, "zoom.vtt", []byte(zoom))
			h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
			g.refuse("", code)
			s.startWorker(t, "METRICS_ADDR="+address)
			eventually(t, "readiness of the worker says so", func() bool {
				return getStatus(t, "http://"+address+"/readyz") == http.StatusServiceUnavailable
			})
			eventually(t, "readiness of the server says so", func() bool { return s.temporalState(t) == "denied" })
			status, answer := s.requestParse(t, editor, id, h)
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.Contains(t, answer["message"], "The operator has to act")
			s.waitForFinding(t, finding{Check: "temporal", State: "FAIL", Found: code.String()})
			calls := func() int { return g.calls("GetSystemInfo") + g.calls("DescribeNamespace") }
			before := calls()
			eventually(t, "the programs try again", func() bool { return calls() > before+4 })
			t.Logf("%d warnings for %d calls", s.warnings(), calls())
			require.LessOrEqual(t, s.warnings(), 12)
			s.requireNothingLeaked(t)

			g.refuse("", codes.OK)
			s.startParse(t, editor, id, h)
			s.waitForStatus(t, editor, id, "parsed")
			eventually(t, "nothing is degraded", func() bool { return s.temporalState(t) == "ok" })
		})
	}
}

// A namespace whose operator does not let programs add search attributes does without them, and has them once
// the command of doctor was pasted into a shell.
func TestSearchAttributesThatMayNotBeAdded(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	g.refuse("ListSearchAttributes", codes.PermissionDenied)
	g.refuse("AddSearchAttributes", codes.PermissionDenied)
	s := startService(t, "TEMPORAL_ADDRESS="+g.address)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	s.requireParsed(t, editor, h)
	s.waitForFinding(t, finding{Check: "rights", State: "warn", Found: "AddSearchAttributes"})
	g.refuse("ListSearchAttributes", codes.OK)
	s.requireParsed(t, editor, h)
	s.waitForFinding(t, finding{Check: "search attributes", State: "warn",
		Found: "WorkspaceId, ProjectId, ImportId, ErrorCode, UnreadRanges missing"})

	direct := s.with("TEMPORAL_ADDRESS=" + temporalAddress(t))
	direct.paste(t, "search attributes")
	s.waitForFindingOK(t, "search attributes")
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	s.startParse(t, editor, id, h)
	s.waitForStatus(t, editor, id, "parsed")
	described, err := s.temporal.DescribeWorkflowExecution(t.Context(), "import-"+id, "")
	require.NoError(t, err)
	attributes := described.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()
	require.Contains(t, attributes, "ImportId")
}

// paste runs the command that doctor prints for a check in a shell, as an operator who pastes it does.
func (s *service) paste(t *testing.T, check string) {
	t.Helper()
	findings, _ := s.doctor(t)
	at := slices.IndexFunc(findings, func(f finding) bool { return f.Check == check && f.State != "ok" })
	require.GreaterOrEqual(t, at, 0, "%+v", findings)
	begin := strings.LastIndex(findings[at].Do, "temporal ")
	require.GreaterOrEqual(t, begin, 0, findings[at].Do)
	pasteCommand(t, findings[at].Do[begin:])
}

// pasteCommand runs a command of Temporal's CLI in a shell.
func pasteCommand(t *testing.T, command string) {
	t.Helper()
	program := os.Getenv("TEST_TEMPORAL_CLI")
	if program == "" {
		t.Skip("Temporal's CLI is that of another stack")
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(program, filepath.Join(bin, "temporal")))
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + bin}
	output, err := shell.CombinedOutput()
	t.Logf("%s\n%s", command, output)
	require.NoError(t, err, "%s\n%s", command, output)
}

// waitForFindingOK waits until a check finds nothing.
func (s *service) waitForFindingOK(t *testing.T, check string) {
	t.Helper()
	eventually(t, check+" is ok", func() bool {
		findings, _ := s.doctor(t)
		return slices.ContainsFunc(findings, func(f finding) bool { return f.Check == check && f.State == "ok" })
	})
}

// The commands of doctor work as they are pasted.
func TestPastedCommands(t *testing.T) {
	t.Parallel()
	s := startAPI(t)

	t.Run("a namespace", func(t *testing.T) {
		t.Parallel()
		other := s.with("TEMPORAL_NAMESPACE=pasted-" + uuid.NewString()[:8])
		other.paste(t, "temporal")
		other.waitForFindingOK(t, "temporal")
		other.waitForFinding(t, finding{Check: "search attributes", State: "warn", Found: "WorkspaceId"})
		other.paste(t, "search attributes")
		other.waitForFindingOK(t, "search attributes")
	})

	t.Run("a paused schedule", func(t *testing.T) {
		t.Parallel()
		schedule := s.temporal.ScheduleClient().GetHandle(t.Context(), "digest-weekly")
		require.NoError(t, schedule.Pause(t.Context(), client.SchedulePauseOptions{}))
		s.waitForFinding(t, finding{Check: "schedules", State: "warn", Found: "digest-weekly paused"})
		s.paste(t, "schedules")
		s.waitForFindingOK(t, "schedules")
	})

	t.Run("a version that is not current", func(t *testing.T) {
		t.Parallel()
		s.startWorker(t, "WORKER_BUILD_ID=v1")
		s.waitForFinding(t, finding{Check: "workers", State: "FAIL", Found: "none is the current one"})
		eventually(t, "Temporal knows the version", func() bool {
			deployment := s.temporal.WorkerDeploymentClient().GetHandle("research")
			described, err := deployment.Describe(t.Context(), client.WorkerDeploymentDescribeOptions{})
			return err == nil && len(described.Info.VersionSummaries) > 0
		})
		s.paste(t, "workers")
		s.waitForFindingOK(t, "workers")
	})
}

// A worker that gives up polling ends with an error, so that what supervises it starts it again.
func TestWorkerThatGivesUp(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	s := startAPI(t, "TEMPORAL_ADDRESS="+g.address)
	g.refuse("PollActivityTaskQueue", codes.InvalidArgument)
	_, err := s.command(t, "worker")
	require.ErrorContains(t, err, "poll for tasks: temporal refuses it: it does not understand the call")
}
