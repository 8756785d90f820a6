package workflows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// Search attributes by which operators find runs. They hold ids only: they are never encrypted. The stack registers them as Keyword.
var (
	WorkspaceAttribute = temporal.NewSearchAttributeKeyKeyword("WorkspaceId")
	ProjectAttribute   = temporal.NewSearchAttributeKeyKeyword("ProjectId")
	ImportAttribute    = temporal.NewSearchAttributeKeyKeyword("ImportId")
)

var attributes = []temporal.SearchAttributeKeyKeyword{WorkspaceAttribute, ProjectAttribute, ImportAttribute}

// ErrUnavailable: Temporal cannot be reached; nothing was started.
var ErrUnavailable error = unavailable{}

type unavailable struct{}

func (unavailable) Error() string { return "temporal unavailable" }

// Unavailable marks the error as that of a dependency that cannot be reached.
func (unavailable) Unavailable() bool { return true }

// ErrNotRunning: there is no run to cancel.
var ErrNotRunning = errors.New("no run")

// startTimeout bounds a request to Temporal: a person waits for the answer.
const startTimeout = 5 * time.Second

// A Client starts and stops workflows. It is safe for concurrent use.
type Client struct {
	temporal client.Client
}

// Settings say where Temporal is.
type Settings struct {
	Address   string
	Namespace string
	Identity  string
	Log       *slog.Logger
	// Getenv looks up the TEMPORAL_… variables of the SDK's envconfig: TLS, API key and the like. Nil means none.
	Getenv func(string) string
	// Keys encrypt every payload and failure message; nil: they stay plain.
	Keys *Keyring
	// Worker: what cannot be decrypted is tried again, instead of failing the workflow.
	Worker bool
	// Seeing is what the SDK tells of itself.
	Seeing Seeing
}

// Seeing hooks metrics, traces and the request's id into the SDK. The zero value is none.
type Seeing struct {
	Metrics      client.MetricsHandler
	Interceptors []interceptor.ClientInterceptor
	Propagators  []workflow.ContextPropagator
}

// Dial prepares a client. It connects when it is first used, so that a program starts while Temporal is down.
func Dial(s Settings) (client.Client, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{DisableFile: true, EnvLookup: lookup{s.Getenv}})
	if err != nil {
		return nil, fmt.Errorf("read the TEMPORAL_ settings: %w", err)
	}
	options.HostPort, options.Namespace, options.Identity = s.Address, s.Namespace, s.Identity
	options.Logger = log.NewStructuredLogger(s.Log)
	options.MetricsHandler, options.Interceptors, options.ContextPropagators = s.Seeing.Metrics, s.Seeing.Interceptors, s.Seeing.Propagators
	if s.Keys != nil {
		var codec converter.PayloadCodec = s.Keys
		if s.Worker {
			codec = patient{s.Keys}
		}
		options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
		// Messages and stack traces of failures become payloads, and so are encrypted as well.
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: options.DataConverter, EncodeCommonAttributes: true,
		})
	}
	return client.NewLazyClient(options)
}

// lookup gives envconfig the environment that config has read.
type lookup struct{ getenv func(string) string }

func (l lookup) LookupEnv(name string) (string, bool) {
	if l.getenv == nil {
		return "", false
	}
	value := l.getenv(name)
	return value, value != ""
}

func (l lookup) Environ() []string {
	if l.getenv == nil {
		return nil
	}
	var out []string
	for _, name := range temporalVariables {
		if value := l.getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// temporalVariables are those that envconfig looks for by name.
var temporalVariables = []string{"TEMPORAL_API_KEY", "TEMPORAL_TLS", "TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_TLS_CLIENT_CERT_DATA", "TEMPORAL_TLS_CLIENT_KEY_PATH",
	"TEMPORAL_TLS_CLIENT_KEY_DATA", "TEMPORAL_TLS_SERVER_CA_CERT_PATH", "TEMPORAL_TLS_SERVER_CA_CERT_DATA", "TEMPORAL_TLS_SERVER_NAME", "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"}

// NewClient wraps a client of the SDK.
func NewClient(c client.Client) *Client { return &Client{temporal: c} }

// Ready tells whether Temporal answers; its error is ErrUnavailable.
func (c *Client) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := c.temporal.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		return fmt.Errorf("%w: %s", ErrUnavailable, serviceErrorName(err))
	}
	return nil
}

// A ParseRequest is a claimed import.
type ParseRequest struct {
	ImportID, ClaimID, WorkspaceID, ProjectID uuid.UUID
}

// A Run is one execution of a workflow.
type Run struct {
	WorkflowID string
	RunID      string
}

