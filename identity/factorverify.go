package identity

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// challengeLifetime is GoTrue's (GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION).
const challengeLifetime = 5 * time.Minute

// A Challenge must be answered with a code of a factor, by the session that requested it.
type Challenge struct {
	ID        uuid.UUID
	ExpiresAt time.Time
}

// ChallengeFactor begins the verification of a factor. Errors: ErrFactorNotFound, ErrSessionEnded.
func (s *Service) ChallengeFactor(
	ctx context.Context, client Client, current CurrentUser, factor uuid.UUID,
) (Challenge, error) {
	now := s.now()
	challenge := Challenge{ID: uuid.New(), ExpiresAt: now.Add(challengeLifetime)}
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := lockSession(ctx, q, current); err != nil {
			return err
		}
		if _, err := getFactor(ctx, q, current.ID, factor); err != nil {
			return err
		}
		if err := q.CreateChallenge(ctx, db.CreateChallengeParams{
			ID: challenge.ID, FactorID: factor, SessionID: current.SessionID,
			ExpiresAt: challenge.ExpiresAt, Now: now,
		}); err != nil {
			return err
		}
		return s.audit(ctx, q, factorEvent("challenge_created", client, current, factor))
	})
	if err != nil {
		return Challenge{}, err
	}
	return challenge, nil
}

// A FactorAnswer answers a challenge.
type FactorAnswer struct {
	Factor    uuid.UUID
	Challenge uuid.UUID
	Code      string // that the app shows, or a recovery code
}

// A verification is the result of VerifyFactor's transaction. It includes an error for the client, since the
// transaction must commit.
type verification struct {
	session Session
	ended   []uuid.UUID
	err     error
}

// VerifyFactor raises the session of the request to AAL2. The session gets a new refresh token; the one from
// before the second factor is not valid any more. The user's sessions without a second factor end, and
// enrollments that were not completed are removed, as in GoTrue. A code is accepted once. The first code of a
// factor adds it to the account, which requires a recent sign-in.
//
// Errors: ErrFactorNotFound, ErrChallengeNotFound, ErrChallengeExpired, ErrWrongCode,
// ErrSecondFactorRequired, ErrReauthenticationNeeded, ErrSessionEnded, *LimitError.
func (s *Service) VerifyFactor(
	ctx context.Context, client Client, current CurrentUser, answer FactorAnswer,
) (Session, error) {
	v, err := db.AsService(ctx, s.store, func(q *db.Queries) (verification, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return verification{}, err
		}
		return s.verifyLocked(ctx, q, client, current, session, answer)
	})
	if err != nil {
		return Session{}, err
	}
	if v.err != nil {
		return Session{}, v.err
	}
	s.sessions.SessionsEnded(current.ID, v.ended...)
	return v.session, nil
}

