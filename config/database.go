package config

// Database configures the connection to PostgreSQL.
type Database struct {
	URL      string // of the database's owner; empty means that `research dev` provides a database
	MaxConns int    // of one process
	// DirectURL is the same database without the pooler; empty means that URL is not a pooler in transaction
	// mode.
	DirectURL string

	// Passwords that `migrate` gives the roles of the programs; empty leaves a role as it is.
	ServePassword  string // of authenticator
	WorkerPassword string // of research_worker
}

func readDatabase(r *reader) Database {
	r.group = "PostgreSQL"
	return Database{
		URL: r.secretURL("DATABASE_URL", []string{"postgres", "postgresql"},
			"The database: for `migrate` as its owner, for `serve` as `authenticator`, for `worker` as "+
				"`research_worker`. As the owner, `serve` and `worker` switch to their roles, which is less safe. "+
				"Provided by `dev`."),
		DirectURL: r.secretURL("DATABASE_DIRECT_URL", []string{"postgres", "postgresql"},
			"The same database without the pooler, where `DATABASE_URL` is a pooler in transaction mode: `serve` "+
				"listens there. See [operations](operations.md#a-pooler-of-connections)."),
		ServePassword: r.secret("DATABASE_SERVE_PASSWORD", 16,
			"The password that `migrate` gives the role `authenticator`, as which `serve` logs in. Not set: the role "+
				"is unchanged."),
		WorkerPassword: r.secret("DATABASE_WORKER_PASSWORD", 16,
			"The same for the role `research_worker`, as which `worker` logs in."),
		MaxConns: r.number("DATABASE_MAX_CONNS", 20, 2, 1000,
			"Database connections of one process. `serve` needs at least 6, for three pools: most are for data, a "+
				"quarter is for identity, and two are for probes and metrics."),
	}
}
