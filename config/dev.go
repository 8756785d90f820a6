package config

// Dev configures where the parts of `research dev` listen, on 127.0.0.1. Temporal's defaults are its own.
// PostgreSQL's is not its own, since many machines already run a server there.
type Dev struct {
	PostgresPort   int
	TemporalPort   int
	TemporalUIPort int
}

// readDev also returns STATE_DIR: where `research dev` keeps its data, and where mails go without SMTP_URL.
func readDev(r *reader) (stateDir string, d Dev) {
	r.group = "Development stack"
	stateDir = r.text("STATE_DIR", ".dev", "The folder in which `dev` keeps its data.")
	const lastPort = 65535
	return stateDir, Dev{
		PostgresPort:   r.number("POSTGRES_PORT", 5433, 1, lastPort, "The port of `dev`'s PostgreSQL."),
		TemporalPort:   r.number("TEMPORAL_PORT", 7233, 1, lastPort, "The port of `dev`'s Temporal."),
		TemporalUIPort: r.number("TEMPORAL_UI_PORT", 8233, 1, lastPort, "The port of Temporal's UI."),
	}
}
