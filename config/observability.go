package config

import "strings"

// Observability configures logs, metrics and traces.
type Observability struct {
	LogLevel     string  // debug, info, warn or error
	MetricsAddr  string  // host:port for operators; empty means none besides HTTP_ADDR
	MetricsToken string  // for /metrics at HTTP_ADDR
	LocalMetrics bool    // for `research dev`: without a token, this machine may read /metrics at HTTP_ADDR
	OTLPEndpoint string  // empty means no traces
	OTLPHeaders  string  // name=value, separated by commas
	TraceRatio   float64 // of traces that are kept, 0 to 1
}

func readObservability(r *reader) Observability {
	r.group = "Observability"
	return Observability{
		LogLevel: r.choice("LOG_LEVEL", "info", []string{"debug", "info", "warn", "error"},
			"The least severe log lines that are written. `dev` defaults to `warn`."),
		MetricsAddr: r.optionalHostPort("METRICS_ADDR",
			"The address at which `serve` and `worker` offer `/metrics`, `/healthz`, `/readyz` and profiles without "+
				"a token. Keep it private."),
		MetricsToken: r.secret("METRICS_TOKEN", 16,
			"The bearer token for `/metrics` at `HTTP_ADDR`. Not set: nobody may read them there, but for requests "+
				"from the same machine to `dev`."),
		OTLPEndpoint: strings.TrimRight(r.url("OTEL_EXPORTER_OTLP_ENDPOINT",
			"The collector that traces are sent to, by OTLP over HTTP. Not set: no traces."), "/"),
		OTLPHeaders: r.secret("OTEL_EXPORTER_OTLP_HEADERS", 0,
			"Headers for the collector, as `name=value` separated by commas."),
		TraceRatio: r.ratio("OTEL_TRACES_SAMPLER_ARG", 1, "The share of traces that is kept."),
	}
}
