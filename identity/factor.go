package identity

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"research/db"
)

const (
	// maxFactors is the number of factors of a user, as in GoTrue (GOTRUE_MFA_MAX_ENROLLED_FACTORS).
	maxFactors = 10
	// enrollmentLifetime is how long a factor waits for its first code before a new enrollment removes it.
	enrollmentLifetime = time.Hour
	// maxFactorNameBytes keeps names and issuers short enough for a QR code.
	maxFactorNameBytes = 200
)

// factorVerified is the status of a factor whose first code was entered. Only these have an effect.
const factorVerified = "verified"

// HasFactor reports whether the user has a second factor, so that sessions need it for AAL2.
func (u User) HasFactor() bool {
	var factors []struct{ Status string }
	if err := json.Unmarshal(u.Factors, &factors); err != nil {
		return false
	}
	for _, f := range factors {
		if f.Status == factorVerified {
			return true
		}
	}
	return false
}

// An Enrollment is a request for a second factor.
type Enrollment struct {
	FriendlyName string // what the user calls it; may be empty
	Issuer       string // what the app calls this service; empty means the host of PUBLIC_URL
}

// A NewFactor is a second factor before its first code: an app that shows codes (TOTP, RFC 6238).
type NewFactor struct {
	ID     uuid.UUID
	Secret string // in base32
	URI    string // otpauth://totp/…, for a QR code
}

// EnrollFactor creates a second factor. It takes effect after VerifyFactor. Errors: ErrFactorNameTaken,
// ErrFactorNameInvalid, ErrTooManyFactors, ErrSecondFactorRequired, ErrReauthenticationNeeded,
// ErrSessionEnded.
func (s *Service) EnrollFactor(
	ctx context.Context, client Client, current CurrentUser, e Enrollment,
) (NewFactor, error) {
	e.FriendlyName = strings.TrimSpace(e.FriendlyName)
	if !validFactorName(e.FriendlyName) || !validFactorName(e.Issuer) {
		return NewFactor{}, ErrFactorNameInvalid
	}
	account := current.email()
	if account == "" {
		account = current.ID.String()
	}
	if e.Issuer == "" {
		e.Issuer = s.host()
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: e.Issuer, AccountName: account})
	if err != nil {
		return NewFactor{}, err
	}
	factor := NewFactor{ID: uuid.New(), Secret: key.Secret(), URI: key.URL()}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return err
		}
		if err := s.checkStepUp(session, ErrSecondFactorRequired); err != nil {
			return err
		}
		if err := s.makeRoom(ctx, q, current.ID, e.FriendlyName); err != nil {
			return err
		}
		if err := q.CreateFactor(ctx, db.CreateFactorParams{
			ID: factor.ID, UserID: current.ID, FriendlyName: e.FriendlyName,
			Secret: s.factors.seal(factor.ID, factor.Secret),
		}); err != nil {
			return err
		}
		return s.audit(ctx, q, factorEvent("factor_in_progress", client, current, factor.ID))
	})
	if err != nil {
		return NewFactor{}, err
	}
	return factor, nil
}

func validFactorName(name string) bool {
	return len(name) <= maxFactorNameBytes && utf8.ValidString(name) && !strings.ContainsFunc(name, isControl)
}

// makeRoom removes enrollments that were not completed, and checks whether the user may have another factor.
func (s *Service) makeRoom(ctx context.Context, q *db.Queries, user uuid.UUID, name string) error {
	stale := s.now().Add(-enrollmentLifetime)
	if err := q.DeleteUnverifiedFactors(ctx, db.DeleteUnverifiedFactorsParams{
		UserID: user, FriendlyName: name, CreatedBefore: &stale,
	}); err != nil {
		return err
	}
	factors, err := q.ListFactors(ctx, user)
	if err != nil {
		return err
	}
	for _, f := range factors {
		if name != "" && f.FriendlyName == name {
			return ErrFactorNameTaken
		}
	}
	if len(factors) >= maxFactors {
		return ErrTooManyFactors
	}
	return nil
}

// UnenrollFactor removes a second factor. Other sessions that it raised to AAL2 end; the current one goes
// back to AAL1. With the last factor the recovery codes are deleted. Errors: ErrFactorNotFound,
// ErrUnenrollRequiresFactor, ErrReauthenticationNeeded, ErrSessionEnded.
func (s *Service) UnenrollFactor(
	ctx context.Context, client Client, current CurrentUser, factor uuid.UUID,
) error {
	ended, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]uuid.UUID, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return nil, err
		}
		row, err := getFactor(ctx, q, current.ID, factor)
		if err != nil {
			return nil, err
		}
		if row.Status == factorVerified {
			if err := s.checkStepUp(session, ErrUnenrollRequiresFactor); err != nil {
				return nil, err
			}
			if err := notify(ctx, q, session.user, NoticeFactorRemoved, nil); err != nil {
				return nil, err
			}
		}
		ended, err := deleteFactor(ctx, q, current.ID, factor, current.SessionID)
		if err != nil {
			return nil, err
		}
		if session.factor != nil && *session.factor == factor {
			if err := session.setMethods(ctx, q, session.methods.withoutSecondFactor(), nil); err != nil {
				return nil, err
			}
		}
		return ended, s.audit(ctx, q, factorEvent("factor_unenrolled", client, current, factor))
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(current.ID, ended...)
	return nil
}

