package db

// The names of constraints that code branches on.
const (
	ConstraintImportPersona = "imports_persona_id_fkey"
)
