package identity

import (
	"context"

	"research/db"
)

// AllowsAnonymous reports whether users may sign up without an address. Where accounts are limited to
// domains, they may not.
func (c Config) AllowsAnonymous() bool {
	return c.Anonymous && !c.SignUpDisabled() && !c.hasDomains()
}

// SignUpAnonymously creates a user without an address and begins a session, which is the only way into the
// account until the user adds an address (UpdateSelf) and proves it. The user gets no mails.
//
// Errors: ErrAnonymousDisabled, those of metadata, *LimitError.
func (s *Service) SignUpAnonymously(ctx context.Context, client Client, metadata Metadata) (Session, error) {
	if !s.cfg.AllowsAnonymous() {
		return Session{}, ErrAnonymousDisabled
	}
	if err := s.limits.signUp(client); err != nil {
		return Session{}, err
	}
	user := newUser("", s.now())
	user.Email, user.IsAnonymous, user.RawAppMetaData = nil, true, object(nil)
	var err error
	if user.RawUserMetaData, err = metadata.applyNew(nil); err != nil {
		return Session{}, err
	}
	return s.beginSession(ctx, client, user, methodAnonymous, "user_signedup", func(q *db.Queries) error {
		return createUser(ctx, q, user)
	})
}
