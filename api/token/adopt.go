package token

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// ofIssuer makes the subject of an external issuer's token. Its user gets a row, and with it a profile, the first time; the identity binds the issuer's subject to
// that row, so that no issuer can speak for another's users, or for ours.
func (k *Keys) ofIssuer(ctx context.Context, issuer *issuerKey, payload []byte, c Claims) (Verified, error) {
	role := c.Role
	if role == "" {
		role = issuer.Role
	}
	v := Verified{Subject: db.Subject{Role: role, Claims: payload}, External: true, Expires: c.ExpiresAt.Add(leeway)}
	switch role {
	case db.RoleAnon:
		return v, nil
	case db.RoleAuthenticated:
	default:
		return Verified{}, ErrInvalid
	}
	if c.Subject == "" || len(c.Subject) > 255 { // OpenID Connect Core 1.0 §2
		return Verified{}, ErrInvalid
	}
	user, err := k.adopt(ctx, issuer, c)
	if err != nil {
		return Verified{}, err
	}
	v.Subject.UserID = user
	// Policies read sub and role; what the issuer said stays beside them.
	var all map[string]json.RawMessage
	if err := json.Unmarshal(payload, &all); err != nil {
		return Verified{}, ErrInvalid
	}
	all["external_sub"], all["sub"], all["role"] = quoted(c.Subject), quoted(user.String()), quoted(role)
	if v.Subject.Claims, err = json.Marshal(all); err != nil {
		return Verified{}, ErrInvalid
	}
	return v, nil
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return raw
}

// adopt returns our id of an external user. A subject that is a UUID keeps it where it is free; any other gets one made from issuer and subject.
func (k *Keys) adopt(ctx context.Context, issuer *issuerKey, c Claims) (uuid.UUID, error) {
	name := issuer.Issuer.Issuer
	id, err := uuid.Parse(c.Subject)
	if err != nil || len(c.Subject) != 36 {
		id = uuid.NewSHA1(uuid.NameSpaceURL, []byte(name+"\n"+c.Subject))
	}
	metadata := c.UserMetadata
	if len(metadata) == 0 || metadata[0] != '{' {
		metadata = json.RawMessage(`{}`)
	}
	var email *string
	if strings.Contains(c.Email, "@") && len(c.Email) <= 255 {
		email = &c.Email
	}
	identity, err := json.Marshal(map[string]any{"sub": c.Subject, "email": c.Email, "iss": name})
	if err != nil {
		return uuid.Nil, ErrInvalid
	}
	provider, err := json.Marshal(map[string]any{"provider": name, "providers": []string{name}})
	if err != nil {
		return uuid.Nil, ErrInvalid
	}
	err = k.store.AsService(ctx, func(q *db.Queries) error {
		bound := db.GetIdentityUserParams{Provider: name, ProviderID: c.Subject}
		known, err := q.GetIdentityUser(ctx, bound)
		if err == nil || !errors.Is(err, db.ErrNotFound) {
			id = known
			return err
		}
		made, err := q.AdoptUser(ctx, db.AdoptUserParams{ID: id, Email: email, RawAppMetaData: provider, RawUserMetaData: metadata})
		if err != nil {
			return err
		}
		if made == 0 {
			// Another first request may have made it meanwhile: the statement above waited for that one's end.
			if known, err = q.GetIdentityUser(ctx, bound); err == nil || !errors.Is(err, db.ErrNotFound) {
				id = known
				return err
			}
			if !issuer.LinkUsers {
				return ErrInvalid // the id is somebody else's
			}
		}
		if err := q.AddIdentity(ctx, db.AddIdentityParams{Provider: name, ProviderID: c.Subject, UserID: id, IdentityData: identity}); err != nil {
			return err
		}
		// Of two first requests at once, both read what the first has written.
		id, err = q.GetIdentityUser(ctx, bound)
		return err
	})
	return id, err
}
