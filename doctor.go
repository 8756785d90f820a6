package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"research/activities/extract"
	"research/activities/mail"
	"research/config"
	"research/db"
	"research/outcome"
	"research/telemetry"
	"research/temporalclient"
	"research/worker"
	"research/workflows"
)

const doctorUsage = `usage: research doctor [--json]: checks every dependency and setting, changes nothing, and says what to do; the exit code is 1 where something keeps the service from working`

// How grave a finding is.
const (
	isFine  = "ok"
	isWarn  = "warn" // the service works, though not as well as it could, or not for long
	isFault = "FAIL"
)

// A finding is what the doctor says of one thing. It holds no secret.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// A doctor collects findings.
type doctor struct {
	cfg      config.Config
	findings []finding
}

func (d *doctor) fine(check, found string, args ...any) {
	d.findings = append(d.findings, finding{check, isFine, fmt.Sprintf(found, args...), ""})
}

func (d *doctor) warn(check, found, do string) {
	d.findings = append(d.findings, finding{check, isWarn, found, do})
}

func (d *doctor) fault(check, found, do string) {
	d.findings = append(d.findings, finding{check, isFault, found, do})
}

// What a doctor waits for, and by how much clocks may differ: tokens are good for an hour, and their times are whole seconds.
const (
	checkTimeout = 10 * time.Second
	maxClockSkew = 5 * time.Second
)

func runDoctor(ctx context.Context, cfg config.Config, _ func(string) string, args []string, _ *slog.Logger) error {
	if len(args) > 1 || len(args) == 1 && args[0] != "--json" {
		return errors.New(doctorUsage)
	}
	return examine(ctx, cfg, len(args) == 1, os.Stdout)
}

// examine makes all checks and prints what was found. Its error is an exitCode where something is at fault.
func examine(ctx context.Context, cfg config.Config, asJSON bool, out io.Writer) error {
	d := &doctor{cfg: cfg}
	for _, check := range []func(context.Context){d.settings, d.database, d.temporal, d.model, d.mail, d.traces} {
		limited, cancel := context.WithTimeout(ctx, checkTimeout)
		check(limited)
		cancel()
	}
	if err := d.print(asJSON, out); err != nil {
		return err
	}
	if slices.ContainsFunc(d.findings, func(f finding) bool { return f.State == isFault }) {
		return exitCode(1)
	}
	return nil
}

