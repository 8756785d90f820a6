package auth

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
)

// New returns the handler for /auth/v1. Its paths are relative to that. If identity is switched off, every
// path responds with an error that says so.
func New(cfg Config, d Deps) (http.Handler, error) {
	if d.Identity == nil || d.Keys == nil || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("auth: a dependency is missing")
	}
	s := &server{
		identity:      d.Identity,
		keys:          d.Keys,
		authenticator: d.Authenticator,
		edge:          problem.Edge{Log: d.Log, Format: format, Translations: translations, Lenient: true},
		cfg:           cfg,
	}
	if err := s.protectForms(); err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	if d.Keys.Off() {
		r.Handle("/*", s.edge.Handle(switchedOff))
		return r, nil
	}
	s.routes(r)
	return r, nil
}

func switchedOff(http.ResponseWriter, *http.Request) error {
	return fail(http.StatusNotFound, "feature_disabled",
		"Identity is switched off here: sign in with the identity provider of this installation.")
}

func (s *server) routes(r chi.Router) {
	// These need no API key: they serve verifiers of tokens, and browsers that follow a link.
	r.Get("/.well-known/jwks.json", s.edge.Handle(s.showKeySet))
	r.Get("/.well-known/openid-configuration", s.edge.Handle(s.showDiscovery))
	r.Get("/.well-known/oauth-authorization-server", s.edge.Handle(s.showDiscovery))
	r.Get("/verify", s.edge.Handle(s.showVerifyPage))
	r.Post("/verify", s.edge.Handle(s.verify))
	r.Get("/authorize", s.edge.Handle(s.authorize))
	r.Get("/callback", s.edge.Handle(s.receiveAnswer))
	r.Post("/callback", s.edge.Handle(s.receiveForm))
	r.Get("/undo", s.edge.Handle(s.showUndoPage))
	r.Post("/undo", s.edge.Handle(s.undo))

	// Neither do apps that act for users.
	r.Post("/oauth/clients/register", s.edge.Handle(s.registerClient))
	r.Get("/oauth/authorize", s.edge.Handle(s.beginAuthorization))
	r.Post("/oauth/token", s.edge.Handle(s.grantAppToken))
	r.Get("/oauth/userinfo", s.edge.Handle(s.showUserinfo))
	r.Post("/oauth/userinfo", s.edge.Handle(s.showUserinfo))

	r.Group(func(r chi.Router) {
		r.Use(s.authenticator.APIKey(s.edge.Write))
		r.Post("/token", s.edge.Handle(s.grantToken))
		r.Post("/signup", s.edge.Handle(s.signUp))
		r.Post("/otp", s.edge.Handle(s.mailMagicLink))
		r.Post("/magiclink", s.edge.Handle(s.mailMagicLink))
		r.Post("/recover", s.edge.Handle(s.recoverPassword))
		r.Post("/resend", s.edge.Handle(s.resend))
		r.Get("/health", s.edge.Handle(s.showHealth))
		r.Get("/settings", s.edge.Handle(s.showSettings))

		r.Get("/user", s.signedIn(s.showUser))
		r.Put("/user", s.signedIn(s.updateUser))
		r.Get("/user/identities/authorize", s.signedIn(s.beginLink))
		r.Delete("/user/identities/{id}", s.signedIn(s.unlinkIdentity))
		r.Get("/reauthenticate", s.signedIn(s.mailNonce))
		r.Post("/reauthenticate", s.signedIn(s.reauthenticate))
		r.Post("/logout", s.signedIn(s.signOut))
		r.Get("/sessions", s.signedIn(s.listSessions))
		r.Delete("/sessions/{id}", s.signedIn(s.revokeSession))

		r.Post("/tokens", s.signedIn(s.createPersonalToken))
		r.Get("/tokens", s.signedIn(s.listPersonalTokens))
		r.Delete("/tokens/{id}", s.signedIn(s.revokePersonalToken))

		r.Post("/factors", s.signedIn(s.enrollFactor))
		r.Delete("/factors/{id}", s.signedIn(s.unenrollFactor))
		r.Post("/factors/{id}/challenge", s.signedIn(s.challengeFactor))
		r.Post("/factors/{id}/verify", s.signedIn(s.verifyFactor))
		r.Get("/factors/recovery-codes", s.signedIn(s.countRecoveryCodes))
		r.Post("/factors/recovery-codes", s.signedIn(s.createRecoveryCodes))

		r.Get("/oauth/authorizations/{id}", s.fromOwnPage(s.signedIn(s.showAuthorization)))
		r.Post("/oauth/authorizations/{id}/consent", s.fromOwnPage(s.signedIn(s.answerAuthorization)))
		r.Get("/user/oauth/grants", s.signedIn(s.listGrants))
		r.Delete("/user/oauth/grants", s.signedIn(s.revokeGrant))

		s.unsupportedRoutes(r)

		r.Group(func(r chi.Router) {
			r.Use(s.requireAdmin)
			r.Post("/admin/generate_link", s.edge.Handle(s.generateLink))
			r.Post("/invite", s.edge.Handle(s.inviteUser))
			r.Get("/admin/users", s.edge.Handle(s.listUsers))
			r.Post("/admin/users", s.edge.Handle(s.createUser))
			r.Get("/admin/users/{id}", s.edge.Handle(s.getUser))
			r.Put("/admin/users/{id}", s.edge.Handle(s.changeUser))
			r.Delete("/admin/users/{id}", s.edge.Handle(s.deleteUser))
			r.Get("/admin/users/{id}/factors", s.edge.Handle(s.listUserFactors))
			r.Delete("/admin/users/{id}/factors/{factor}", s.edge.Handle(s.removeUserFactor))
			r.Get("/admin/oauth/clients", s.edge.Handle(s.listClients))
			r.Post("/admin/oauth/clients", s.edge.Handle(s.createClient))
			r.Get("/admin/oauth/clients/{id}", s.edge.Handle(s.getClient))
			r.Put("/admin/oauth/clients/{id}", s.edge.Handle(s.changeClient))
			r.Delete("/admin/oauth/clients/{id}", s.edge.Handle(s.deleteClient))
			r.Post("/admin/oauth/clients/{id}/regenerate_secret", s.edge.Handle(s.regenerateSecret))
		})
	})
}

// protectForms accepts forms only from our own pages. Proxies may change the header Host, so the public
// address is accepted as well.
func (s *server) protectForms() error {
	s.sameOrigin = http.NewCrossOriginProtection()
	public, err := url.Parse(s.cfg.Identity.PublicURL)
	if err != nil {
		return fmt.Errorf("auth: PUBLIC_URL: %w", err)
	}
	return s.sameOrigin.AddTrustedOrigin(public.Scheme + "://" + public.Host)
}
