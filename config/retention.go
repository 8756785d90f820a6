package config

import "time"

// Retention holds the retention periods of data that the service records by itself.
type Retention struct {
	Activity   time.Duration // events of workspaces
	Audit      time.Duration // records of the audit logs of workspaces
	Deliveries time.Duration // of digests
	Tokens     time.Duration // links and sessions that have ended
}

const day = 24 * time.Hour

func readRetention(r *reader) Retention {
	r.group = "Retention"
	return Retention{
		// A year can be compared with the one before. The minimum exceeds what the longest digest is about.
		Activity: r.duration("ACTIVITY_RETENTION", 400*day, 60*day, 3650*day,
			"How long the activity of workspaces is kept: a year, and time to look back at it."),
		// It may take a month to notice an attack.
		Audit: r.duration("AUDIT_RETENTION", 400*day, 30*day, 3650*day,
			"How long records of the audit logs of workspaces are kept: yearly audits find the whole year."),
		Deliveries: r.duration("DELIVERY_RETENTION", 90*day, 30*day, 3650*day,
			"How long it is kept which digests were sent: a quarter of complaints. What is not sent, or may have "+
				"been, is kept."),
		Tokens: r.duration("TOKEN_RETENTION", 7*day, day, 365*day,
			"How long expired links and the tokens of expired sessions are kept: a week of questions why a link "+
				"or a session ended."),
	}
}