func (d *doctor) print(asJSON bool, out io.Writer) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(d.findings)
	}
	for _, f := range d.findings {
		if _, err := fmt.Fprintf(out, "%-5s %-18s %s\n", f.State, f.Check, f.Found); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(out, "%-24s → %s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}

// settings checks what can be judged without asking anybody.
func (d *doctor) settings(context.Context) {
	var missing []string
	if problems := new(config.Problems); errors.As(d.cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET"), &problems) {
		for _, p := range problems.List {
			missing = append(missing, p.Setting)
		}
	}
	if len(missing) > 0 {
		d.fault("settings", strings.Join(missing, ", ")+" missing", "set them; `research secrets` makes new keys; `research dev` brings all that is missing on one machine")
	} else {
		d.fine("settings", "all that serve and worker need are there")
	}
	k := d.cfg.Keys
	if k.Anon != "" && k.Anon == k.Service {
		d.fault("keys", "ANON_KEY, which every client knows, is the SERVICE_ROLE_KEY, which passes row-level security", "make new keys: research secrets")
	} else if k.CronSecret != "" && slices.Contains([]string{k.Anon, k.Service}, k.CronSecret) {
		d.fault("keys", "CRON_SECRET is also an API key", "make new keys: research secrets")
	}
	if u, err := url.Parse(d.cfg.HTTP.PublicURL); err == nil && u.Scheme == "http" && !isLocal(u.Hostname()) {
		d.warn("public url", "PUBLIC_URL is http: passwords and tokens travel in plain text", "put a proxy with TLS in front, and set PUBLIC_URL to its https address")
	}
	if host, _, err := net.SplitHostPort(d.cfg.Seeing.MetricsAddr); err == nil && d.cfg.Seeing.MetricsAddr == d.cfg.HTTP.Addr {
		d.fault("metrics", "METRICS_ADDR is HTTP_ADDR: "+host, "choose another port, or leave METRICS_ADDR out")
	}
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// The versions of PostgreSQL that the service is tested with.
const (
	oldestPostgres = 14
	newestPostgres = 18
)

func (d *doctor) database(ctx context.Context) {
	if d.cfg.Database.URL == "" {
		return
	}
	began := time.Now()
	is, err := db.Inspect(ctx, d.cfg.Database.URL)
	if err != nil {
		d.fault("postgresql", err.Error(), "check host, port, user, password and name in DATABASE_URL, and that the server lets this machine in")
		return
	}
	took := time.Since(began)
	switch major := is.Number / 10000; {
	case major < oldestPostgres:
		d.fault("postgresql", "version "+is.Version+" is too old", fmt.Sprintf("use PostgreSQL %d to %d", oldestPostgres, newestPostgres))
	case major > newestPostgres:
		d.warn("postgresql", "version "+is.Version+" is newer than what this was tested with", fmt.Sprintf("use PostgreSQL %d to %d", oldestPostgres, newestPostgres))
	default:
		d.fine("postgresql", "%s answers in %s as %s", is.Version, took.Round(time.Millisecond), is.Login)
	}
	if is.Encoding != "UTF8" {
		d.fault("encoding", "the database is encoded in "+is.Encoding, "create it with: encoding 'UTF8' template template0")
	}
	switch {
	case len(is.Missing) == 0:
		d.fine("roles", "%s may become authenticator, and that anon, authenticated and service_role", is.Login)
	case is.Pending > 0:
		d.fault("roles", "not usable yet: "+strings.Join(is.Missing, ", "), "run: research migrate, as an owner with CREATEROLE")
	default:
		d.fault("roles", is.Login+" may not become "+strings.Join(is.Missing, ", "),
			"as an administrator: grant anon, authenticated, service_role to authenticator; grant anon, authenticated, service_role, authenticator to "+is.Login)
	}
	switch {
	case is.Pending < 0:
		d.fault("migrations", is.Login+" may not see which are applied", "let DATABASE_URL log in as the owner of the database")
	case is.Pending > 0:
		d.fault("migrations", fmt.Sprintf("%d are missing", is.Pending), "run: research migrate")
	case is.Ahead > 0:
		d.warn("migrations", fmt.Sprintf("the database has %d that this version does not know: a newer one made them", is.Ahead), "finish the upgrade; this version goes on working meanwhile")
	default:
		d.fine("migrations", "all applied")
	}
	// The database read its clock some time within the answer.
	d.clock(time.Until(is.Clock), took)
	if is.Pending == 0 && len(is.Missing) == 0 {
		d.tokens(ctx)
	}
}

func (d *doctor) clock(skew, took time.Duration) {
	if skew.Abs() > maxClockSkew+took {
		d.fault("clock", fmt.Sprintf("this machine and the database differ by %s", skew.Abs().Round(time.Second)), "keep the time of both by NTP: tokens, digests and deadlines depend on it")
		return
	}
	d.fine("clock", "within %s of the database's", (maxClockSkew + took).Round(time.Second))
}

// tokens checks what tokens and API keys are made and judged by, as serve will when it starts.
func (d *doctor) tokens(ctx context.Context) {
	store, err := openStore(ctx, d.cfg, "research doctor")
	if err != nil {
		d.fault("tokens", err.Error(), "check what the programs may do in the database")
		return
	}
	defer store.Close()
	if _, _, err := openAuthenticator(ctx, d.cfg, store); err != nil {
		d.fault("tokens", err.Error(), "put ANON_KEY, SERVICE_ROLE_KEY, JWT_SECRET, JWT_PRIVATE_KEY or EXTERNAL_ISSUERS right")
		return
	}
	d.fine("tokens", "can be made and judged")
}

func (d *doctor) temporal(ctx context.Context) {
	if d.cfg.Temporal.Address == "" {
		return
	}
	quiet := slog.New(slog.DiscardHandler)
	seen, err := telemetry.New(ctx, telemetry.Config{Program: "research-doctor"})
	if err != nil {
		d.fault("temporal", err.Error(), "this is a fault of the program")
		return
	}
	defer func() { _ = seen.Shutdown(context.WithoutCancel(ctx)) }()
	c, keys, err := dialTemporal(d.cfg, quiet, seen, false)
	if err != nil {
		d.fault("temporal", err.Error(), "put the setting right: the README says how it is written")
		return
	}
	defer c.Close()
	is, err := temporalclient.New(c).Inspect(ctx, d.cfg.Temporal.Namespace, keys, schedules(d.cfg)...)
	switch {
	case errors.Is(err, temporalclient.ErrNoNamespace):
		d.fault("temporal", "there is no namespace "+d.cfg.Temporal.Namespace, "temporal operator namespace create --namespace "+d.cfg.Temporal.Namespace)
		return
	case errors.Is(err, temporalclient.ErrRefused):
		d.fault("temporal", err.Error(), "check TEMPORAL_API_KEY or the certificates, and what they may do in the namespace")
		return
	case err != nil:
		d.fault("temporal", err.Error(), "check TEMPORAL_ADDRESS, whether Temporal runs there, and whether it wants TLS (TEMPORAL_TLS, TEMPORAL_API_KEY)")
		return
	}
	d.fine("temporal", "answers, and has the namespace %s", d.cfg.Temporal.Namespace)
	if len(is.MissingAttributes) > 0 {
		d.fault("search attributes", strings.Join(is.MissingAttributes, ", ")+" missing: no parse can start",
			"start `research serve`, which adds them, or: temporal operator search-attribute create --type Keyword --name "+strings.Join(is.MissingAttributes, " --name "))
	} else {
		d.fine("search attributes", "registered")
	}
	switch {
	case len(is.MissingSchedules) > 0:
		d.fault("schedules", strings.Join(is.MissingSchedules, ", ")+" missing", "start `research serve`, which creates them")
	case len(is.PausedSchedules) > 0:
		d.warn("schedules", strings.Join(is.PausedSchedules, ", ")+" paused", "temporal schedule toggle --unpause --schedule-id "+is.PausedSchedules[0])
	default:
		d.fine("schedules", "created")
	}
	var idle []string
	for _, queue := range workflows.Queues {
		if is.Pollers[queue] == 0 {
			idle = append(idle, queue)
		}
	}
	switch {
	case len(idle) > 0:
		d.fault("workers", "nobody works on "+strings.Join(idle, ", "), "start `research worker`")
	case !is.CurrentPolls && is.Current == "":
		d.fault("workers", "all have versions, and none is the current one: no run begins", "temporal worker deployment set-current-version --deployment-name "+d.cfg.Worker.Deployment+" --build-id …")
	case !is.CurrentPolls:
		d.fault("workers", "none is of the current version "+is.Current+": no run begins", "start `research worker` of that version, or make another one current: temporal worker deployment set-current-version")
	default:
		d.fine("workers", "%d on %s, %d on %s", is.Pollers[workflows.QueueControl], workflows.QueueControl, is.Pollers[workflows.QueueParse], workflows.QueueParse)
	}
	switch {
	case is.Undecodable != nil:
		d.fault("payloads", is.Undecodable.Error(), "add the key that is missing to PAYLOAD_KEYS, behind the one that encrypts")
	case keys != nil:
		d.fine("payloads", "encrypted, and readable")
	}
	if keys != nil && d.cfg.Temporal.CodecSecret == "" {
		d.warn("codec", "Temporal's UI cannot show what is encrypted", "set CODEC_SECRET, and the UI's codec server to "+d.cfg.HTTP.PublicURL+"/api/codec")
	}
	d.temporalUI(ctx)
}

func (d *doctor) temporalUI(ctx context.Context) {
	if d.cfg.Temporal.UIURL == "" {
		d.warn("temporal ui", "TEMPORAL_UI_URL is not set: imports have no link to their run", "set it to the address of Temporal's UI")
		return
	}
	if status, err := fetch(ctx, d.cfg.Temporal.UIURL); err != nil || status >= http.StatusInternalServerError {
		d.warn("temporal ui", "nothing answers at TEMPORAL_UI_URL from here", "check the address; that operators reach it is what matters")
	}
}

func fetch(ctx context.Context, address string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func (d *doctor) model(ctx context.Context) {
	extractor, err := worker.NewExtractor(d.cfg.Extract)
	if err != nil {
		d.fault("model", err.Error(), "check OPENAI_BASE_URL and OPENAI_MODEL")
		return
	}
	model, ok := extractor.(*extract.OpenAI)
	if !ok {
		d.warn("model", "none: the keyword extractor finds passages, and judges nothing", "set OPENAI_API_KEY, or OPENAI_BASE_URL, and OPENAI_MODEL")
		return
	}
	var failed *extract.Error
	switch err := model.Probe(ctx); {
	case err == nil:
		d.fine("model", "%s answers", model.Model())
	case !errors.As(err, &failed):
		d.fault("model", "the server cannot be asked", "check OPENAI_BASE_URL")
	case failed.Code == outcome.CodeModelKeyRejected:
		d.fault("model", "the server refuses the key", "check OPENAI_API_KEY, and that it belongs to the server of OPENAI_BASE_URL")
	case failed.Code == outcome.CodeModelNotFound:
		d.fault("model", "the server does not list the model "+model.Model(), "check OPENAI_MODEL; a local server may have to load it first")
	default:
		d.fault("model", "the server does not answer", "check OPENAI_BASE_URL, and whether this machine may reach it")
	}
}

func (d *doctor) mail(ctx context.Context) {
	m := d.cfg.Mail
	err := mail.Probe(ctx, mail.Config{SMTPURL: m.SMTPURL, From: m.From, Dir: m.Dir, Timeout: checkTimeout})
	switch {
	case err != nil && m.SMTPURL == "":
		d.fault("mail", err.Error(), "make MAIL_DIR a folder that the worker may write to, or set SMTP_URL")
	case err != nil:
		d.fault("mail", err.Error(), "check SMTP_URL: scheme, host, port, user and password")
	case m.SMTPURL == "":
		d.warn("mail", "mails become files in "+m.Dir+": nobody gets them", "set SMTP_URL")
	default:
		d.fine("mail", "the server takes mails")
	}
}

func (d *doctor) traces(ctx context.Context) {
	s := d.cfg.Seeing
	if s.OTLPEndpoint == "" {
		return
	}
	if _, err := telemetry.ParseHeaders(s.OTLPHeaders); err != nil {
		d.fault("traces", "OTEL_EXPORTER_OTLP_HEADERS "+err.Error(), "write them as name=value, separated by commas")
		return
	}
	if _, err := fetch(ctx, s.OTLPEndpoint+"/v1/traces"); err != nil {
		d.warn("traces", "nothing answers at OTEL_EXPORTER_OTLP_ENDPOINT: traces are lost", "check the address; it is OTLP over HTTP, usually port 4318")
		return
	}
	d.fine("traces", "the collector answers")
}
