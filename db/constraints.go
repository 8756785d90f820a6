package db

// The names of constraints and unique indexes that code branches on.
const (
	ConstraintAuthorizationClient = "oauth_authorizations_client_id_fkey"
	ConstraintImportPersona       = "imports_persona_id_fkey"
	ConstraintQuoteProven         = "evidence_quote_proven" // the transcript has other words at this place
	ConstraintSessionUser         = "sessions_user_id_fkey"
	ConstraintUserEmail           = "users_email_key" // one account for each address, however it is capitalized
)
