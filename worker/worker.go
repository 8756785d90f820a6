// Package worker runs the Temporal workers: settings → pool → clients → two Register calls → Run.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/activities/extract"
	"research/activities/mail"
	"research/config"
	"research/db"
	"research/telemetry"
	"research/workflows"
)

// controlStopTimeout is how long a stopping worker waits for workflow tasks and for activities that only use the database, after those that call models have ended.
const controlStopTimeout = 15 * time.Second

// What one process does at once. Database work is bounded by the pool, model calls by the settings.
const (
	maxControlActivities = 10
	maxMailActivities    = 2 // each writes several mails at once
)

// heartbeatThrottle is how long the SDK keeps heartbeats back, and so how long a model call goes on that was cancelled. Its own choice is four fifths of the
// heartbeat time-out: 12 s.
const heartbeatThrottle = 2 * time.Second

// Deps are what Run works with; all are required, and stay the caller's.
type Deps struct {
	Store     *db.Store
	Temporal  client.Client
	Telemetry *telemetry.Telemetry
	Log       *slog.Logger
}

// Run works until the context ends, then drains.
func Run(ctx context.Context, cfg config.Config, d Deps) error {
	store, temporal, log := d.Store, d.Temporal, d.Log
	extractor, err := NewExtractor(cfg.Extract)
	if err != nil {
		return err
	}
	extractor = &observedExtractor{Extractor: extractor, telemetry: d.Telemetry, log: log}
	imports, err := activities.NewImports(store, extractor, activities.Limits{
		Concurrency: cfg.Parse.Concurrency, Timeout: cfg.Parse.Timeout, MaxTokens: cfg.Parse.MaxTokensPerImport,
	}, log)
	if err != nil {
		return err
	}
	reconciler, err := activities.NewReconciler(imports, workflows.NewClient(temporal), log)
	if err != nil {
		return err
	}
	sender, err := mail.New(mail.Config{SMTPURL: cfg.Mail.SMTPURL, From: cfg.Mail.From, Dir: cfg.Mail.Dir})
	if err != nil {
		return err
	}
	defer sender.Close()
	accounts, err := activities.NewAccounts(store, sender, cfg.HTTP.PublicURL, log)
	if err != nil {
		return err
	}
	// Digests have connections of their own, so that a flood of them does not hold up the mails that people wait for.
	bulk, err := mail.New(mail.Config{SMTPURL: cfg.Mail.SMTPURL, From: cfg.Mail.From, Dir: cfg.Mail.Dir, Connections: cfg.Mail.Connections})
	if err != nil {
		return err
	}
	defer bulk.Close()
	digests, err := activities.NewDigests(store, bulk, activities.DigestConfig{
		PublicURL: cfg.HTTP.PublicURL, Concurrency: cfg.Mail.Connections, Rate: float64(cfg.Mail.Rate), Ended: d.Telemetry.Digests,
	}, log)
	if err != nil {
		return err
	}
	options := worker.Options{
		WorkerStopTimeout: controlStopTimeout, MaxConcurrentActivityExecutionSize: maxControlActivities, MaxHeartbeatThrottleInterval: heartbeatThrottle,
		Interceptors:      []interceptor.WorkerInterceptor{&observer{telemetry: d.Telemetry, store: store}},
		DeploymentOptions: deployment(cfg.Worker),
	}
	control := worker.New(temporal, workflows.QueueControl, options)
	// One call to a model may take OPENAI_TIMEOUT. What takes longer still is handed over: it fails, and another worker takes it up from the answers that are stored.
	parseOptions := options
	parseOptions.WorkerStopTimeout, parseOptions.MaxConcurrentActivityExecutionSize, parseOptions.DisableWorkflowWorker = cfg.Worker.StopTimeout, cfg.Parse.CallsInFlight, true
	parseOptions.TaskQueueActivitiesPerSecond = float64(cfg.Parse.CallsPerMinute) / 60 // Temporal counts over all workers
	parse := worker.New(temporal, workflows.QueueParse, parseOptions)
	mailOptions := options
	mailOptions.MaxConcurrentActivityExecutionSize, mailOptions.DisableWorkflowWorker = maxMailActivities, true
	mails := worker.New(temporal, workflows.QueueMail, mailOptions)
	workflows.Register(control)
	activities.Register(control, activities.Deps{Imports: imports, Reconciler: reconciler, Accounts: accounts, Digests: digests})
	activities.Register(parse, activities.Deps{Imports: imports})
	activities.Register(mails, activities.Deps{Digests: digests})

	workers := []worker.Worker{control, parse, mails}
	for i, w := range workers {
		if err := startWhenReachable(ctx, w, log); err != nil {
			for _, started := range workers[:i] {
				started.Stop()
			}
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}
	}
	log.InfoContext(ctx, "worker started", "extractor", extractor.Name(), "model", extractor.Model())
	<-ctx.Done()
	log.Info("worker stopping")
	// Model calls and mails first: what becomes of them is handed to the control queue.
	parse.Stop()
	mails.Stop()
	control.Stop()
	log.Info("worker stopped")
	return nil
}

// deployment switches worker versioning on where WORKER_BUILD_ID is set. A run then ends on the version that it began on, and a new version gets runs when an
// operator makes it the current one.
func deployment(cfg config.Worker) worker.DeploymentOptions {
	if cfg.BuildID == "" {
		return worker.DeploymentOptions{}
	}
	return worker.DeploymentOptions{
		UseVersioning:             true,
		Version:                   worker.WorkerDeploymentVersion{DeploymentName: cfg.Deployment, BuildID: cfg.BuildID},
		DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}
}

// startWhenReachable starts a worker, and tries again while Temporal is not there yet.
func startWhenReachable(ctx context.Context, w worker.Worker, log *slog.Logger) error {
	wait := 100 * time.Millisecond
	for {
		err := w.Start()
		if err == nil {
			return nil
		}
		log.WarnContext(ctx, "temporal not reachable yet", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// NewExtractor picks the extractor: a model where one is configured, else the keyword extractor.
func NewExtractor(cfg config.Extract) (extract.Extractor, error) {
	if !cfg.UsesModel() {
		return extract.NewKeyword(), nil
	}
	model, err := extract.NewOpenAI(extract.OpenAIConfig{APIKey: cfg.APIKey, BaseURL: cfg.BaseURL, Model: cfg.Model, Timeout: cfg.Timeout, Context: cfg.Context})
	if err != nil {
		return nil, fmt.Errorf("make the extractor: %w", err)
	}
	return model, nil
}
