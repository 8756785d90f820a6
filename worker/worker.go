// Package worker runs the Temporal workers. It creates the activities from the settings, registers them with
// the workflows, and stops the workers in order.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/config"
	"research/db"
	"research/internal/outage"
	"research/telemetry"
	"research/temporalclient"
	"research/workflows"
)

// Deps are the dependencies of Run. All are required, and stay the caller's to close.
type Deps struct {
	Store     *db.Store
	Temporal  client.Client
	Telemetry *telemetry.Telemetry
	Log       *slog.Logger
}

// Run runs the workers until the context ends. Then it drains them and returns nil.
func Run(ctx context.Context, cfg config.Config, d Deps) error {
	extractor, err := NewExtractor(cfg.Extract, d.Log)
	if err != nil {
		return err
	}
	observed := &observedExtractor{Extractor: extractor, telemetry: d.Telemetry, log: d.Log}
	runs := temporalclient.NewGuarded(d.Temporal, cfg.Temporal.Timeout, cfg.Temporal.Namespace, d.Store,
		cfg.HTTP.PublicURL)
	acts, closeSenders, err := newActivities(cfg, d, observed, runs)
	if err != nil {
		return err
	}
	defer closeSenders()
	reconciler, err := NewReconciler(cfg, d.Store, runs, d.Telemetry, d.Log)
	if err != nil {
		return err
	}
	if err := exportCapacity(cfg.Parse, d); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer d.Log.Info("worker stopped")
	// The control queue stops last, because it writes the results of the others.
	start := func(q queue) (worker.Worker, bool) {
		return startWhenReachable(ctx, d.Log, func() worker.Worker {
			q.options.OnFatalError = func(err error) { cancel(&fatalError{err}) }
			w := worker.New(d.Temporal, q.name, q.options)
			if !q.options.DisableWorkflowWorker {
				workflows.Register(w)
			}
			activities.Register(w, q.activities)
			return w
		})
	}
	control, others := newQueues(cfg, d, acts)
	controlWorker, ok := start(control)
	if !ok {
		return nil
	}
	defer controlWorker.Stop()
	var started []worker.Worker
	defer func() { stopAll(started) }()
	for _, q := range others {
		w, ok := start(q)
		if !ok {
			return fatal(ctx)
		}
		started = append(started, w)
	}
	d.Log.InfoContext(ctx, "worker started", "extractor", extractor.Name(), "model", extractor.Model())
	pollDatabase(ctx, cfg, d, runs, reconciler)
	d.Log.Info("worker stopping")
	return fatal(ctx)
}

// A fatalError is the error for which a worker of the SDK gave up.
type fatalError struct{ error }

// fatal returns the error for which a worker gave up, and nil if the context ended for another reason: a
// namespace that is gone, or a server that does not understand polls. The process ends with it, so that what
// supervises it starts it again.
func fatal(ctx context.Context) error {
	var gaveUp *fatalError
	if !errors.As(context.Cause(ctx), &gaveUp) {
		return nil
	}
	return temporalclient.Failure("poll for tasks", gaveUp.error)
}

// pollDatabase starts workflows for rows that are due, and compares open imports with their runs, until the
// context ends.
func pollDatabase(
	ctx context.Context, cfg config.Config, d Deps, runs *temporalclient.Client,
	reconciler *activities.Reconciler,
) {
	dog := &watchdog{
		store: d.Store, runs: runs, reconciler: reconciler, telemetry: d.Telemetry, log: d.Log,
		interval: cfg.Parse.ReconcileInterval, worker: uuid.New(), version: versionOf(cfg.Worker),
	}
	mails := &mailRelay{store: d.Store, mails: runs}
	hooks := &webhookRelay{store: d.Store, runs: runs}
	var polls sync.WaitGroup
	polls.Go(func() { dog.run(ctx) })
	polls.Go(func() { every(ctx, mailInterval, d.Log, "mails about accounts not started", mails.poll) })
	polls.Go(func() { every(ctx, webhookInterval, d.Log, "webhooks not started", hooks.poll) })
	polls.Wait()
}

