package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/db"
)

// ErrExpired: the token was good, but its time is over. ErrInvalid: anything else that is wrong with it.
var (
	ErrExpired = errors.New("the access token has expired")
	ErrInvalid = errors.New("the access token is not valid")
)

// maxTokenBytes is far above what we sign: a longer one is not looked at.
const maxTokenBytes = 16 << 10

// Verify checks a bearer token and returns its subject. Its error is ErrExpired or ErrInvalid.
func (k *Keys) Verify(ctx context.Context, bearer string) (db.Subject, error) {
	if len(bearer) > maxTokenBytes {
		return db.Subject{}, ErrInvalid
	}
	method := jwt.SigningMethodES256.Alg()
	if k.secret != nil {
		method = jwt.SigningMethodHS256.Alg()
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(bearer, claims, func(t *jwt.Token) (any, error) {
		if k.secret != nil {
			return k.secret, nil
		}
		kid, _ := t.Header["kid"].(string)
		key, known := k.find(ctx, kid)
		if !known {
			return nil, fmt.Errorf("unknown key")
		}
		return &key.PublicKey, nil
	}, jwt.WithValidMethods([]string{method}), jwt.WithExpirationRequired(), jwt.WithAudience(Audience), jwt.WithTimeFunc(k.now))
	switch {
	case errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid) && !errors.Is(err, jwt.ErrTokenUnverifiable):
		return db.Subject{}, ErrExpired
	case err != nil:
		return db.Subject{}, ErrInvalid
	}
	if issuer, _ := claims["iss"].(string); k.secret == nil && issuer != k.issuer {
		return db.Subject{}, ErrInvalid
	}
	role, _ := claims["role"].(string)
	if !slices.Contains([]string{db.RoleAnon, db.RoleAuthenticated, db.RoleService}, role) {
		return db.Subject{}, ErrInvalid
	}
	raw, err := json.Marshal(claims)
	if err != nil {
		return db.Subject{}, ErrInvalid
	}
	s := db.Subject{Role: role, Claims: raw}
	if sub, _ := claims["sub"].(string); sub != "" {
		if s.UserID, err = uuid.Parse(sub); err != nil {
			return db.Subject{}, ErrInvalid
		}
	}
	if role == db.RoleAuthenticated && s.UserID == uuid.Nil {
		return db.Subject{}, ErrInvalid
	}
	return s, nil
}
