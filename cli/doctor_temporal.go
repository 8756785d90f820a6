package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"google.golang.org/grpc/codes"

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
	if !d.checkNamespace(ctx, temporal) {
		return
	}
	denied := temporal.DeniedRights(ctx, d.cfg.Temporal.Namespace)
	is, err := temporal.Inspect(ctx, d.cfg.Temporal.Namespace, keys, temporalclient.Schedules()...)
	if err != nil {
		found, do := temporalclient.Advice(err, d.cfg.Temporal.Namespace)
		d.fail("temporal", found, do)
		return
	}
	d.reportRights(denied, is)
	d.reportPreparation(is)
	if is.Knows.Current {
		d.reportWorkers(is.Current)
	}
	switch {
	case is.Undecodable != nil:
		d.fail("payloads", is.Undecodable.Error(),
			"add the missing key to PAYLOAD_KEYS, after the one that encrypts")
	case keys != nil && is.Knows.Payloads:
		d.ok("payloads", "encrypted, and readable")
	}
	if keys != nil && d.cfg.Temporal.CodecSecret == "" {
		d.warn("codec", "Temporal's UI cannot show what is encrypted",
			"set CODEC_SECRET, and the UI's codec server to "+d.cfg.HTTP.PublicURL+"/api/codec")
	}
	d.checkTemporalUI(ctx)
}

// checkNamespace asks for the namespace, and compares it with the one that belongs to the database. It
// reports whether Temporal can be asked more: a single missing right does not prevent that.
func (d *doctor) checkNamespace(ctx context.Context, temporal *temporalclient.Client) bool {
	name := d.cfg.Temporal.Namespace
	id, err := temporal.NamespaceID(ctx, name)
	var refused *temporalclient.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Code == codes.NotFound:
		found, do := temporalclient.Advice(err, name)
		d.fail("temporal", found, do+": "+d.advise("operator", "namespace", "create"))
		return false
	case errors.As(err, &refused) && refused.Code == codes.PermissionDenied:
		found, do := temporalclient.Advice(err, name)
		d.fail("temporal", found, do)
		return true
	case err != nil:
		found, do := temporalclient.Advice(err, name)
		d.fail("temporal", found, do)
		return false
	}
	d.ok("temporal", "answers, and has the namespace %s", name)
	switch {
	case d.namespaceID == "": // nothing to compare
	case id == d.namespaceID:
		d.ok("namespace", "belongs to the database")
	default:
		d.fail("namespace", name+" does not belong to the database: imports are neither started nor ended",
			"correct TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE; or, to go on with this one: research temporal adopt")
	}
	return true
}

// advise returns a command of Temporal's CLI, and what its environment needs.
func (d *doctor) advise(args ...string) string {
	return temporalAdvice(d.cfg.Temporal, args...)
}

// reportRights reports the calls that Temporal refuses, apart from those that nothing is left to do for.
func (d *doctor) reportRights(denied []temporalclient.DeniedRight, is temporalclient.Inspection) {
	var needed, comfort []string
	for _, right := range denied {
		what := fmt.Sprintf("%s (%s): %s", right.Method, right.Code, right.Without)
		switch {
		case right.Method == "AddSearchAttributes" && is.Knows.Attributes && len(is.MissingAttributes) == 0,
			right.Method == "CreateSchedule" && is.Knows.Schedules && len(is.MissingSchedules) == 0:
		case right.Needed:
			needed = append(needed, what)
		default:
			comfort = append(comfort, what)
		}
	}
	do := "permit the API key or the certificate these calls in the namespace " + d.cfg.Temporal.Namespace +
		"; in Temporal Cloud, give its account the permission Write there"
	if len(needed) > 0 {
		d.fail("rights", "refused: "+strings.Join(needed, "; "), do)
	}
	if len(comfort) > 0 {
		d.warn("rights", "refused: "+strings.Join(comfort, "; "), do)
	}
	if len(needed)+len(comfort) == 0 {
		d.ok("rights", "all calls that the programs make are permitted")
	}
}

func (d *doctor) reportPreparation(is temporalclient.Inspection) {
	switch {
	case !is.Knows.Attributes: // the rights say so
	case len(is.MissingAttributes) > 0:
		var names []string
		command := []string{"operator", "search-attribute", "create"}
		for _, key := range is.MissingAttributes {
			names = append(names, key.GetName())
			// The CLI pairs names with types.
			command = append(command, "--name", key.GetName(), "--type", attributeType(key.GetValueType()))
		}
		d.warn("search attributes", strings.Join(names, ", ")+" missing: parses run, but cannot be found by "+
			"them in Temporal's UI",
			"start `research serve`, which adds them; where it may not: "+d.advise(command...))
	default:
		d.ok("search attributes", "registered")
	}
	switch {
	case !is.Knows.Schedules: // the rights say so
	case len(is.MissingSchedules) > 0:
		d.fail("schedules", strings.Join(is.MissingSchedules, ", ")+" missing",
			"start `research serve`, which creates them")
	case len(is.PausedSchedules) > 0:
		d.warn("schedules", strings.Join(is.PausedSchedules, ", ")+" paused",
			d.advise("schedule", "toggle", "--unpause", "--schedule-id", is.PausedSchedules[0],
				"--reason", "research doctor"))
	default:
		d.ok("schedules", "created")
	}
}

// attributeType returns the name that Temporal's CLI has for the type of a search attribute.
func attributeType(t enumspb.IndexedValueType) string {
	if t == enumspb.INDEXED_VALUE_TYPE_INT {
		return "Int"
	}
	return t.String()
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
			d.setCurrentVersion())
	case d.workers[current] == 0:
		d.fail("workers", "none is of the current version "+current+": no run begins",
			"start `research worker` of that version, or make another one current: "+d.setCurrentVersion())
	default:
		d.ok("workers", "%d of %d are of the current version", d.workers[current], total)
	}
}

// setCurrentVersion is the command that makes the version of the most workers the current one.
func (d *doctor) setCurrentVersion() string {
	most := ""
	for version, processes := range d.workers {
		if processes > d.workers[most] || processes == d.workers[most] && version > most {
			most = version
		}
	}
	if most == "" {
		return d.advise("worker", "deployment", "set-current-version", "--deployment-name", d.cfg.Worker.Deployment,
			"--unversioned", "--yes")
	}
	deployment, build, _ := strings.Cut(most, ":")
	return d.advise("worker", "deployment", "set-current-version", "--deployment-name", deployment,
		"--build-id", build, "--yes")
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
