package worker

import (
	"context"
	"fmt"
	"log/slog"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/activities/extract/openai"
	"research/activities/mail"
	"research/activities/webhook"
	"research/config"
	"research/telemetry"
	"research/temporalclient"
)

// Capacity returns the limits of workers with these settings.
func Capacity(cfg config.Parse) activities.Capacity {
	return activities.Capacity{
		Calls:       activities.CallLimits{InFlight: cfg.CallsInFlight, PerMinute: cfg.CallsPerMinute},
		Concurrency: cfg.Concurrency,
		Timeout:     cfg.Timeout,
	}
}

// exportCapacity adds the capacity forecast for the open imports to the metrics.
func exportCapacity(cfg config.Parse, d Deps) error {
	return d.Telemetry.ObserveCapacity(func(ctx context.Context) (telemetry.Capacity, error) {
		forecast, err := activities.ForecastCapacity(ctx, d.Store, Capacity(cfg))
		return telemetry.Capacity{LateImports: len(forecast.Late), MissingWorkers: forecast.MissingWorkers}, err
	})
}

// newActivities creates the activities from the settings. The caller must call closeSenders when no activity
// runs any more.
func newActivities(
	cfg config.Config, d Deps, extractor *observedExtractor, runs *temporalclient.Client,
) (acts activities.Deps, closeSenders func(), err error) {
	if err := addDataActivities(&acts, cfg, d, extractor, runs); err != nil {
		return acts, nil, err
	}
	accountSender, digestSender, err := newSenders(cfg.Mail)
	if err != nil {
		return acts, nil, err
	}
	closeSenders = func() {
		digestSender.Close()
		accountSender.Close()
	}
	if err := addMailActivities(&acts, cfg, d, accountSender, digestSender); err != nil {
		closeSenders()
		return acts, nil, err
	}
	return acts, closeSenders, nil
}

// addDataActivities adds the activities that read and write the database, the model and webhooks.
func addDataActivities(
	acts *activities.Deps, cfg config.Config, d Deps, extractor *observedExtractor, runs *temporalclient.Client,
) (err error) {
	acts.Imports, err = activities.NewImports(d.Store, extractor, activities.ImportsConfig{
		Concurrency: cfg.Parse.Concurrency,
		Timeout:     cfg.Parse.Timeout,
		MaxTokens:   cfg.Parse.MaxTokensPerImport,
		Speakers:    extractor.speakers(),
		ChunkEnded: func(ctx context.Context, end activities.ChunkEnd) {
			d.Telemetry.Chunk(ctx, chunkOutcome(end))
		},
		CallRepeated: d.Telemetry.CallRepeated,
	}, d.Log)
	if err != nil {
		return err
	}
	acts.Answers, err = activities.NewAnswers(acts.Imports, extractor.answerer(), activities.AnswersConfig{
		Passages: cfg.Ask.Passages, MaxTokens: cfg.Ask.MaxTokensPerAnswer,
	})
	if err != nil {
		return err
	}
	acts.Themes, err = activities.NewThemes(acts.Imports, extractor.themeFinder(), activities.ThemesConfig{
		MaxTokens: cfg.Ask.MaxTokensPerAnswer,
	})
	if err != nil {
		return err
	}
	if acts.Deletions, err = activities.NewDeletions(d.Store, runs, d.Log); err != nil {
		return err
	}
	acts.Retention, err = activities.NewRetention(d.Store, activities.RetentionConfig(cfg.Retention), d.Log)
	if err != nil {
		return err
	}
	sender := webhook.NewSender(webhook.Config{AllowedHosts: cfg.Events.WebhookHosts})
	acts.Webhooks, err = activities.NewWebhooks(d.Store, sender, d.Log)
	return err
}

// newSenders returns the senders of mails. Digests have separate connections, so that a large number of them
// does not delay the mails that people wait for.
func newSenders(cfg config.Mail) (account, digest *mail.Sender, err error) {
	settings := mail.Config{SMTPURL: cfg.SMTPURL, From: cfg.From, Dir: cfg.Dir}
	if account, err = mail.New(settings); err != nil {
		return nil, nil, err
	}
	settings.Connections = cfg.Connections
	if digest, err = mail.New(settings); err != nil {
		account.Close()
		return nil, nil, err
	}
	return account, digest, nil
}

// addMailActivities adds the activities that send mails.
func addMailActivities(
	acts *activities.Deps, cfg config.Config, d Deps, accountSender, digestSender *mail.Sender,
) (err error) {
	acts.Accounts, err = activities.NewAccounts(d.Store, accountSender, cfg.HTTP.PublicURL, d.Log)
	if err != nil {
		return err
	}
	starter := temporalclient.New(d.Temporal, cfg.Temporal.Timeout)
	acts.Digests, err = activities.NewDigests(d.Store, digestSender, starter, activities.DigestConfig{
		PublicURL:   cfg.HTTP.PublicURL,
		Concurrency: cfg.Mail.Connections,
		Rate:        float64(cfg.Mail.Rate),
		Ended:       d.Telemetry.Digests,
	}, d.Log)
	return err
}

// NewExtractor returns the extractor of the configured model, or the keyword extractor if no model is
// configured. log may be nil.
func NewExtractor(cfg config.Extract, log *slog.Logger) (extract.Extractor, error) {
	if !cfg.UsesModel() {
		return keyword.New(keyword.Retrieval(cfg.Retrieval)), nil
	}
	model, err := openai.New(openai.Config{
		APIKey: cfg.APIKey, BaseURL: cfg.BaseURL, Model: cfg.Model, Timeout: cfg.Timeout, Context: cfg.Context,
		ReasoningEffort: cfg.Effort, Mask: cfg.Mask, Example: cfg.Example, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("create the extractor: %w", err)
	}
	return model, nil
}
