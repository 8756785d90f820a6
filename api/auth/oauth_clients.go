package auth

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/identity"
)

// A clientRequest is what an app says about itself (RFC 7591, section 2), with GoTrue's client_type.
type clientRequest struct {
	RedirectURIs    []string `json:"redirect_uris"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	ClientType      string   `json:"client_type"`
	ApplicationType string   `json:"application_type"`
	Name            string   `json:"client_name"`
	URI             string   `json:"client_uri"`
	LogoURI         string   `json:"logo_uri"`
}

func (c clientRequest) metadata() identity.ClientMetadata {
	return identity.ClientMetadata{
		RedirectURIs: c.RedirectURIs, GrantTypes: c.GrantTypes, ResponseTypes: c.ResponseTypes,
		AuthMethod: c.AuthMethod, ClientType: c.ClientType, ApplicationType: c.ApplicationType,
		Name: c.Name, URI: c.URI, LogoURI: c.LogoURI,
	}
}

// A clientResponse is an app in GoTrue's format. ClientID is the URL of a metadata document, if there is one;
// ID is what the paths of administrators have.
type clientResponse struct {
	ID               *uuid.UUID `json:"id,omitempty"`
	ClientID         string     `json:"client_id"`
	ClientSecret     string     `json:"client_secret,omitempty"`
	ClientType       string     `json:"client_type"`
	RedirectURIs     []string   `json:"redirect_uris"`
	AuthMethod       string     `json:"token_endpoint_auth_method"`
	GrantTypes       []string   `json:"grant_types"`
	ResponseTypes    []string   `json:"response_types"`
	Name             string     `json:"client_name,omitempty"`
	URI              string     `json:"client_uri,omitempty"`
	LogoURI          string     `json:"logo_uri,omitempty"`
	RegistrationType string     `json:"registration_type"`
	CreatedAt        time.Time  `json:"created_at"`
	UpdatedAt        time.Time  `json:"updated_at"`

	// Of RFC 7591, section 3.2.1.
	IssuedAt        int64  `json:"client_id_issued_at,omitempty"` // in seconds
	SecretExpiresAt *int64 `json:"client_secret_expires_at,omitempty"`
	ApplicationType string `json:"application_type,omitempty"`
}

func newClientResponse(c identity.OAuthClient) clientResponse {
	return clientResponse{
		ClientID: c.ID(), ClientType: c.ClientType, RedirectURIs: c.RedirectUris,
		AuthMethod: c.TokenEndpointAuthMethod, GrantTypes: c.GrantTypes, ResponseTypes: []string{"code"},
		Name: c.ClientName, URI: c.ClientUri, LogoURI: c.LogoUri, RegistrationType: c.RegistrationType,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

// forAdmin adds the id that is part of paths.
func (c clientResponse) forAdmin(client identity.OAuthClient) clientResponse {
	c.ID = &client.AuthOauthClient.ID
	return c
}

// registerClient handles POST /oauth/clients/register, with which an app registers itself (RFC 7591).
func (s *server) registerClient(w http.ResponseWriter, r *http.Request) error {
	var body clientRequest
	if err := readJSON(w, r, &body); err != nil {
		return asInvalidMetadata(err)
	}
	registered, err := s.identity.RegisterOAuthClient(
		r.Context(), s.client(r), identity.ClientDynamic, body.metadata())
	if err != nil {
		return err
	}
	response := newClientResponse(registered.OAuthClient)
	response.IssuedAt, response.ApplicationType = registered.CreatedAt.Unix(), body.ApplicationType
	if registered.Secret != "" {
		response.ClientSecret, response.SecretExpiresAt = registered.Secret, new(int64) // 0: never
	}
	s.edge.WriteJSON(w, http.StatusCreated, response)
	return nil
}

// asInvalidMetadata gives a body that cannot be read the error of RFC 7591.
func asInvalidMetadata(err error) error {
	var known *problem.Error
	if !errors.As(err, &known) || known.Status != http.StatusBadRequest {
		return err
	}
	answer := *known
	answer.Details = details{oauthError: identity.CodeInvalidClientMetadata}
	return &answer
}

// listClients handles GET /admin/oauth/clients.
func (s *server) listClients(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if err := knownParameters(query, "page", "per_page"); err != nil {
		return err
	}
	page, perPage, err := pageOf(query)
	if err != nil {
		return err
	}
	found, err := s.identity.ListOAuthClients(r.Context(), page, perPage)
	if err != nil {
		return err
	}
	clients := make([]clientResponse, len(found.Clients))
	for i, c := range found.Clients {
		clients[i] = newClientResponse(c).forAdmin(c)
	}
	s.writePageHeaders(w, "/admin/oauth/clients", query, page, perPage, found.Total)
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"clients": clients, "aud": token.Audience})
	return nil
}

// createClient handles POST /admin/oauth/clients.
func (s *server) createClient(w http.ResponseWriter, r *http.Request) error {
	var body clientRequest
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	registered, err := s.identity.RegisterOAuthClient(
		r.Context(), s.client(r), identity.ClientManual, body.metadata())
	if err != nil {
		return err
	}
	response := newClientResponse(registered.OAuthClient).forAdmin(registered.OAuthClient)
	response.ClientSecret = registered.Secret
	s.edge.WriteJSON(w, http.StatusCreated, response)
	return nil
}

// errNotClientID is the response to a path whose id is not a UUID.
var errNotClientID = invalid("invalid client_id format")

// getClient handles GET /admin/oauth/clients/{id}.
func (s *server) getClient(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotClientID)
	if err != nil {
		return err
	}
	found, err := s.identity.StoredOAuthClient(r.Context(), id)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, newClientResponse(found).forAdmin(found))
	return nil
}

// changeClient handles PUT /admin/oauth/clients/{id}.
func (s *server) changeClient(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotClientID)
	if err != nil {
		return err
	}
	var body struct {
		RedirectURIs *[]string `json:"redirect_uris"`
		GrantTypes   *[]string `json:"grant_types"`
		AuthMethod   *string   `json:"token_endpoint_auth_method"`
		Name         *string   `json:"client_name"`
		URI          *string   `json:"client_uri"`
		LogoURI      *string   `json:"logo_uri"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	change := identity.ClientChange{
		RedirectURIs: body.RedirectURIs, GrantTypes: body.GrantTypes, AuthMethod: body.AuthMethod,
		Name: body.Name, URI: body.URI, LogoURI: body.LogoURI,
	}
	if change == (identity.ClientChange{}) {
		return invalid("No fields provided for update")
	}
	changed, err := s.identity.UpdateOAuthClient(r.Context(), s.client(r), id, change)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, newClientResponse(changed).forAdmin(changed))
	return nil
}

// deleteClient handles DELETE /admin/oauth/clients/{id}.
func (s *server) deleteClient(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotClientID)
	if err != nil {
		return err
	}
	if err := s.identity.DeleteOAuthClient(r.Context(), s.client(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// regenerateSecret handles POST /admin/oauth/clients/{id}/regenerate_secret.
func (s *server) regenerateSecret(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotClientID)
	if err != nil {
		return err
	}
	registered, err := s.identity.RegenerateOAuthSecret(r.Context(), s.client(r), id)
	if err != nil {
		return err
	}
	response := newClientResponse(registered.OAuthClient).forAdmin(registered.OAuthClient)
	response.ClientSecret = registered.Secret
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}
