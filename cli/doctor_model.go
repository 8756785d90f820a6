package cli

import (
	"context"
	"errors"
	"net/http"

	"research/activities/extract"
	"research/activities/extract/openai"
	"research/dev"
	"research/outcome"
	"research/worker"
)

// checkModel asks the model's server for its list of models, which is free.
func (d *doctor) checkModel(ctx context.Context) {
	model, ok := d.configuredModel(ctx)
	if !ok {
		return
	}
	if err := d.reportProbe(ctx, model); errors.Is(err, openai.ErrNotListed) {
		d.warn("model", model.Model()+" could not be verified: the server has no list of models",
			"research doctor model tries it with a short interview, which costs a little")
	}
}

// configuredModel returns the model, or reports that there is none, and which servers of this machine could
// be used.
func (d *doctor) configuredModel(ctx context.Context) (*openai.Extractor, bool) {
	extractor, err := worker.NewExtractor(d.cfg.Extract, nil)
	if err != nil {
		d.fail("model", err.Error(), "check OPENAI_BASE_URL and OPENAI_MODEL")
		return nil, false
	}
	model, ok := extractor.(*openai.Extractor)
	if !ok {
		advice := "set OPENAI_API_KEY, or OPENAI_BASE_URL, and OPENAI_MODEL"
		if found := dev.FindModelServers(ctx, ""); len(found) > 0 {
			advice = dev.DescribeModelServers(found, "")
		}
		d.warn("model", "none: the keyword extractor finds passages, and seldom proposes a stance", advice)
	}
	return model, ok
}

// reportProbe reports what the server says of the model. It reports nothing where the server has no list of
// models, and returns the error of the probe.
func (d *doctor) reportProbe(ctx context.Context, model *openai.Extractor) error {
	err := model.Probe(ctx)
	var failed *extract.Error
	switch {
	case err == nil:
		d.ok("model", "%s answers", model.Model())
	case errors.Is(err, openai.ErrNotListed):
		if address := model.WorkingAddress(ctx); address != "" {
			d.failAddress(address)
			return openai.ErrNotAPI
		}
	case errors.Is(err, openai.ErrNotAPI):
		d.failAddress(model.WorkingAddress(ctx))
	case errors.As(err, &failed):
		d.failModel(failed, model.Model())
	}
	return err
}

func (d *doctor) failAddress(works string) {
	if works != "" {
		d.fail("model", "no model server is at OPENAI_BASE_URL, but one is at "+works, "set OPENAI_BASE_URL="+works)
		return
	}
	d.fail("model", "what answers at OPENAI_BASE_URL is no model server",
		"check the address: it usually ends with /v1, and never with /chat/completions")
}

// failModel reports the error of a call, with what helps.
func (d *doctor) failModel(failed *extract.Error, model string) {
	found, advice := "the server does not answer", "check OPENAI_BASE_URL, and whether this machine may reach it"
	switch failed.Code {
	case outcome.CodeModelKeyRejected:
		found = "the server refuses the key"
		advice = "check OPENAI_API_KEY, and that it belongs to the server of OPENAI_BASE_URL"
		if failed.Status == http.StatusForbidden {
			advice += "; the key may lack the right to use " + model
		}
	case outcome.CodeModelNotFound:
		found = "the server does not list the model " + model
		advice = "check OPENAI_MODEL; a local server may have to load it first"
	case outcome.CodeModelNoCredit:
		found, advice = "the account has no credit left", "top it up at the model's provider"
	case outcome.CodeModelRateLimited:
		found, advice = "the server limits the rate of requests", "try again later, or ask the provider for more"
	case outcome.CodeModelBadRequest:
		found = "the server rejects requests in every form"
		advice = "check OPENAI_BASE_URL and OPENAI_MODEL; it must be a model for chats"
	case outcome.CodeModelTooLong:
		found = "even a short interview does not fit"
		advice = "start the server with a context of 16,000 tokens or more, and set OPENAI_CONTEXT_TOKENS to it"
	case outcome.CodeModelBadAnswer:
		found = "the answer could not be read, twice"
		advice = "choose another model: a larger one, and one that follows instructions"
	case outcome.CodeModelRefused:
		found = "the model declines to read an interview"
		advice = "choose another model, or relax the server's filter"
	}
	d.fail("model", found, advice)
}