const (
	// controlStopTimeout is how long a stopping worker waits for workflow tasks, for activities that only use
	// the database, and for mails about accounts, to which a server may take a while to say yes. Together with
	// the longest of the other queues, which stop before, it is what supervisors must allow.
	controlStopTimeout = 25 * time.Second

	// The number of activities that run at the same time in one process. The pool bounds database work; settings
	// bound model calls.
	maxControlActivities = 10
	maxMailActivities    = workflows.DigestShards // each sends several mails at a time
	maxWebhookActivities = 100                    // each waits for its receiver most of the time

	// heartbeatThrottle is how long the SDK holds back heartbeats, and so how long a cancelled model call
	// runs on. The SDK's default is 80 % of the heartbeat timeout: 12 s.
	heartbeatThrottle = 2 * time.Second
)

// stopAll stops workers at the same time, so that a process stops within the longest of their timeouts.
func stopAll(workers []worker.Worker) {
	var stopped sync.WaitGroup
	for _, w := range workers {
		stopped.Go(w.Stop)
	}
	stopped.Wait()
}

// A queue is a task queue, and how its tasks are executed.
type queue struct {
	name       string
	options    worker.Options
	activities activities.Deps
}

// newQueues returns the control queue, which alone has workflows, and the others.
func newQueues(cfg config.Config, d Deps, acts activities.Deps) (control queue, others []queue) {
	options := worker.Options{
		WorkerStopTimeout:                  controlStopTimeout,
		MaxConcurrentActivityExecutionSize: maxControlActivities,
		MaxHeartbeatThrottleInterval:       heartbeatThrottle,
		Interceptors:                       []interceptor.WorkerInterceptor{&observer{telemetry: d.Telemetry}},
		DeploymentOptions:                  deployment(cfg.Worker),
	}
	control = queue{workflows.QueueControl, options, acts}
	options.DisableWorkflowWorker = true

	// A model call may take OPENAI_TIMEOUT: a worker that stops waits for it. Each activity makes one call, so
	// that the limits of activities are those of calls. Temporal shares the rate among workspaces.
	parse := queue{workflows.QueueParse, options, activities.Deps{
		Imports: acts.Imports, Answers: acts.Answers, Themes: acts.Themes,
	}}
	parse.options.WorkerStopTimeout = cfg.Worker.StopTimeout
	parse.options.MaxConcurrentActivityExecutionSize = cfg.Parse.CallsInFlight
	parse.options.TaskQueueActivitiesPerSecond = float64(cfg.Parse.CallsPerMinute) / 60 // 0 for no limit

	mails := queue{workflows.QueueMail, options, activities.Deps{Digests: acts.Digests}}
	// A digest that is cut off becomes uncertain. Its session may take as long as a model call, at the same
	// time.
	mails.options.WorkerStopTimeout = max(controlStopTimeout, cfg.Worker.StopTimeout)
	mails.options.MaxConcurrentActivityExecutionSize = maxMailActivities

	hooks := queue{workflows.QueueWebhook, options, activities.Deps{Webhooks: acts.Webhooks}}
	hooks.options.MaxConcurrentActivityExecutionSize = maxWebhookActivities
	return control, []queue{mails, hooks, parse}
}

// deployment enables worker versioning if WORKER_BUILD_ID is set. A run then stays on the version that
// started it, and a new version receives runs once an operator makes it current.
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

// versionOf names the version of a worker as Temporal does, or returns "" without worker versioning.
func versionOf(cfg config.Worker) string {
	if cfg.BuildID == "" {
		return ""
	}
	return cfg.Deployment + ":" + cfg.BuildID
}

// startWhenReachable starts a worker, and retries until Temporal is reachable and permits it. A worker of the
// SDK starts once, and returns the same error from then on: each attempt is made with another one. It returns
// false if the context ends first.
func startWhenReachable(
	ctx context.Context, log *slog.Logger, create func() worker.Worker,
) (started worker.Worker, ok bool) {
	failures := outage.New(log, "worker not started")
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		w := create()
		err := w.Start()
		if err == nil {
			failures.Report(nil)
			return w, true
		}
		failures.Report(temporalclient.Failure("start a worker", err))
		select {
		case <-ctx.Done():
			return nil, false
		case <-time.After(wait):
		}
	}
}
