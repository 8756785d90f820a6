package auth

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/identity"
)

// factorTOTP is GoTrue's name for the supported type of factors.
const factorTOTP = "totp"

// errNotFactorID is the response to a path whose factor is not a UUID.
var errNotFactorID = fail(http.StatusNotFound, "validation_failed", "factor_id must be an UUID")

// An enrolledFactor is a factor before its first code, in GoTrue's format.
type enrolledFactor struct {
	ID           uuid.UUID  `json:"id"`
	Type         string     `json:"type"`
	FriendlyName string     `json:"friendly_name"`
	TOTP         totpSecret `json:"totp"`
}

type totpSecret struct {
	QRCode string `json:"qr_code"` // an SVG image
	Secret string `json:"secret"`
	URI    string `json:"uri"`
}

// enrollFactor handles POST /factors.
func (s *server) enrollFactor(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	var body struct {
		FriendlyName string `json:"friendly_name"`
		FactorType   string `json:"factor_type"`
		Issuer       string `json:"issuer"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	switch body.FactorType {
	case factorTOTP:
	case "phone":
		return unprocessable("mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone")
	case "webauthn":
		return unprocessable("mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn")
	default:
		return invalid("factor_type needs to be totp")
	}
	factor, err := s.identity.EnrollFactor(r.Context(), s.client(r), current, identity.Enrollment{
		FriendlyName: body.FriendlyName, Issuer: body.Issuer,
	})
	if err != nil {
		return err
	}
	image, err := qrCode(factor.URI)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, enrolledFactor{
		ID: factor.ID, Type: factorTOTP, FriendlyName: body.FriendlyName,
		TOTP: totpSecret{QRCode: image, Secret: factor.Secret, URI: factor.URI},
	})
	return nil
}

// unenrollFactor handles DELETE /factors/{id}.
func (s *server) unenrollFactor(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	id, err := pathID(r, errNotFactorID)
	if err != nil {
		return err
	}
	if err := s.identity.UnenrollFactor(r.Context(), s.client(r), current, id); err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]uuid.UUID{"id": id})
	return nil
}

// challengeFactor handles POST /factors/{id}/challenge.
func (s *server) challengeFactor(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	id, err := pathID(r, errNotFactorID)
	if err != nil {
		return err
	}
	challenge, err := s.identity.ChallengeFactor(r.Context(), s.client(r), current, id)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{
		"id": challenge.ID, "type": factorTOTP, "expires_at": challenge.ExpiresAt.Unix(),
	})
	return nil
}

// verifyFactor handles POST /factors/{id}/verify with the session, which has the second factor now.
func (s *server) verifyFactor(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	id, err := pathID(r, errNotFactorID)
	if err != nil {
		return err
	}
	var body struct {
		ChallengeID uuid.UUID `json:"challenge_id"`
		Code        string    `json:"code"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Code == "" {
		return invalid("Code needs to be non-empty")
	}
	session, err := s.identity.VerifyFactor(r.Context(), s.client(r), current, identity.FactorAnswer{
		Factor: id, Challenge: body.ChallengeID, Code: body.Code,
	})
	if err != nil {
		return err
	}
	return s.writeSession(w, r, session)
}

// countRecoveryCodes handles GET /factors/recovery-codes. GoTrue has no recovery codes.
func (s *server) countRecoveryCodes(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	left, err := s.identity.RecoveryCodesLeft(r.Context(), current.ID)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]int64{"remaining": left})
	return nil
}

// createRecoveryCodes handles POST /factors/recovery-codes with codes that are not shown again.
func (s *server) createRecoveryCodes(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	codes, err := s.identity.NewRecoveryCodes(r.Context(), s.client(r), current)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string][]string{"codes": codes})
	return nil
}

// listUserFactors handles GET /admin/users/{id}/factors.
func (s *server) listUserFactors(w http.ResponseWriter, r *http.Request) error {
	if err := knownParameters(r.URL.Query()); err != nil {
		return err
	}
	id, err := pathID(r, errNotUserID)
	if err != nil {
		return err
	}
	user, err := s.identity.User(r.Context(), id)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, user.Factors)
	return nil
}

// removeUserFactor handles DELETE /admin/users/{id}/factors/{factor}.
func (s *server) removeUserFactor(w http.ResponseWriter, r *http.Request) error {
	user, err := pathID(r, errNotUserID)
	if err != nil {
		return err
	}
	factor, err := uuid.Parse(chi.URLParam(r, "factor"))
	if err != nil {
		return errNotFactorID
	}
	if err := s.identity.RemoveFactor(r.Context(), s.client(r), user, factor); err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]uuid.UUID{"id": factor})
	return nil
}
