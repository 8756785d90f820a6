// Package rest is the data API under /rest/v1: PostgREST's wire (https://docs.postgrest.org), generated from the database's schema, so that whatever a
// migration adds appears without a line of Go.
//
// A request goes through four steps. request.go reads it (no database). plan.go checks it against the schema and resolves relationships (no database). sql.go turns the plan
// into one statement; identifiers come from the loaded schema alone, what a client sent is always a parameter, and PostgreSQL builds the JSON. respond.go
// runs it as the caller and answers. Row-level security judges every row; this package never filters by who asks.
package rest
