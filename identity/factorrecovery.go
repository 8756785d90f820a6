package identity

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

const (
	recoveryCodes      = 10
	recoveryCodeLength = 16 // characters of 5 bits each
	recoveryCodeGroup  = 4  // characters between hyphens
)

// NewRecoveryCodes returns codes that replace those of a second factor, each once, for a user who has lost
// it. They are stored as hashes, and replace those of an earlier call. Errors: ErrSecondFactorRequired,
// ErrReauthenticationNeeded, ErrSessionEnded, *LimitError.
func (s *Service) NewRecoveryCodes(
	ctx context.Context, client Client, current CurrentUser,
) ([]string, error) {
	codes := make([]string, recoveryCodes)
	hashes := make([][]byte, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		hashes[i] = hashRecoveryCode(codes[i])
	}
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return err
		}
		if session.methods.level() != AAL2 {
			return ErrSecondFactorRequired
		}
		if err := s.checkStepUp(session, ErrSecondFactorRequired); err != nil {
			return err
		}
		if err := notify(ctx, q, session.user, NoticeRecoveryCodesRenewed, nil); err != nil {
			return err
		}
		if err := q.DeleteRecoveryCodes(ctx, current.ID); err != nil {
			return err
		}
		if err := q.CreateRecoveryCodes(ctx, db.CreateRecoveryCodesParams{
			UserID: current.ID, CodeHashes: hashes,
		}); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "recovery_codes_created", actor: &current.User, address: client.Address,
		})
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// RecoveryCodesLeft returns how many recovery codes of a user can still be used.
func (s *Service) RecoveryCodesLeft(ctx context.Context, user uuid.UUID) (int64, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) (int64, error) {
		return q.CountRecoveryCodes(ctx, user)
	})
}

// newRecoveryCode returns a code such as k4mf-2wq7-ztxb-3h6a.
func newRecoveryCode() string {
	text := strings.ToLower(rand.Text()[:recoveryCodeLength])
	var groups []string
	for from := 0; from < len(text); from += recoveryCodeGroup {
		groups = append(groups, text[from:from+recoveryCodeGroup])
	}
	return strings.Join(groups, "-")
}

// hashRecoveryCode ignores case, hyphens and spaces, since people type the codes.
func hashRecoveryCode(code string) []byte {
	return hashSecret(strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(code)))
}

// useRecoveryCode consumes a recovery code. It cannot complete an enrollment. Its error is ErrWrongCode.
func useRecoveryCode(
	ctx context.Context, q *db.Queries, user uuid.UUID, factor db.GetFactorRow, code string,
) error {
	if factor.Status != factorVerified {
		return ErrWrongCode
	}
	used, err := q.UseRecoveryCode(ctx, db.UseRecoveryCodeParams{UserID: user, CodeHash: hashRecoveryCode(code)})
	if err == nil && used == 0 {
		return ErrWrongCode
	}
	return err
}
