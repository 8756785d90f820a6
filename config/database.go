package config

import (
	"net/url"
	"strings"
)

// Database configures the connection to PostgreSQL.
type Database struct {
	URL      string // of the database's owner; empty means that `research dev` provides a database
	MaxConns int    // of one process
	// DirectURL is the same database without the pooler; empty means that URL is not a pooler in transaction
	// mode.
	DirectURL string

	// The roles that the programs log in as, and the passwords that `migrate` gives them; an empty one leaves a
	// role as it is.
	ServeLogin, ServePassword   string
	WorkerLogin, WorkerPassword string
}

func readDatabase(r *reader) Database {
	r.group = "PostgreSQL"
	return Database{
		URL: r.databaseURL("DATABASE_URL",
			"The database: for `migrate` as its owner, for `serve` as `authenticator`, for `worker` as "+
				"`research_worker`. As the owner, `serve` and `worker` switch to their roles, which is less safe. "+
				"Provided by `dev`."),
		DirectURL: r.databaseURL("DATABASE_DIRECT_URL",
			"The same database without the pooler, where `DATABASE_URL` is a pooler in transaction mode: `serve` "+
				"listens there. See [operations](operations.md#a-pooler-of-connections)."),
		ServeLogin: r.text("DATABASE_SERVE_LOGIN", "authenticator",
			"The role that `serve` logs in as. Roles belong to the server: each further database on it needs "+
				"names of its own, see [operations](operations.md#several-databases-on-one-server). Only `migrate` "+
				"and `restore` read it."),
		WorkerLogin: r.text("DATABASE_WORKER_LOGIN", "research_worker", "The same for `worker`."),
		ServePassword: r.secret("DATABASE_SERVE_PASSWORD", 16,
			"The password that `migrate` gives the role of `DATABASE_SERVE_LOGIN`. Not set: the role is "+
				"unchanged."),
		WorkerPassword: r.secret("DATABASE_WORKER_PASSWORD", 16,
			"The same for the role of `DATABASE_WORKER_LOGIN`."),
		MaxConns: r.number("DATABASE_MAX_CONNS", 20, 2, 1000,
			"Database connections of one process. `serve` needs at least 6, for three pools: most are for data, a "+
				"quarter is for identity, and two are for probes and metrics."),
	}
}

// databaseURL reads the URL of a PostgreSQL database, as libpq, JDBC and SQLAlchemy write it, with or without
// the quotes that a shell would remove.
func (r *reader) databaseURL(name, description string) string {
	text := r.read(Setting{Name: name, Secret: true, Description: description, url: true})
	if text == "" {
		return ""
	}
	if quote := text[:1]; len(text) > 1 && strings.ContainsAny(quote, `"'`) && strings.HasSuffix(text, quote) {
		text = text[1 : len(text)-1]
	}
	scheme, rest, found := strings.Cut(strings.TrimPrefix(text, "jdbc:"), "://")
	scheme, _, _ = strings.Cut(scheme, "+") // postgresql+psycopg
	if !found || scheme != "postgres" && scheme != "postgresql" {
		r.problem(name, "must be a URL that begins with postgres:// or postgresql://")
		return ""
	}
	text = "postgres://" + rest
	u, err := url.Parse(text)
	hasHost := err == nil && (u.Host != "" || u.Query().Get("host") != "")
	// An unescaped character of the password ends it early, and the host is found where it is not.
	isCut := err == nil && u.User == nil && strings.Contains(u.Path+u.RawQuery+u.Fragment, "@")
	if !hasHost || isCut || u.Fragment != "" {
		r.problem(name, "is not a valid URL: special characters of the user and the password are written as "+
			"%%25 (%%), %%40 (@), %%3A (:), %%2F (/), %%3F (?) and %%23 (#)")
		return ""
	}
	return text
}
