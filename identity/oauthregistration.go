package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"

	"research/db"
)

// The methods in this file but RegisterOAuthClient with ClientDynamic are for administrators. Callers must
// authorize the client.

// A RegisteredClient is a client with the secret that it was just given. The secret is empty for public
// clients.
type RegisteredClient struct {
	OAuthClient
	Secret string
}

// newClientSecret returns a secret of 256 bits.
func newClientSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(secret)
}

// RegisterOAuthClient stores a client. The registration type is ClientManual or ClientDynamic; the latter is
// limited for a network. Errors: *ClientMetadataError, *LimitError.
func (s *Service) RegisterOAuthClient(
	ctx context.Context, requester Client, registrationType string, m ClientMetadata,
) (RegisteredClient, error) {
	m, err := m.prepare()
	if err != nil {
		return RegisteredClient{}, err
	}
	if registrationType != ClientManual {
		if err := s.limits.newClient(requester); err != nil {
			return RegisteredClient{}, err
		}
	}
	var registered RegisteredClient
	var hash []byte
	if m.ClientType == ClientConfidential {
		registered.Secret = newClientSecret()
		hash = hashSecret(registered.Secret)
	}
	err = s.store.AsService(ctx, func(q *db.Queries) (err error) {
		registered.AuthOauthClient, err = q.CreateOAuthClient(ctx, db.CreateOAuthClientParams{
			RegistrationType: registrationType, ClientType: m.ClientType, TokenEndpointAuthMethod: m.AuthMethod,
			ClientSecretHash: hash, ClientName: m.Name, ClientUri: m.URI, LogoUri: m.LogoURI,
			RedirectUris: m.RedirectURIs, GrantTypes: m.GrantTypes, Now: s.now(),
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, clientEvent("oauth_client_registered", requester, registered.OAuthClient))
	})
	return registered, err
}

// clientEvent is an entry of the audit log about a client. Names and addresses of apps are not part of it:
// anybody can choose them.
func clientEvent(action string, requester Client, c OAuthClient) event {
	return event{action: action, address: requester.Address, traits: map[string]any{
		"client_id": c.AuthOauthClient.ID, "registration_type": c.RegistrationType,
	}}
}

// An OAuthClientPage is a page of clients.
type OAuthClientPage struct {
	Clients []OAuthClient
	Total   int64 // of all pages
}

// ListOAuthClients returns a page of clients, the newest first. The first page is 1.
func (s *Service) ListOAuthClients(ctx context.Context, page, perPage int) (OAuthClientPage, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) (found OAuthClientPage, err error) {
		if found.Total, err = q.CountOAuthClients(ctx); err != nil {
			return found, err
		}
		rows, err := q.ListOAuthClients(ctx, db.ListOAuthClientsParams{
			PageSize: int32(perPage), Skip: int32((page - 1) * perPage),
		})
		for _, row := range rows {
			found.Clients = append(found.Clients, OAuthClient{row})
		}
		return found, err
	})
}

// StoredOAuthClient returns the client with a primary key. Its error is ErrOAuthClientNotFound.
func (s *Service) StoredOAuthClient(ctx context.Context, id uuid.UUID) (OAuthClient, error) {
	return s.storedClient(ctx, id.String())
}

// A ClientChange holds the fields of a client that an administrator changes. Nil means unchanged.
type ClientChange struct {
	RedirectURIs *[]string
	GrantTypes   *[]string
	AuthMethod   *string
	Name         *string
	URI          *string
	LogoURI      *string
}

// apply returns the metadata of a client with the change.
func (change ClientChange) apply(c OAuthClient) ClientMetadata {
	m := ClientMetadata{
		RedirectURIs: c.RedirectUris, GrantTypes: c.GrantTypes, AuthMethod: c.TokenEndpointAuthMethod,
		ClientType: c.ClientType, Name: c.ClientName, URI: c.ClientUri, LogoURI: c.LogoUri,
	}
	for _, field := range []struct{ to, from *[]string }{
		{&m.RedirectURIs, change.RedirectURIs}, {&m.GrantTypes, change.GrantTypes},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	for _, field := range []struct{ to, from *string }{
		{&m.AuthMethod, change.AuthMethod}, {&m.Name, change.Name}, {&m.URI, change.URI},
		{&m.LogoURI, change.LogoURI},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	return m
}

// UpdateOAuthClient changes a client. What a metadata document says cannot be changed here. Errors:
// ErrOAuthClientNotFound, *ClientMetadataError.
func (s *Service) UpdateOAuthClient(
	ctx context.Context, admin Client, id uuid.UUID, change ClientChange,
) (OAuthClient, error) {
	client, err := db.AsService(ctx, s.store, func(q *db.Queries) (client OAuthClient, err error) {
		if client.AuthOauthClient, err = q.LockOAuthClient(ctx, id); err != nil {
			return client, err
		}
		if client.MetadataUrl != nil {
			return client, badMetadata("The client is described by its metadata document, and can only be deleted.")
		}
		m, err := change.apply(client).prepare()
		if err != nil {
			return client, err
		}
		client.AuthOauthClient, err = q.UpdateOAuthClient(ctx, db.UpdateOAuthClientParams{
			ID: id, TokenEndpointAuthMethod: m.AuthMethod, ClientName: m.Name, ClientUri: m.URI,
			LogoUri: m.LogoURI, RedirectUris: m.RedirectURIs, GrantTypes: m.GrantTypes, Now: s.now(),
		})
		if err != nil {
			return client, err
		}
		return client, s.audit(ctx, q, clientEvent("oauth_client_updated", admin, client))
	})
	return client, clientGone(err)
}

// DeleteOAuthClient deletes a client, with what users have allowed to it and its sessions. Its error is
// ErrOAuthClientNotFound.
func (s *Service) DeleteOAuthClient(ctx context.Context, admin Client, id uuid.UUID) error {
	client, err := s.StoredOAuthClient(ctx, id)
	if err != nil {
		return err
	}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		deleted, err := q.DeleteOAuthClient(ctx, id)
		if err == nil && deleted == 0 {
			return ErrOAuthClientNotFound // deleted by a concurrent request
		}
		if err != nil {
			return err
		}
		return s.audit(ctx, q, clientEvent("oauth_client_deleted", admin, client))
	})
	if err == nil {
		s.sessions.RecheckSessions() // there may be many
	}
	return err
}

// RegenerateOAuthSecret gives a confidential client a new secret; the former one is void at once. Errors:
// ErrOAuthClientNotFound, *ClientMetadataError for a public client.
func (s *Service) RegenerateOAuthSecret(
	ctx context.Context, admin Client, id uuid.UUID,
) (RegisteredClient, error) {
	client, err := s.StoredOAuthClient(ctx, id)
	if err != nil {
		return RegisteredClient{}, err
	}
	if !client.Confidential() {
		return RegisteredClient{}, badMetadata("Cannot regenerate secret for public client")
	}
	registered := RegisteredClient{Secret: newClientSecret()}
	err = s.store.AsService(ctx, func(q *db.Queries) (err error) {
		registered.AuthOauthClient, err = q.SetOAuthClientSecret(ctx, db.SetOAuthClientSecretParams{
			ID: id, ClientSecretHash: hashSecret(registered.Secret), Now: s.now(),
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, clientEvent("oauth_client_secret_regenerated", admin, registered.OAuthClient))
	})
	return registered, clientGone(err)
}

// clientGone translates the error of a change to a client that was deleted meanwhile.
func clientGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return ErrOAuthClientNotFound
	}
	return err
}
