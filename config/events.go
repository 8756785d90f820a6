package config

import "time"

// Events configures streams of events, and webhooks.
type Events struct {
	Streams     int           // that one process keeps open
	UserStreams int           // the same for one user
	Retention   time.Duration // of events, for streams that continue

	WebhookHosts     []string // hosts, some with a port, that may be private and without TLS
	WebhookEndpoints int      // of one workspace
}

func readEvents(r *reader) Events {
	r.group = "Events"
	return Events{
		Streams: r.number("EVENT_STREAMS", 10_000, 1, 1_000_000,
			"Streams of events that one `serve` keeps open; more are answered with 503. Each takes some 50 KB."),
		UserStreams: r.number("EVENT_USER_STREAMS", 20, 1, 10_000,
			"Streams of events that one user may have open at one `serve`; more are answered with 429."),
		Retention: r.duration("EVENT_RETENTION", 24*time.Hour, time.Minute, 30*24*time.Hour,
			"How long events are kept for streams that were cut off."),
		WebhookHosts: split(r.text("WEBHOOK_ALLOWED_HOSTS", "",
			"Hosts (`host` or `host:port`, separated by commas) that may receive webhooks although their address is "+
				"private, or by plain http. All others must be public, and use https. Set the same for `serve` and "+
				"`worker`.")),
		WebhookEndpoints: r.number("WEBHOOK_ENDPOINTS", 10, 0, 1000,
			"Webhook endpoints that one workspace may have. Existing ones stay when this is lowered."),
	}
}
