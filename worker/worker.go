// Package worker runs the Temporal workers. It creates the activities from the settings, registers them with
// the workflows, and stops the workers in order.
package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/config"
	"research/db"
	"research/telemetry"
	"research/workflows"
)

// Deps are the dependencies of Run. All are required, and stay the caller's to close.
type Deps struct {
	Store     *db.Store
	Temporal  client.Client
	Telemetry *telemetry.Telemetry
	Log       *slog.Logger
}

// Run works until the context ends. Then it drains the workers and returns nil.
func Run(ctx context.Context, cfg config.Config, d Deps) error {
	extractor, err := NewExtractor(cfg.Extract)
	if err != nil {
		return err
	}
	acts, closeSenders, err := newActivities(cfg, d, extractor)
	if err != nil {
		return err
	}
	defer closeSenders()
	control, parse, mails := newWorkers(cfg, d)
	workflows.Register(control)
	activities.Register(control, acts)
	activities.Register(parse, activities.Deps{Imports: acts.Imports})
	activities.Register(mails, activities.Deps{Digests: acts.Digests})

	defer d.Log.Info("worker stopped")
	// They stop in reverse order: first model calls and mails, whose results are written by the control queue.
	for _, w := range []worker.Worker{control, mails, parse} {
		if !startWhenReachable(ctx, w, d.Log) {
			return nil
		}
		defer w.Stop()
	}
	d.Log.InfoContext(ctx, "worker started", "extractor", extractor.Name(), "model", extractor.Model())
	<-ctx.Done()
	d.Log.Info("worker stopping")
	return nil
}

const (
	// controlStopTimeout is how long a stopping worker waits for workflow tasks and for activities that only use
	// the database.
	controlStopTimeout = 15 * time.Second

	// Activities of one process at a time. The pool bounds database work, and the settings bound model calls.
	maxControlActivities = 10
	maxMailActivities    = 2 // each sends several mails at a time

	// heartbeatThrottle is how long the SDK holds back heartbeats, and so how long a cancelled model call
	// continues. The SDK's default is 80 % of the heartbeat timeout: 12 s.
	heartbeatThrottle = 2 * time.Second
)

// newWorkers returns the workers of the three task queues.
func newWorkers(cfg config.Config, d Deps) (control, parse, mails worker.Worker) {
	options := worker.Options{
		WorkerStopTimeout:                  controlStopTimeout,
		MaxConcurrentActivityExecutionSize: maxControlActivities,
		MaxHeartbeatThrottleInterval:       heartbeatThrottle,
		Interceptors:                       []interceptor.WorkerInterceptor{&observer{telemetry: d.Telemetry}},
		DeploymentOptions:                  deployment(cfg.Worker),
	}
	control = worker.New(d.Temporal, workflows.QueueControl, options)

	// A model call may take OPENAI_TIMEOUT. An activity that needs another call fails, and another worker
	// continues from the stored responses.
	parseOptions := options
	parseOptions.DisableWorkflowWorker = true
	parseOptions.WorkerStopTimeout = cfg.Worker.StopTimeout
	parseOptions.MaxConcurrentActivityExecutionSize = cfg.Parse.CallsInFlight
	parseOptions.TaskQueueActivitiesPerSecond = float64(cfg.Parse.CallsPerMinute) / 60 // of all workers together
	parse = worker.New(d.Temporal, workflows.QueueParse, parseOptions)

	mailOptions := options
	mailOptions.DisableWorkflowWorker = true
	mailOptions.MaxConcurrentActivityExecutionSize = maxMailActivities
	mails = worker.New(d.Temporal, workflows.QueueMail, mailOptions)
	return control, parse, mails
}

// deployment turns on worker versioning if WORKER_BUILD_ID is set. A run then ends on the version on which it
// began, and a new version receives runs when an operator makes it current.
func deployment(cfg config.Worker) worker.DeploymentOptions {
	if cfg.BuildID == "" {
		return worker.DeploymentOptions{}
	}
	return worker.DeploymentOptions{
		UseVersioning: true,
		Version: worker.WorkerDeploymentVersion{
			DeploymentName: cfg.Deployment, BuildID: cfg.BuildID,
		},
		DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}
}

// startWhenReachable starts a worker, and tries again until Temporal is reachable. It reports false if the
// context ends before.
func startWhenReachable(ctx context.Context, w worker.Worker, log *slog.Logger) bool {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := w.Start()
		if err == nil {
			return true
		}
		log.WarnContext(ctx, "temporal not reachable yet", "error", err)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
}