// ParseWorkflowID is made from the import's id: an import has one run at a time.
func ParseWorkflowID(importID uuid.UUID) string { return "import-" + importID.String() }

// StartParse starts the parse of a claimed import. The database decides who may start, by the claim: a run of an earlier claim that is still closing is
// terminated, and one that closed does not stand in the way. Its error is ErrUnavailable.
func (c *Client) StartParse(ctx context.Context, r ParseRequest) (Run, error) {
	return c.startParse(ctx, r, enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
}

func (c *Client) startParse(ctx context.Context, r ParseRequest, conflict enumspb.WorkflowIdConflictPolicy) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	run, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       ParseWorkflowID(r.ImportID),
		TaskQueue:                QueueControl,
		WorkflowIDConflictPolicy: conflict,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// Otherwise the SDK makes a run of the other that is open, and tells nobody.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		// Behind PARSE_TIMEOUT, which is at most a week: the server's own end, should no worker be left to say timed_out.
		WorkflowExecutionTimeout: 8 * 24 * time.Hour,
		TypedSearchAttributes: temporal.NewSearchAttributes(WorkspaceAttribute.ValueSet(r.WorkspaceID.String()),
			ProjectAttribute.ValueSet(r.ProjectID.String()), ImportAttribute.ValueSet(r.ImportID.String())),
		StaticSummary: "Parse import " + r.ImportID.String(),
		// Where many wait, workspaces take turns, for this workflow's tasks and those of its activities. A server that knows no fairness serves them in their order.
		Priority: temporal.Priority{FairnessKey: r.WorkspaceID.String()},
	}, ParseTranscript, ParseTranscriptInput{ParseRef: activities.ParseRef{ImportID: r.ImportID, ClaimID: r.ClaimID}})
	var open *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &open) {
		return Run{}, activities.ErrRunOpen
	}
	if err != nil {
		return Run{}, fmt.Errorf("start the parse of import %s: %w: %s", r.ImportID, ErrUnavailable, serviceErrorName(err))
	}
	return Run{run.GetID(), run.GetRunID()}, nil
}

// StartMissing is StartParse for the reconciler: it ends no run. Its errors are activities.ErrRunOpen and ErrUnavailable.
func (c *Client) StartMissing(ctx context.Context, ref activities.ParseRef, workspaceID, projectID uuid.UUID) (activities.ParseRun, error) {
	run, err := c.startParse(ctx, ParseRequest{ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkspaceID: workspaceID, ProjectID: projectID},
		enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
	return activities.ParseRun{WorkflowID: run.WorkflowID, RunID: run.RunID, Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING}, err
}

// DescribeParse returns the latest run of an import's workflow. Its errors are activities.ErrNoRun and ErrUnavailable.
func (c *Client) DescribeParse(ctx context.Context, importID uuid.UUID) (activities.ParseRun, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	described, err := c.temporal.DescribeWorkflowExecution(ctx, ParseWorkflowID(importID), "")
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return activities.ParseRun{}, activities.ErrNoRun
	}
	if err != nil {
		return activities.ParseRun{}, fmt.Errorf("describe the parse of import %s: %w: %s", importID, ErrUnavailable, serviceErrorName(err))
	}
	info := described.GetWorkflowExecutionInfo()
	return activities.ParseRun{WorkflowID: info.GetExecution().GetWorkflowId(), RunID: info.GetExecution().GetRunId(), Status: info.GetStatus()}, nil
}

// CancelParse asks the run to stop. Its error is ErrNotRunning or ErrUnavailable.
func (c *Client) CancelParse(ctx context.Context, importID uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := c.temporal.CancelWorkflow(ctx, ParseWorkflowID(importID), "")
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		return ErrNotRunning
	case err != nil:
		return fmt.Errorf("cancel the parse of import %s: %w: %s", importID, ErrUnavailable, serviceErrorName(err))
	}
	return nil
}

// serviceErrorName names a kind of error without repeating addresses.
func serviceErrorName(err error) string {
	name := fmt.Sprintf("%T", err)
	return name[strings.LastIndex(name, ".")+1:]
}

// EnsureSearchAttributes registers our search attributes in the namespace; those that are there stay. Its error is ErrUnavailable, or that the server does not let us,
// as a Temporal Cloud namespace does, where an operator adds them.
func (c *Client) EnsureSearchAttributes(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	there, err := c.temporal.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("list search attributes: %w: %s", ErrUnavailable, serviceErrorName(err))
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, key := range attributes {
		if _, known := there.GetCustomAttributes()[key.GetName()]; !known {
			missing[key.GetName()] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.temporal.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing})
	var exists *serviceerror.AlreadyExists // another program was first
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("add search attributes: %w: %s", ErrUnavailable, serviceErrorName(err))
	}
	return nil
}
