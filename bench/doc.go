// Package bench measures the whole service: `research serve` and `research worker` as processes of their own,
// with a database, Temporal, and a model or a mail server. `make bench` runs it. Each figure has a limit, and
// a benchmark that misses its limit fails.
package bench
