package auth

import "net/http"

// keySetCaching lets verifiers keep the keys for ten minutes, as auth-js does.
const keySetCaching = "public, max-age=600"

// showKeySet handles GET /.well-known/jwks.json with the public keys. There are none if a secret signs
// tokens.
func (s *server) showKeySet(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", keySetCaching)
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"keys": s.keys.Public(r.Context())})
	return nil
}

// showHealth handles GET /health.
func (s *server) showHealth(w http.ResponseWriter, _ *http.Request) error {
	s.edge.WriteJSON(w, http.StatusOK, map[string]string{
		"name": "research", "description": "Speaks the API of Supabase Auth",
	})
	return nil
}

// showSettings handles GET /settings with the settings that a sign-in form needs.
func (s *server) showSettings(w http.ResponseWriter, _ *http.Request) error {
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{
		"external": map[string]bool{
			"email": true, "phone": false, "anonymous_users": s.cfg.Identity.AllowsAnonymous(),
		},
		"disable_signup":     s.cfg.Identity.SignUpDisabled(),
		"mailer_autoconfirm": !s.cfg.Identity.ConfirmsEmail(),
		"phone_autoconfirm":  false,
		"sms_provider":       "",
		"saml_enabled":       false,
		"passkeys_enabled":   false,
	})
	return nil
}
