package activities

import "github.com/google/uuid"

// A ParseRef names an import and the request to parse it. A write for a request that is not the latest
// changes nothing.
type ParseRef struct {
	ImportID uuid.UUID
	ClaimID  uuid.UUID
}
