package rest

// Conformance has settings of PostgREST that this service fixes. PostgREST's own cases need them, and so only
// tools/conformance sets them. The names in parentheses are PostgREST's.
type Conformance struct {
	AnonymousRole string   // of requests without a token (db-anon-role)
	SearchPath    []string // added to the request's schema (db-extra-search-path)
	PreRequest    string   // a function to call before each request (db-pre-request)
	Rollback      bool     // writes are rolled back (db-tx-end)
	TxOverride    bool     // clients may ask for tx=commit and tx=rollback (db-tx-end)
	RootFunction  string   // answers the root (db-root-spec)
	Swagger       bool     // the description is OpenAPI 2.0 where the client does not name a version
	SwaggerToken  bool     // OpenAPI 2.0 says that a token is required (openapi-security-active)
	AllPrivileges bool     // the description shows what any role may use (openapi-mode)
}
