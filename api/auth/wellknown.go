package auth

import (
	"net/http"
	"strings"
)

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

// A customProvider is a provider that an operator has named, with GoTrue's names of its fields.
type customProvider struct {
	Identifier string `json:"identifier"` // what clients send as the provider
	Name       string `json:"name"`       // for people
}

// showSettings handles GET /settings with the settings that a sign-in form needs.
func (s *server) showSettings(w http.ResponseWriter, _ *http.Request) error {
	external := map[string]bool{
		"email": true, "phone": false, "anonymous_users": s.cfg.Identity.AllowsAnonymous(),
		"google": false, "azure": false,
	}
	custom := []customProvider{}
	for _, provider := range s.cfg.Identity.Providers.List() {
		c := provider.Config()
		external[c.Name] = true
		if strings.HasPrefix(c.Name, "custom:") {
			custom = append(custom, customProvider{Identifier: c.Name, Name: c.Label})
		}
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{
		"external":           external,
		"custom_providers":   custom,
		"disable_signup":     s.cfg.Identity.SignUpDisabled(),
		"mailer_autoconfirm": !s.cfg.Identity.ConfirmsEmail(),
		"phone_autoconfirm":  false,
		"sms_provider":       "",
		"saml_enabled":       false,
		"passkeys_enabled":   false,
	})
	return nil
}
