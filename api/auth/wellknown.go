package auth

import (
	"net/http"
	"strings"
)

// keySet answers GET /.well-known/jwks.json: the public keys, and none where tokens are signed with a secret. Ten minutes is what auth-js keeps it for.
func (s *Server) keySet(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=600")
	s.writeJSON(w, http.StatusOK, map[string]any{"keys": s.keys.Public(r.Context())})
	return nil
}

// discovery answers GET /.well-known/openid-configuration: as much of OpenID Connect Discovery 1.0 §3 as a verifier of our tokens needs.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=600")
	issuer := s.keys.Issuer()
	s.writeJSON(w, http.StatusOK, map[string]any{
		"issuer": issuer, "jwks_uri": issuer + "/.well-known/jwks.json", "token_endpoint": issuer + "/token", "userinfo_endpoint": issuer + "/user",
		"response_types_supported": []string{"token"}, "subject_types_supported": []string{"public"}, "grant_types_supported": []string{"password", "refresh_token"},
		"id_token_signing_alg_values_supported": []string{s.keys.Algorithm()},
		"claims_supported":                      []string{"aud", "exp", "iat", "iss", "sub", "email", "role", "session_id", "amr", "aal", "app_metadata", "user_metadata"},
	})
	return nil
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	s.writeJSON(w, http.StatusOK, map[string]string{"name": "research", "description": "Speaks the API of Supabase Auth"})
	return nil
}

// settings answers GET /settings: what a sign-in form needs to know.
func (s *Server) settings(w http.ResponseWriter, _ *http.Request) error {
	s.writeJSON(w, http.StatusOK, map[string]any{
		"external":       map[string]bool{"email": true, "phone": false, "anonymous_users": false},
		"disable_signup": strings.EqualFold(s.cfg.SignUp, "off"), "mailer_autoconfirm": !s.cfg.ConfirmEmail, "phone_autoconfirm": false, "sms_provider": "",
		"saml_enabled": false, "passkeys_enabled": false,
	})
	return nil
}
