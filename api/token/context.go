package token

import (
	"context"

	"research/db"
)

type contextKey struct{}

// With returns a context with the subject s.
func With(ctx context.Context, s db.Subject) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// From returns the subject of a request. It is anon if no user is signed in.
func From(ctx context.Context) db.Subject {
	if s, ok := ctx.Value(contextKey{}).(db.Subject); ok {
		return s
	}
	return db.Subject{Role: db.RoleAnon}
}
