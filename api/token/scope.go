package token

import (
	"errors"
	"net/http"
	"slices"
)

// The scopes of apps and of personal access tokens. A user's own session has all of them.
const (
	ScopeRead  = "research:read"  // GET and HEAD
	ScopeWrite = "research:write" // every other method
	ScopeAsk   = "research:ask"   // questions to a model, which cost money
	ScopeEmail = "email"          // who the user is; of apps only
)

// KnownScopes returns all scopes.
func KnownScopes() []string { return []string{ScopeRead, ScopeWrite, ScopeAsk, ScopeEmail} }

// PersonalScopes returns the scopes that a personal access token may have.
func PersonalScopes() []string { return []string{ScopeRead, ScopeWrite, ScopeAsk} }

// ErrScope means that a valid token does not have the scope that a request needs. A *ScopeError says which.
var ErrScope = errors.New("the token does not have the scope of this request")

// A ScopeError is an ErrScope.
type ScopeError struct {
	Scope string // that one of which is needed; the narrowest, if there are several
}

func (e *ScopeError) Error() string { return "the token does not have the scope " + e.Scope }
func (e *ScopeError) Unwrap() error { return ErrScope }

// NeededScope returns the scope, for package problem.
func (e *ScopeError) NeededScope() string { return e.Scope }

// Allows reports whether the principal may do what a scope stands for.
func (p Principal) Allows(scope string) bool {
	return p.Scopes == nil || slices.Contains(p.Scopes, scope)
}

// require returns a *ScopeError unless the principal has one of the scopes.
func (p Principal) require(scopes ...string) error {
	if slices.ContainsFunc(scopes, p.Allows) {
		return nil
	}
	return &ScopeError{Scope: scopes[0]}
}

// methodScope returns the scope that a request needs by its method. What reads with POST, as calls of
// functions may, has GET as well.
func methodScope(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return ScopeRead
	}
	return ScopeWrite
}
