package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"research/config"
	"research/temporalclient"
	"research/workflows"
)

// startVersion starts a worker of a version.
func (s *service) startVersion(t *testing.T, build string) (stop func()) {
	t.Helper()
	cfg := s.cfg
	cfg.Worker.BuildID = build
	return background(t, func(ctx context.Context) error { return work(ctx, cfg, s.log) })
}

// makeCurrent is `temporal worker deployment set-current-version`, as soon as Temporal knows all queues of the version: those for activities, and one for workflows.
func (s *service) makeCurrent(t *testing.T, build string) {
	t.Helper()
	deployment := s.temporal.WorkerDeploymentClient().GetHandle(s.cfg.Worker.Deployment)
	require.Eventually(t, func() bool {
		is, err := deployment.DescribeVersion(t.Context(), client.WorkerDeploymentDescribeVersionOptions{BuildID: build})
		return err == nil && len(is.Info.TaskQueuesInfos) == len(workflows.Queues)+1
	}, 2*patience, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := deployment.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
		return err == nil
	}, 2*patience, 100*time.Millisecond)
}

func (s *service) versioning(t *testing.T, workflowID string) *workflowpb.WorkflowExecutionVersioningInfo {
	t.Helper()
	is, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflowID, "")
	require.NoError(t, err)
	return is.GetWorkflowExecutionInfo().GetVersioningInfo()
}

// isOn tells which version a run is on, and how it came there.
func (e *ending) isOn(t *testing.T, build string) {
	t.Helper()
	info := e.versioning(t, e.workflowID)
	require.Equal(t, build, info.GetDeploymentVersion().GetBuildId(), e.name)
	require.Equal(t, enumspb.VERSIONING_BEHAVIOR_PINNED, info.GetBehavior(), e.name)
}

// A deploy where workers have versions: runs end on the version that they began on, new ones, also those of schedules, go to the version that is made
// current, and a run whose version has no worker left can be moved.
func TestVersions(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := startAPI(t, "RECONCILE_INTERVAL", "1s", "OPENAI_BASE_URL", g.URL, "OPENAI_API_KEY", "key", "OPENAI_MODEL", "test", "WORKER_STOP_TIMEOUT", "1s")
	env := map[string]string{}
	for _, name := range config.Names() {
		if value := s.getenv(name); value != "" {
			env[name] = value
		}
	}
	editor := s.signIn(t, s.Editor)
	began, left, begins := s.ending(t, g, editor, "case-began"), s.ending(t, g, editor, "case-left"), s.ending(t, g, editor, "case-begins")

	stopFirst := s.startVersion(t, "v1")
	began.ask(t)
	s.waitForFinding(t, env, "workers", isFault, "none is the current one")
	require.Equal(t, "queued", began.value(t, "status::text"))
	s.makeCurrent(t, "v1")
	began.reads(t)
	left.parse(t)
	began.isOn(t, "v1")
	left.isOn(t, "v1")

	s.startVersion(t, "v2")
	s.makeCurrent(t, "v2")
	begins.parse(t)
	begins.isOn(t, "v2")
	s.eventually(t, func() bool { // the query that operators use
		found, err := s.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: s.namespace, Query: `WorkflowType = 'ReconcileImports' and TemporalWorkerDeploymentVersion = 'research:v2' and ExecutionStatus = 'Completed'`})
		return err == nil && len(found.GetExecutions()) > 0
	})
	g.let(began.name)
	began.parsed(t)
	began.isOn(t, "v1")

	t.Run("what may last for ever moves by itself", func(t *testing.T) {
		require.NoError(t, temporalclient.New(s.temporal).RetryDigests(t.Context(), "daily"))
		s.eventually(t, func() bool {
			return s.versioning(t, "digest-retry-daily").GetBehavior() == enumspb.VERSIONING_BEHAVIOR_AUTO_UPGRADE
		})
	})

	stopFirst()
	left.hangUp(t)
	_, err := s.temporal.UpdateWorkflowExecutionOptions(t.Context(), client.UpdateWorkflowExecutionOptionsRequest{
		WorkflowId: left.workflowID,
		WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{
			VersioningOverride: &client.VersioningOverrideChange{Value: &client.AutoUpgradeVersioningOverride{}},
		},
	})
	require.NoError(t, err)
	g.let(left.name)
	left.parsed(t)
	left.isOn(t, "v2")
	g.let(begins.name)
	begins.parsed(t)
	begins.isOn(t, "v2")
}
