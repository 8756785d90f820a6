// Package rest is the data API under /rest/v1. It implements PostgREST's API (https://docs.postgrest.org)
// from the database's schema, so that tables and functions of a new migration are served without new Go code.
//
// The package is the HTTP edge of a compiler. Every method and path takes the same road (answer in rest.go),
// and no step changes what an earlier step made:
//
//	read     input.go     the HTTP request as plain values: query.Input
//	parse    query/       the grammar of URLs, headers and bodies: query.Request
//	plan     plan/        names, relationships, rules and formats: plan.Read, Write, Call, Description, Methods
//	compile  sqlgen/      one statement, which returns one row: sqlgen.Statement
//	run      run.go       the statement as the caller, in one transaction: result
//	respond  respond.go   status, headers and body
//
// Only running needs a connection. The plan is checked against a snapshot of the schema (catalog/, kept up to
// date by schema.go), and the root answers with a description of it (openapi/). The steps below HTTP report a
// query.Error with PostgREST's code, and errors.go gives it a status. Row-level security judges every row:
// this package never filters by who asks.
package rest