// RemoveFactor is UnenrollFactor for administrators, for a user who has lost the factor.
// Errors: ErrUserNotFound, ErrFactorNotFound.
func (s *Service) RemoveFactor(ctx context.Context, client Client, user, factor uuid.UUID) error {
	ended, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]uuid.UUID, error) {
		owner, err := lockUser(ctx, q, user)
		if errors.Is(err, db.ErrNotFound) {
			return nil, ErrUserNotFound
		}
		if err != nil {
			return nil, err
		}
		row, err := getFactor(ctx, q, user, factor)
		if err != nil {
			return nil, err
		}
		if row.Status == factorVerified {
			if err := notify(ctx, q, owner, NoticeFactorRemoved, nil); err != nil {
				return nil, err
			}
		}
		ended, err := deleteFactor(ctx, q, user, factor, uuid.Nil)
		if err != nil {
			return nil, err
		}
		e := byAdmin("factor_deleted", client, user)
		e.traits["factor_id"] = factor
		return ended, s.audit(ctx, q, e)
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(user, ended...)
	return nil
}

// deleteFactor deletes a factor and ends the sessions that it raised, except one.
func deleteFactor(ctx context.Context, q *db.Queries, user, factor, keep uuid.UUID) ([]uuid.UUID, error) {
	ended, err := q.DeleteFactorSessions(ctx, db.DeleteFactorSessionsParams{FactorID: factor, Keep: keep})
	if err != nil {
		return nil, err
	}
	deleted, err := q.DeleteFactor(ctx, db.DeleteFactorParams{ID: factor, UserID: user})
	if err != nil {
		return nil, err
	}
	if deleted == 0 {
		return nil, ErrFactorNotFound
	}
	left, err := q.ListFactors(ctx, user)
	if err != nil {
		return nil, err
	}
	verified := func(f db.ListFactorsRow) bool { return f.Status == factorVerified }
	if slices.ContainsFunc(left, verified) {
		return ended, nil
	}
	return ended, q.DeleteRecoveryCodes(ctx, user)
}

func getFactor(ctx context.Context, q *db.Queries, user, factor uuid.UUID) (db.GetFactorRow, error) {
	row, err := q.GetFactor(ctx, db.GetFactorParams{ID: factor, UserID: user})
	if errors.Is(err, db.ErrNotFound) {
		return row, ErrFactorNotFound
	}
	return row, err
}

// requireFactor returns the error missing if the user has a second factor and the session does not have it.
func (s *Service) requireFactor(ctx context.Context, current CurrentUser, missing error) error {
	if !current.HasFactor() {
		return nil
	}
	return s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err == nil && session.methods.level() != AAL2 {
			return missing
		}
		return err
	})
}

// A lockedSession is the current session with its user, as they are until the end of the transaction.
type lockedSession struct {
	id              uuid.UUID
	user            User
	methods         authentications
	factor          *uuid.UUID // that raised it to AAL2
	authenticatedAt time.Time  // the sign-in, or the last Reauthenticate
}

// lockSession locks the user and the session of a request, in the order in which a deletion locks them.
// Its error is ErrSessionEnded.
func lockSession(ctx context.Context, q *db.Queries, current CurrentUser) (lockedSession, error) {
	user, err := lockUser(ctx, q, current.ID)
	if errors.Is(err, db.ErrNotFound) {
		return lockedSession{}, ErrSessionEnded
	}
	if err != nil {
		return lockedSession{}, err
	}
	row, err := q.LockSession(ctx, db.LockSessionParams{ID: current.SessionID, UserID: current.ID})
	if errors.Is(err, db.ErrNotFound) {
		return lockedSession{}, ErrSessionEnded
	}
	if err != nil {
		return lockedSession{}, err
	}
	methods, err := parseAMR(row.Amr)
	return lockedSession{
		id: row.ID, user: user, methods: methods, factor: row.FactorID, authenticatedAt: row.AuthenticatedAt,
	}, err
}

// setMethods stores how the session was authenticated, for the next access token.
func (l *lockedSession) setMethods(
	ctx context.Context, q *db.Queries, methods authentications, factor *uuid.UUID,
) error {
	amr, err := json.Marshal(methods)
	if err != nil {
		return err
	}
	l.methods, l.factor = methods, factor
	return q.SetSessionMethods(ctx, db.SetSessionMethodsParams{
		ID: l.id, Aal: methods.level(), Amr: amr, FactorID: factor,
	})
}

func factorEvent(action string, client Client, current CurrentUser, factor uuid.UUID) event {
	return event{
		action: action, actor: &current.User, address: client.Address,
		traits: map[string]any{"factor_id": factor},
	}
}
