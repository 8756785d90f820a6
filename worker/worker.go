// Package worker runs the Temporal workers: settings → pool → clients → two Register calls → Run.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"research/activities"
	"research/activities/extract"
	"research/activities/mail"
	"research/config"
	"research/db"
	"research/workflows"
)

// stopTimeout is how long a stopping worker waits for activities: what a model call that is under way usually needs. One that takes longer is handed over by its
// heartbeat time-out.
const stopTimeout = 20 * time.Second

// What one process does at once. Database work is bounded by the pool, model calls by what servers allow.
const (
	maxControlActivities = 10
	maxParseActivities   = 64
	maxMailActivities    = 2 // each sends several mails at once
)

// heartbeatThrottle is how long the SDK keeps heartbeats back, and so how long a model call goes on that was cancelled. Its own choice is four fifths of the
// heartbeat time-out: 12 s.
const heartbeatThrottle = 2 * time.Second

// Run works until the context ends, then drains. The Temporal client and the store stay the caller's.
func Run(ctx context.Context, cfg config.Config, store *db.Store, temporal client.Client, log *slog.Logger) error {
	extractor, err := NewExtractor(cfg.Extract)
	if err != nil {
		return err
	}
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
		PublicURL: cfg.HTTP.PublicURL, Concurrency: (cfg.Mail.Connections + 1) / maxMailActivities, Rate: float64(cfg.Mail.Rate),
	}, log)
	if err != nil {
		return err
	}
	control := worker.New(temporal, workflows.QueueControl, worker.Options{
		WorkerStopTimeout: stopTimeout, MaxConcurrentActivityExecutionSize: maxControlActivities, MaxHeartbeatThrottleInterval: heartbeatThrottle,
	})
	parse := worker.New(temporal, workflows.QueueParse, worker.Options{
		WorkerStopTimeout: stopTimeout, MaxConcurrentActivityExecutionSize: maxParseActivities, MaxHeartbeatThrottleInterval: heartbeatThrottle,
		DisableWorkflowWorker: true,
	})
	mails := worker.New(temporal, workflows.QueueMail, worker.Options{
		WorkerStopTimeout: stopTimeout, MaxConcurrentActivityExecutionSize: maxMailActivities, MaxHeartbeatThrottleInterval: heartbeatThrottle,
		DisableWorkflowWorker: true,
	})
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
