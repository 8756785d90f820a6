package token

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// maxSubjectBytes is the limit of OpenID Connect Core 1.0 §2.
const maxSubjectBytes = 255

// externalPrincipal returns the principal of an external issuer's token. A new user is provisioned.
func (k *Keys) externalPrincipal(
	ctx context.Context, issuer *trustedIssuer, payload []byte, c Claims,
) (Principal, error) {
	role := c.Role
	if role == "" {
		role = issuer.Role
	}
	p := Principal{
		Subject:  db.Subject{Role: role, Claims: payload},
		External: true,
		Expires:  c.ExpiresAt.Add(leeway),
	}
	switch role {
	case db.RoleAnon:
		return p, nil
	case db.RoleAuthenticated:
	default:
		return Principal{}, ErrInvalid
	}
	if c.Subject == "" || len(c.Subject) > maxSubjectBytes {
		return Principal{}, ErrInvalid
	}
	user, err := k.provisionExternalUser(ctx, issuer, c)
	if err != nil {
		return Principal{}, err
	}
	p.Subject.UserID = user
	p.Subject.Claims, err = withSubject(payload, c.Subject, user, role)
	return p, err
}

// withSubject replaces sub and role, which policies read, and keeps the issuer's sub as external_sub.
func withSubject(payload []byte, external string, user uuid.UUID, role string) (json.RawMessage, error) {
	var claims map[string]json.RawMessage
	if err := json.Unmarshal(payload, &claims); err != nil {
		return nil, ErrInvalid
	}
	for name, value := range map[string]string{
		"external_sub": external, "sub": user.String(), "role": role,
	} {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, ErrInvalid
		}
		claims[name] = raw
	}
	return json.Marshal(claims)
}

// provisionExternalUser returns our id of an external user. The first time, it creates the user with a
// profile. An identity binds the issuer's subject to the user, so that an issuer cannot act for the users of
// another issuer, or for ours. A subject that is a UUID becomes the id if it is not taken; otherwise the id
// is derived from issuer and subject.
func (k *Keys) provisionExternalUser(
	ctx context.Context, issuer *trustedIssuer, c Claims,
) (uuid.UUID, error) {
	name := issuer.Issuer.Issuer
	user, identity, err := externalUser(name, c)
	if err != nil {
		return uuid.Nil, ErrInvalid
	}
	bound := db.GetIdentityParams{Provider: name, ProviderID: c.Subject}
	return db.AsService(ctx, k.store, func(q *db.Queries) (uuid.UUID, error) {
		known, err := q.GetIdentity(ctx, bound)
		if !errors.Is(err, db.ErrNotFound) {
			return known.UserID, err
		}
		created, err := q.AddExternalUser(ctx, user)
		if err != nil {
			return uuid.Nil, err
		}
		if created == 0 {
			// A concurrent first request may have created the user: AddExternalUser waited for that transaction to
			// end.
			known, err := q.GetIdentity(ctx, bound)
			if !errors.Is(err, db.ErrNotFound) {
				return known.UserID, err
			}
			if !issuer.LinkUsers {
				return uuid.Nil, ErrInvalid // the id belongs to another user
			}
		}
		if _, err := q.AddIdentity(ctx, identity); err != nil {
			return uuid.Nil, err
		}
		// Two concurrent first requests both read the row that the first one wrote.
		added, err := q.GetIdentity(ctx, bound)
		return added.UserID, err
	})
}

// externalUser returns the rows for a new external user.
func externalUser(
	issuer string, c Claims,
) (user db.AddExternalUserParams, identity db.AddIdentityParams, err error) {
	id, err := uuid.Parse(c.Subject)
	if err != nil || len(c.Subject) != len(uuid.Nil.String()) {
		id = uuid.NewSHA1(uuid.NameSpaceURL, []byte(issuer+"\n"+c.Subject))
	}
	user = db.AddExternalUserParams{ID: id, RawUserMetaData: c.UserMetadata}
	if len(user.RawUserMetaData) == 0 || user.RawUserMetaData[0] != '{' {
		user.RawUserMetaData = json.RawMessage(`{}`)
	}
	if strings.Contains(c.Email, "@") && len(c.Email) <= 255 {
		user.Email = &c.Email
	}
	user.RawAppMetaData, err = json.Marshal(map[string]any{"provider": issuer, "providers": []string{issuer}})
	if err != nil {
		return user, identity, err
	}
	identity = db.AddIdentityParams{Provider: issuer, ProviderID: c.Subject, UserID: id}
	identity.IdentityData, err = json.Marshal(map[string]any{"sub": c.Subject, "email": c.Email, "iss": issuer})
	return user, identity, err
}
