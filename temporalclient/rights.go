package temporalclient

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

// A Right is a call of Temporal's API that the programs make, and that may be denied.
type Right struct {
	Method  string // of the WorkflowService or the OperatorService
	Needed  bool   // without it, something that users wait for does not happen
	Without string // what does not happen
}

// A DeniedRight is a call that Temporal refuses.
type DeniedRight struct {
	Right
	Code codes.Code // PermissionDenied, Unauthenticated or Unimplemented
}

// rightTimeout bounds the check of a right. A server that does not answer in time has not refused.
const rightTimeout = 3 * time.Second

// DeniedRights returns the calls that Temporal refuses in the namespace, and changes nothing: Temporal checks
// rights before anything else, so calls that would change something are made with invalid requests, which
// lack the run, the schedule, the queue or the task that they are about.
func (c *Client) DeniedRights(ctx context.Context, namespace string) []DeniedRight {
	ctx, cancel := context.WithTimeout(ctx, rightTimeout)
	defer cancel()
	checks := c.rightChecks(namespace)
	answers := make([]codes.Code, len(checks))
	var calls sync.WaitGroup
	for i, check := range checks {
		calls.Go(func() { answers[i] = codeOf(check.call(ctx)) })
	}
	calls.Wait()
	var denied []DeniedRight
	for i, check := range checks {
		switch answers[i] {
		case codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
			denied = append(denied, DeniedRight{check.Right, answers[i]})
		}
	}
	return denied
}

type rightCheck struct {
	Right
	call func(context.Context) error
}

// call returns the call of a method of a service with a request.
func call[Service, Request, Response any](
	service Service, method func(Service, context.Context, Request, ...grpc.CallOption) (Response, error),
	request Request,
) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := method(service, ctx, request)
		return err
	}
}

// rightChecks are the checks of all calls that the programs, and the SDK for them, make.
func (c *Client) rightChecks(ns string) []rightCheck {
	type api = workflowservice.WorkflowServiceClient
	service, operator := c.temporal.WorkflowService(), c.temporal.OperatorService()
	const (
		needed, comfort = true, false

		nothing  = "nothing works"
		noRun    = "no parse, mail or deletion starts"
		noWork   = "workers do no work"
		noTicks  = "no digest is sent by itself, and old data is not deleted"
		noSearch = "runs cannot be found by import or workspace in Temporal's UI"
		noReport = "doctor and metrics say less"
	)
	return []rightCheck{
		{Right{"GetSystemInfo", needed, nothing}, call(service, api.GetSystemInfo,
			&workflowservice.GetSystemInfoRequest{})},
		{Right{"DescribeNamespace", needed, "no parse and no worker starts"}, call(service, api.DescribeNamespace,
			&workflowservice.DescribeNamespaceRequest{Namespace: ns})},
		{Right{"StartWorkflowExecution", needed, noRun}, call(service, api.StartWorkflowExecution,
			&workflowservice.StartWorkflowExecutionRequest{Namespace: ns})},
		{Right{"SignalWithStartWorkflowExecution", needed, "no digest is sent"}, call(service,
			api.SignalWithStartWorkflowExecution,
			&workflowservice.SignalWithStartWorkflowExecutionRequest{Namespace: ns})},
		{Right{"DescribeWorkflowExecution", needed, "imports whose run was lost are not repaired"}, call(service,
			api.DescribeWorkflowExecution, &workflowservice.DescribeWorkflowExecutionRequest{Namespace: ns})},
		{Right{"RequestCancelWorkflowExecution", needed, "no parse can be canceled"}, call(service,
			api.RequestCancelWorkflowExecution,
			&workflowservice.RequestCancelWorkflowExecutionRequest{Namespace: ns})},
		{Right{"TerminateWorkflowExecution", needed, "runs that are stuck are not ended"}, call(service,
			api.TerminateWorkflowExecution, &workflowservice.TerminateWorkflowExecutionRequest{Namespace: ns})},
		{Right{"GetWorkflowExecutionHistory", needed, "workers cannot go on with long or interrupted runs"},
			call(service, api.GetWorkflowExecutionHistory,
				&workflowservice.GetWorkflowExecutionHistoryRequest{Namespace: ns})},
		{Right{"PollWorkflowTaskQueue", needed, noWork}, call(service, api.PollWorkflowTaskQueue,
			&workflowservice.PollWorkflowTaskQueueRequest{Namespace: ns})},
		{Right{"RespondWorkflowTaskCompleted", needed, noWork}, call(service, api.RespondWorkflowTaskCompleted,
			&workflowservice.RespondWorkflowTaskCompletedRequest{Namespace: ns})},
		{Right{"RespondWorkflowTaskFailed", comfort, "runs that fail are slow to recover"}, call(service,
			api.RespondWorkflowTaskFailed, &workflowservice.RespondWorkflowTaskFailedRequest{Namespace: ns})},
		{Right{"PollActivityTaskQueue", needed, noWork}, call(service, api.PollActivityTaskQueue,
			&workflowservice.PollActivityTaskQueueRequest{Namespace: ns})},
		{Right{"RespondActivityTaskCompleted", needed, noWork}, call(service, api.RespondActivityTaskCompleted,
			&workflowservice.RespondActivityTaskCompletedRequest{Namespace: ns})},
		{Right{"RespondActivityTaskFailed", needed, "failures are noticed late"}, call(service,
			api.RespondActivityTaskFailed, &workflowservice.RespondActivityTaskFailedRequest{Namespace: ns})},
		{Right{"RespondActivityTaskCanceled", needed, "cancellations take long"}, call(service,
			api.RespondActivityTaskCanceled, &workflowservice.RespondActivityTaskCanceledRequest{Namespace: ns})},
		{Right{"RecordActivityTaskHeartbeat", needed, "long model calls are repeated, and canceled late"},
			call(service, api.RecordActivityTaskHeartbeat,
				&workflowservice.RecordActivityTaskHeartbeatRequest{Namespace: ns})},
		{Right{"DescribeSchedule", needed, noTicks}, call(service, api.DescribeSchedule,
			&workflowservice.DescribeScheduleRequest{Namespace: ns})},
		{Right{"CreateSchedule", needed, noTicks}, call(service, api.CreateSchedule,
			&workflowservice.CreateScheduleRequest{Namespace: ns})},
		{Right{"UpdateSchedule", comfort, "a new version cannot correct its schedules"}, call(service,
			api.UpdateSchedule, &workflowservice.UpdateScheduleRequest{Namespace: ns})},
		{Right{"ListSearchAttributes", comfort, noSearch}, call(operator,
			operatorservice.OperatorServiceClient.ListSearchAttributes,
			&operatorservice.ListSearchAttributesRequest{Namespace: ns})},
		{Right{"AddSearchAttributes", comfort, noSearch}, call(operator,
			operatorservice.OperatorServiceClient.AddSearchAttributes,
			&operatorservice.AddSearchAttributesRequest{Namespace: ns})},
		{Right{"ListWorkflowExecutions", comfort, noReport}, call(service, api.ListWorkflowExecutions,
			&workflowservice.ListWorkflowExecutionsRequest{Namespace: ns, PageSize: 1})},
		{Right{"DescribeTaskQueue", comfort, noReport}, call(service, api.DescribeTaskQueue,
			&workflowservice.DescribeTaskQueueRequest{Namespace: ns})},
	}
}
