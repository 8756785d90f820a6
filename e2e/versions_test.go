package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"research/activities"
	"research/temporalclient"
	"research/workflows"
)

// deployment is the default of WORKER_DEPLOYMENT.
const deployment = "research"

// setCurrentVersion does what `temporal worker deployment set-current-version` does, as soon as Temporal
// knows all queues of the version: each of them for activities, and one for workflows as well.
func (s *service) setCurrentVersion(t *testing.T, buildID string) {
	t.Helper()
	handle := s.temporal.WorkerDeploymentClient().GetHandle(deployment)
	require.Eventually(t, func() bool {
		options := client.WorkerDeploymentDescribeVersionOptions{BuildID: buildID}
		version, err := handle.DescribeVersion(t.Context(), options)
		return err == nil && len(version.Info.TaskQueuesInfos) == len(workflows.Queues)+1
	}, 2*timeout, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		options := client.WorkerDeploymentSetCurrentVersionOptions{BuildID: buildID}
		_, err := handle.SetCurrentVersion(t.Context(), options)
		return err == nil
	}, 2*timeout, 100*time.Millisecond)
}

// versioning returns the version that a workflow's last run is on.
func (s *service) versioning(t *testing.T, workflowID string) *workflowpb.WorkflowExecutionVersioningInfo {
	t.Helper()
	described, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflowID, "")
	require.NoError(t, err)
	return described.GetWorkflowExecutionInfo().GetVersioningInfo()
}

// requireVersion requires that the import's run is pinned to a version.
func (i *heldImport) requireVersion(t *testing.T, buildID string) {
	t.Helper()
	info := i.service.versioning(t, i.workflowID)
	require.Equal(t, buildID, info.GetDeploymentVersion().GetBuildId(), i.name)
	require.Equal(t, enumspb.VERSIONING_BEHAVIOR_PINNED, info.GetBehavior(), i.name)
}

// A deployment with worker versions: a run ends on the version on which it began. New runs, those of
// schedules included, go to the version that is made current. A run whose version has no worker left can be
// moved.
func TestWorkerVersions(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startAPI(t, append(model.settings(), "RECONCILE_INTERVAL=1s", "WORKER_STOP_TIMEOUT=1s")...)
	editor := s.signIn(t, s.Editor)
	beforeDeploy := s.addHeld(t, model, editor, "case-before-the-deploy")
	leftBehind := s.addHeld(t, model, editor, "case-left-behind")
	afterDeploy := s.addHeld(t, model, editor, "case-after-the-deploy")

	stopFirst := s.startWorker(t, "WORKER_BUILD_ID=v1")
	beforeDeploy.startParse(t)
	s.waitForFinding(t, finding{Check: "workers", State: "FAIL", Found: "none is the current one"})
	require.Equal(t, "queued", beforeDeploy.status(t))
	s.setCurrentVersion(t, "v1")
	beforeDeploy.waitForFirstChunk(t)
	leftBehind.parseFirstChunk(t)
	beforeDeploy.requireVersion(t, "v1")
	leftBehind.requireVersion(t, "v1")

	s.startWorker(t, "WORKER_BUILD_ID=v2")
	s.setCurrentVersion(t, "v2")
	afterDeploy.parseFirstChunk(t)
	afterDeploy.requireVersion(t, "v2")
	daily := s.temporal.ScheduleClient().GetHandle(t.Context(), "digest-daily")
	require.NoError(t, daily.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	eventually(t, "a schedule's run is on the new version", func() bool {
		found, err := s.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: s.namespace,
			Query: fmt.Sprintf("WorkflowType = 'PlanDigests' and ExecutionStatus = 'Completed' and "+
				"TemporalWorkerDeploymentVersion = '%s:v2'", deployment),
		})
		return err == nil && len(found.GetExecutions()) > 0
	})
	beforeDeploy.release(t)
	beforeDeploy.requireVersion(t, "v1")

	t.Run("the delivery of digests moves by itself", func(t *testing.T) {
		temporal := temporalclient.New(s.temporal, timeout)
		require.NoError(t, temporal.DeliverDigests(t.Context(), activities.DigestMark{}))
		eventually(t, "the run moves", func() bool {
			return s.versioning(t, workflows.DeliverDigestsWorkflowID).GetBehavior() ==
				enumspb.VERSIONING_BEHAVIOR_AUTO_UPGRADE
		})
	})

	stopFirst()
	leftBehind.waitForNoCalls(t)
	autoUpgrade := &client.VersioningOverrideChange{Value: &client.AutoUpgradeVersioningOverride{}}
	move := client.UpdateWorkflowExecutionOptionsRequest{
		WorkflowId:                      leftBehind.workflowID,
		WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{VersioningOverride: autoUpgrade},
	}
	_, err := s.temporal.UpdateWorkflowExecutionOptions(t.Context(), move)
	require.NoError(t, err)
	leftBehind.release(t)
	leftBehind.requireVersion(t, "v2")
	afterDeploy.release(t)
	afterDeploy.requireVersion(t, "v2")
}
