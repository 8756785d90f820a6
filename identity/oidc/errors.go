package oidc

// An Error says why a provider did not sign somebody in. It has no secrets, codes, tokens or addresses, and of
// the provider's own words at most an error code of 60 characters.
type Error struct {
	// Reason is the predicate of a sentence about the provider: "does not answer".
	Reason string
	// Temporary means that the provider does not answer now, and that a later attempt may succeed.
	Temporary bool
}

func (e *Error) Error() string { return "the provider " + e.Reason }
