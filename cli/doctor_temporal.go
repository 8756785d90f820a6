package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"research/temporalclient"
)

func (d *doctor) checkTemporal(ctx context.Context) {
	if d.cfg.Temporal.Address == "" {
		return
	}
	c, keys, err := dialTemporal(d.cfg, "research doctor", false, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		d.fail("temporal", err.Error(), "correct the setting: docs/settings.md says how it is written")
		return
	}
	defer c.Close()
	temporal := temporalclient.New(c, d.cfg.Temporal.Timeout)
	is, err := temporal.Inspect(ctx, d.cfg.Temporal.Namespace, keys,
		temporalclient.Schedules()...)
	switch {
	case errors.Is(err, temporalclient.ErrNoNamespace):
		d.fail("temporal", "there is no namespace "+d.cfg.Temporal.Namespace,
			"temporal operator namespace create --namespace "+d.cfg.Temporal.Namespace)
		return
	case errors.Is(err, temporalclient.ErrRefused):
		d.fail("temporal", err.Error(),
			"check TEMPORAL_API_KEY or the certificates, and what they may do in the namespace")
		return
	case err != nil: // temporalclient.ErrUnavailable
		d.fail("temporal", "unavailable: "+d.cfg.Temporal.Address+" does not answer as Temporal",
			"check TEMPORAL_ADDRESS, whether Temporal runs there, and whether it requires TLS (TEMPORAL_TLS, "+
				"TEMPORAL_API_KEY)")
		return
	}
	d.ok("temporal", "answers, and has the namespace %s", d.cfg.Temporal.Namespace)
	d.checkNamespace(ctx, temporal)
	d.reportPreparation(is)
	d.reportWorkers(is.Current)
	switch {
	case is.Undecodable != nil:
		d.fail("payloads", is.Undecodable.Error(),
			"add the missing key to PAYLOAD_KEYS, after the one that encrypts")
	case keys != nil:
		d.ok("payloads", "encrypted, and readable")
	}
	if keys != nil && d.cfg.Temporal.CodecSecret == "" {
		d.warn("codec", "Temporal's UI cannot show what is encrypted",
			"set CODEC_SECRET, and the UI's codec server to "+d.cfg.HTTP.PublicURL+"/api/codec")
	}
	d.checkTemporalUI(ctx)
}

// checkNamespace compares the namespace with the one that belongs to the database.
func (d *doctor) checkNamespace(ctx context.Context, temporal *temporalclient.Client) {
	id, err := temporal.NamespaceID(ctx, d.cfg.Temporal.Namespace)
	switch {
	case err != nil || id == "" || d.namespaceID == "": // nothing to compare
	case id == d.namespaceID:
		d.ok("namespace", "belongs to the database")
	default:
		d.fail("namespace", d.cfg.Temporal.Namespace+" does not belong to the database: imports are neither "+
			"started nor ended",
			"correct TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE; or, to go on with this one: research temporal adopt")
	}
}

func (d *doctor) reportPreparation(is temporalclient.Inspection) {
	if len(is.MissingAttributes) > 0 {
		var names []string
		command := "temporal operator search-attribute create"
		for _, key := range is.MissingAttributes {
			names = append(names, key.GetName())
			command += fmt.Sprintf(" --name %s --type %s", key.GetName(), key.GetValueType())
		}
		d.fail("search attributes", strings.Join(names, ", ")+" missing: no parse can start",
			"start `research serve`, which adds them, or: "+command)
	} else {
		d.ok("search attributes", "registered")
	}
	switch {
	case len(is.MissingSchedules) > 0:
		d.fail("schedules", strings.Join(is.MissingSchedules, ", ")+" missing",
			"start `research serve`, which creates them")
	case len(is.PausedSchedules) > 0:
		d.warn("schedules", strings.Join(is.PausedSchedules, ", ")+" paused",
			"temporal schedule toggle --unpause --schedule-id "+is.PausedSchedules[0])
	default:
		d.ok("schedules", "created")
	}
}

// reportWorkers reports whether workers run, and whether new runs can begin on them. Temporal lists a worker
// for five minutes after it has ended, so the database says which run.
func (d *doctor) reportWorkers(current string) {
	total := 0
	for _, processes := range d.workers {
		total += processes
	}
	switch {
	case d.workers == nil: // the database is not usable, which another finding says
	case total == 0:
		d.fail("workers", "none runs", "start `research worker`")
	case current == "" && d.workers[""] == 0:
		d.fail("workers", "all have versions, and none is the current one: no run begins",
			"temporal worker deployment set-current-version --deployment-name "+d.cfg.Worker.Deployment+
				" --build-id …")
	case d.workers[current] == 0:
		d.fail("workers", "none is of the current version "+current+": no run begins",
			"start `research worker` of that version, or make another one current: "+
				"temporal worker deployment set-current-version")
	default:
		d.ok("workers", "%d of %d are of the current version", d.workers[current], total)
	}
}

func (d *doctor) checkTemporalUI(ctx context.Context) {
	if d.cfg.Temporal.UIURL == "" {
		d.warn("temporal ui", "TEMPORAL_UI_URL is not set: imports have no link to their run",
			"set it to the address of Temporal's UI")
		return
	}
	status, err := fetchStatus(ctx, d.cfg.Temporal.UIURL)
	if err != nil || status >= http.StatusInternalServerError {
		d.warn("temporal ui", "nothing answers at TEMPORAL_UI_URL from here",
			"check the address; operators must reach it, this machine need not")
	}
}
