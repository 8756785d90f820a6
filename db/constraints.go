package db

// The names of constraints and unique indexes that code branches on.
const (
	ConstraintImportPersona = "imports_persona_id_fkey"
	ConstraintSessionUser   = "sessions_user_id_fkey"
	ConstraintUserEmail     = "users_email_key" // one account for each address, however it is capitalized
)
