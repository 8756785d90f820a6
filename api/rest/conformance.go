package rest

// Conformance holds settings of PostgREST that are fixed in this service. Only tools/conformance sets them,
// to run PostgREST's own cases. The names in parentheses are PostgREST's.
type Conformance struct {
	AnonymousRole string   // of requests without a token; empty means db.RoleAnon (db-anon-role)
	SearchPath    []string // added to the request's schema (db-extra-search-path)
	PreRequest    string   // a function to call before each request (db-pre-request)
	RootFunction  string   // serves the root (db-root-spec)
	SwaggerToken  bool     // OpenAPI 2.0 declares that a token is required (openapi-security-active)
	Estimates     bool     // planned and estimated counts are PostgreSQL's for every role
	AllPrivileges bool     // the description ignores privileges (openapi-mode)
}
