package auth

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/token"
	"research/identity"
)

// scopesMessage names the scopes.
var scopesMessage = "scopes must be a list of at least one of " +
	strings.Join(token.PersonalScopes(), ", ") + "."

// A personalToken describes a personal access token. GoTrue has none.
type personalToken struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Scopes     []string  `json:"scopes"`
	Token      string    `json:"token,omitempty"` // only in the response to its creation
	CreatedAt  string    `json:"created_at"`
	ExpiresAt  string    `json:"expires_at"`
	LastUsedAt *string   `json:"last_used_at"` // to the minute; null means never
}

func newPersonalToken(t identity.PersonalToken, secret string) personalToken {
	return personalToken{
		ID: t.ID, Name: t.Name, Scopes: t.Scopes, Token: secret,
		CreatedAt: inMilliseconds(t.CreatedAt), ExpiresAt: inMilliseconds(t.ExpiresAt),
		LastUsedAt: end(t.LastUsedAt),
	}
}

// createPersonalToken handles POST /tokens.
func (s *server) createPersonalToken(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	var body struct {
		Name      string   `json:"name"`
		Scopes    []string `json:"scopes"`
		ExpiresIn *int64   `json:"expires_in"` // in seconds
		Nonce     string   `json:"nonce"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	request := identity.NewPersonalToken{
		Name: body.Name, Lifetime: identity.PersonalTokenLifetime, Code: body.Nonce,
	}
	if body.ExpiresIn != nil {
		const most = int64(identity.MaxPersonalTokenLifetime / time.Second)
		request.Lifetime = time.Duration(min(max(*body.ExpiresIn, 0), most+1)) * time.Second
	}
	for _, known := range token.PersonalScopes() {
		if slices.Contains(body.Scopes, known) {
			request.Scopes = append(request.Scopes, known)
		}
	}
	unknown := func(scope string) bool { return !slices.Contains(request.Scopes, scope) }
	if slices.ContainsFunc(body.Scopes, unknown) {
		return invalid(scopesMessage)
	}
	created, secret, err := s.identity.CreatePersonalToken(r.Context(), s.client(r), current, request)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusCreated, newPersonalToken(created, secret))
	return nil
}

// listPersonalTokens handles GET /tokens.
func (s *server) listPersonalTokens(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	rows, err := s.identity.PersonalTokens(r.Context(), current.ID)
	if err != nil {
		return err
	}
	list := make([]personalToken, len(rows))
	for i, row := range rows {
		list[i] = newPersonalToken(row, "")
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"tokens": list})
	return nil
}

// revokePersonalToken handles DELETE /tokens/{id}.
func (s *server) revokePersonalToken(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	id, err := pathID(r, identity.ErrPersonalTokenNotFound)
	if err != nil {
		return err
	}
	if err := s.identity.RevokePersonalToken(r.Context(), s.client(r), current, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
