package worker

import (
	"fmt"

	"research/activities"
	"research/activities/extract"
	"research/activities/mail"
	"research/config"
	"research/temporalclient"
)

// newActivities creates the activities from the settings. The caller calls closeSenders when no activity runs
// any more.
func newActivities(
	cfg config.Config, d Deps, extractor extract.Extractor,
) (_ activities.Deps, closeSenders func(), err error) {
	var acts activities.Deps
	observed := &observedExtractor{Extractor: extractor, telemetry: d.Telemetry, log: d.Log}
	acts.Imports, err = activities.NewImports(d.Store, observed, activities.Limits{
		Concurrency: cfg.Parse.Concurrency, Timeout: cfg.Parse.Timeout, MaxTokens: cfg.Parse.MaxTokensPerImport,
	}, d.Log)
	if err != nil {
		return acts, nil, err
	}
	acts.Reconciler, err = activities.NewReconciler(acts.Imports, temporalclient.New(d.Temporal), d.Log)
	if err != nil {
		return acts, nil, err
	}
	settings := mail.Config{SMTPURL: cfg.Mail.SMTPURL, From: cfg.Mail.From, Dir: cfg.Mail.Dir}
	accountSender, err := mail.New(settings)
	if err != nil {
		return acts, nil, err
	}
	// Digests have their own connections, so that many of them do not delay the mails that people wait for.
	settings.Connections = cfg.Mail.Connections
	digestSender, err := mail.New(settings)
	if err != nil {
		accountSender.Close()
		return acts, nil, err
	}
	closeSenders = func() {
		digestSender.Close()
		accountSender.Close()
	}
	acts.Accounts, err = activities.NewAccounts(d.Store, accountSender, cfg.HTTP.PublicURL, d.Log)
	if err == nil {
		acts.Digests, err = activities.NewDigests(d.Store, digestSender, activities.DigestConfig{
			PublicURL: cfg.HTTP.PublicURL, Concurrency: cfg.Mail.Connections, Rate: float64(cfg.Mail.Rate),
			Ended: d.Telemetry.Digests,
		}, d.Log)
	}
	if err != nil {
		closeSenders()
		return acts, nil, err
	}
	return acts, closeSenders, nil
}

// NewExtractor returns the extractor of the configured model, or the keyword extractor if no model is
// configured.
func NewExtractor(cfg config.Extract) (extract.Extractor, error) {
	if !cfg.UsesModel() {
		return extract.NewKeyword(), nil
	}
	model, err := extract.NewOpenAI(extract.OpenAIConfig{
		APIKey: cfg.APIKey, BaseURL: cfg.BaseURL, Model: cfg.Model, Timeout: cfg.Timeout, Context: cfg.Context,
	})
	if err != nil {
		return nil, fmt.Errorf("create the extractor: %w", err)
	}
	return model, nil
}
