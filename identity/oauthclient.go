package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/db"
)

// An OAuthClient is an app that may ask users for access.
type OAuthClient struct{ db.AuthOauthClient }

// ID returns the client_id of the wire: a UUID, or the URL of a metadata document. The primary key is
// c.AuthOauthClient.ID.
func (c OAuthClient) ID() string {
	if c.MetadataUrl != nil {
		return *c.MetadataUrl
	}
	return c.AuthOauthClient.ID.String()
}

// Host returns what an app cannot choose freely, for people who decide whether to trust it: the host of its
// metadata document, or else that to which its answers go. See RedirectHost.
func (c OAuthClient) Host(redirectHost string) string {
	if c.MetadataUrl != nil {
		return RedirectHost(*c.MetadataUrl)
	}
	return redirectHost
}

// Confidential reports whether the client has a secret.
func (c OAuthClient) Confidential() bool { return c.ClientType == ClientConfidential }

// AllowsRedirect reports whether a redirect URI is one of the client's. It must be the same string, but an
// app on the user's machine may use any port.
func (c OAuthClient) AllowsRedirect(uri string) bool {
	return slices.Contains(c.RedirectUris, uri) || checkRedirectURI(uri) == "" &&
		slices.ContainsFunc(c.RedirectUris, func(known string) bool { return isSameLoopback(known, uri) })
}

// AllowsGrant reports whether the client may use a grant.
func (c OAuthClient) AllowsGrant(grant string) bool { return slices.Contains(c.GrantTypes, grant) }

// OAuthClient returns the client with an id of the wire. If the id is a URL, its metadata document is fetched
// unless it is cached, and stored. Errors: ErrOAuthClientNotFound, *ClientMetadataError, *LimitError.
func (s *Service) OAuthClient(ctx context.Context, requester Client, clientID string) (OAuthClient, error) {
	if isMetadataURL(clientID) {
		return s.metadataClient(ctx, requester, clientID)
	}
	return s.storedClient(ctx, clientID)
}

// storedClient returns a client without fetching its metadata document. Its error is ErrOAuthClientNotFound.
func (s *Service) storedClient(ctx context.Context, clientID string) (OAuthClient, error) {
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.AuthOauthClient, error) {
		if isMetadataURL(clientID) && utf8.ValidString(clientID) && !strings.ContainsRune(clientID, 0) {
			return q.GetMetadataClient(ctx, clientID)
		}
		id, ok := parseClientUUID(clientID)
		if !ok {
			return db.AuthOauthClient{}, db.ErrNotFound
		}
		return q.GetOAuthClient(ctx, id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return OAuthClient{}, ErrOAuthClientNotFound
	}
	return OAuthClient{row}, err
}

// metadataClient returns the client that the document at a URL describes. A fetch for an app that is not
// stored yet counts as its registration.
func (s *Service) metadataClient(ctx context.Context, requester Client, address string) (OAuthClient, error) {
	if err := s.documents.check(address); err != nil {
		return OAuthClient{}, err
	}
	stored, err := s.storedClient(ctx, address)
	unknown := errors.Is(err, ErrOAuthClientNotFound)
	if err != nil && !unknown {
		return OAuthClient{}, err
	}
	document, found := s.documents.lookUp(address)
	if !found {
		if unknown {
			if err := s.limits.newClient(requester); err != nil {
				return OAuthClient{}, err
			}
		}
		if document, err = s.documents.fetch(ctx, address); err != nil {
			return OAuthClient{}, err
		}
	}
	if document.err != nil {
		return OAuthClient{}, document.err
	}
	if !unknown && stored.says(document.metadata) {
		return stored, nil
	}
	return s.saveMetadataClient(ctx, requester, address, document.metadata, unknown)
}

// says reports whether the stored client is what a document says.
func (c OAuthClient) says(m ClientMetadata) bool {
	return c.ClientName == m.Name && c.ClientUri == m.URI && c.LogoUri == m.LogoURI &&
		slices.Equal(c.RedirectUris, m.RedirectURIs) && slices.Equal(c.GrantTypes, m.GrantTypes)
}

func (s *Service) saveMetadataClient(
	ctx context.Context, requester Client, address string, m ClientMetadata, unknown bool,
) (client OAuthClient, err error) {
	err = s.store.AsService(ctx, func(q *db.Queries) (err error) {
		client.AuthOauthClient, err = q.SaveMetadataClient(ctx, db.SaveMetadataClientParams{
			MetadataUrl: address, ClientName: m.Name, ClientUri: m.URI, LogoUri: m.LogoURI,
			RedirectUris: m.RedirectURIs, GrantTypes: m.GrantTypes, Now: s.now(),
		})
		if err != nil || !unknown {
			return err
		}
		return s.audit(ctx, q, clientEvent("oauth_client_registered", requester, client))
	})
	return client, err
}

// isMetadataURL reports whether a client_id is meant to be the URL of a metadata document.
func isMetadataURL(clientID string) bool { return strings.HasPrefix(clientID, "https://") }

// parseClientUUID reads a client_id that is a UUID. It accepts only the form that we give out.
func parseClientUUID(clientID string) (uuid.UUID, bool) {
	id, err := uuid.Parse(clientID)
	return id, err == nil && id.String() == clientID
}

// ClientCredentials are what a client presents at the token endpoint.
type ClientCredentials struct {
	ID     string // the client_id of the wire
	Secret string
	Method string // AuthMethodNone, AuthMethodBasic or AuthMethodPost
}

// AuthenticateOAuthClient returns the client with these credentials. A confidential client may send its
// secret in either way. It fetches no metadata document: a client that has begun an authorization is stored,
// and a server that is down must not keep its users from refreshing their tokens.
//
// Its error is ErrInvalidClient.
func (s *Service) AuthenticateOAuthClient(ctx context.Context, cred ClientCredentials) (OAuthClient, error) {
	client, err := s.storedClient(ctx, cred.ID)
	if errors.Is(err, ErrOAuthClientNotFound) {
		return OAuthClient{}, ErrInvalidClient
	}
	if err != nil {
		return OAuthClient{}, err
	}
	if !client.accepts(cred) {
		return OAuthClient{}, ErrInvalidClient
	}
	return client, nil
}

func (c OAuthClient) accepts(cred ClientCredentials) bool {
	if !c.Confidential() {
		return cred.Method == AuthMethodNone && cred.Secret == ""
	}
	withSecret := cred.Method == AuthMethodBasic || cred.Method == AuthMethodPost
	return withSecret && subtle.ConstantTimeCompare(hashSecret(cred.Secret), c.ClientSecretHash) == 1
}