// verifyLocked holds the lock of the user, so that concurrent guesses are counted one after the other.
func (s *Service) verifyLocked(
	ctx context.Context, q *db.Queries, client Client, current CurrentUser, session lockedSession,
	answer FactorAnswer,
) (verification, error) {
	factor, err := getFactor(ctx, q, current.ID, answer.Factor)
	if err != nil {
		return verification{}, err
	}
	if factor.Status != factorVerified {
		if err := s.checkStepUp(session, ErrSecondFactorRequired); err != nil {
			return verification{}, err
		}
	}
	expires, err := q.GetChallenge(ctx, db.GetChallengeParams{
		ID: answer.Challenge, FactorID: factor.ID, SessionID: session.id,
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return verification{}, ErrChallengeNotFound
	case err != nil:
		return verification{}, err
	case !s.now().Before(expires):
		return verification{err: ErrChallengeExpired}, q.DeleteChallenge(ctx, answer.Challenge)
	}
	method, err := s.checkCode(ctx, q, current.ID, factor, answer.Code)
	tried := factorEvent("verification_attempted", client, current, factor.ID)
	tried.traits["challenge_id"], tried.traits["valid"] = answer.Challenge, err == nil
	if errors.Is(err, ErrWrongCode) {
		return verification{err: ErrWrongCode}, s.audit(ctx, q, tried)
	}
	if err != nil {
		return verification{}, err
	}
	tried.traits["method"] = method
	if err := s.audit(ctx, q, tried); err != nil {
		return verification{}, err
	}
	if err := notifyOfFactor(ctx, q, current.User, factor, method); err != nil {
		return verification{}, err
	}
	if err := q.DeleteChallenge(ctx, answer.Challenge); err != nil {
		return verification{}, err
	}
	if err := q.DeleteUnverifiedFactors(ctx, db.DeleteUnverifiedFactorsParams{UserID: current.ID}); err != nil {
		return verification{}, err
	}
	return s.raise(ctx, q, current, session, method, factor.ID)
}

// notifyOfFactor notifies the user of the first code of a factor, and of each use of a recovery code.
func notifyOfFactor(
	ctx context.Context, q *db.Queries, user User, factor db.GetFactorRow, method string,
) error {
	switch {
	case factor.Status != factorVerified:
		return notify(ctx, q, user, NoticeFactorAdded, &factor.ID)
	case method == methodRecoveryCode:
		return notify(ctx, q, user, NoticeRecoveryCodeUsed, nil)
	}
	return nil
}

// checkCode consumes a code, and returns its method of authentication. It counts a wrong code, for which the
// caller must commit. Errors: ErrWrongCode, *LimitError.
func (s *Service) checkCode(
	ctx context.Context, q *db.Queries, user uuid.UUID, factor db.GetFactorRow, code string,
) (method string, err error) {
	if !isTOTP(code) {
		// Recovery codes cannot be guessed, so that wrong ones do not delay the owner.
		return methodRecoveryCode, useRecoveryCode(ctx, q, user, factor, code)
	}
	now := s.now()
	failed, err := q.GetCodeFailures(ctx, user)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", err
	}
	wait := failed.LastFailedAt.Add(codeWait(int(failed.Failures))).Sub(now)
	if failed.Failures > 0 && wait > 0 {
		return "", &LimitError{Cause: ErrTooManyCodes, RetryAfter: wait}
	}
	secret, err := s.factors.open(factor.ID, factor.Secret)
	if err != nil {
		return "", err
	}
	step, found, err := matchingStep(secret, code, now)
	if err != nil {
		return "", err
	}
	if !found || step <= factor.LastStep {
		if err := q.RecordCodeFailure(ctx, db.RecordCodeFailureParams{UserID: user, FailedAt: now}); err != nil {
			return "", err
		}
		return "", ErrWrongCode
	}
	if err := q.AcceptFactorCode(ctx, db.AcceptFactorCodeParams{ID: factor.ID, Step: step}); err != nil {
		return "", err
	}
	return methodTOTP, q.ForgetCodeFailures(ctx, user)
}

// raise gives the session the second factor and a new refresh token.
func (s *Service) raise(
	ctx context.Context, q *db.Queries, current CurrentUser, session lockedSession, method string,
	factor uuid.UUID,
) (verification, error) {
	if err := session.setMethods(ctx, q, session.methods.with(method, s.now()), &factor); err != nil {
		return verification{}, err
	}
	ended, err := q.DeleteLowerSessions(ctx, db.DeleteLowerSessionsParams{UserID: current.ID, Keep: session.id})
	if err != nil {
		return verification{}, err
	}
	// A copy of the earlier refresh token must not yield a session with the second factor.
	if err := q.DeleteSessionTokens(ctx, session.id); err != nil {
		return verification{}, err
	}
	token := newRefreshToken()
	err = q.CreateRefreshToken(ctx, db.CreateRefreshTokenParams{
		TokenHash: hashSecret(token), UserID: current.ID, SessionID: session.id,
	})
	if err != nil {
		return verification{}, err
	}
	user, err := getUser(ctx, q, current.ID)
	if err != nil {
		return verification{}, err
	}
	amr, err := json.Marshal(session.methods)
	raised := Session{ID: session.id, User: user, AMR: amr, RefreshToken: token}
	return verification{session: raised, ended: ended}, err
}
