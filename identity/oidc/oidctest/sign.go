package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
)

// signingKeys are those of all providers of a process: to make an RSA key takes a tenth of a second.
type signingKeys struct {
	rsa *rsa.PrivateKey
	ec  *ecdsa.PrivateKey
}

var keysOnce = sync.OnceValue(func() signingKeys {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return signingKeys{rsaKey, ecKey}
})

// publicKeys returns the key set.
func publicKeys() []jose.JSONWebKey {
	keys := keysOnce()
	return []jose.JSONWebKey{
		{Key: &keys.rsa.PublicKey, KeyID: "rsa-1", Algorithm: "RS256", Use: "sig"},
		{Key: &keys.ec.PublicKey, KeyID: "ec-1", Algorithm: "ES256", Use: "sig"},
	}
}

// IDToken returns an ID token for the current user, as a client gets one by itself. change may be nil.
func (p *Provider) IDToken(change func(claims map[string]any)) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.behavior.IDToken
	p.behavior.IDToken = func(claims map[string]any) {
		if before != nil {
			before(claims)
		}
		if change != nil {
			change(claims)
		}
	}
	defer func() { p.behavior.IDToken = before }()
	return p.sign(p.behavior.User, "", "")
}

// sign returns an ID token. The caller has the lock.
func (p *Provider) sign(user User, accessToken, nonce string) string {
	b := p.behavior
	now := time.Now().Add(b.Clock)
	claims := map[string]any{"sub": user.Subject}
	if !b.EmailInUserInfo {
		claims = user.claims()
	}
	maps.Copy(claims, map[string]any{
		"iss": p.URL, "aud": p.options.ClientID, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if accessToken != "" {
		claims["at_hash"] = AccessTokenHash(accessToken)
	}
	if b.IDToken != nil {
		b.IDToken(claims)
	}
	return b.signClaims(claims)
}

// AccessTokenHash returns the claim at_hash for an access token (OpenID Connect Core 1.0, section 3.1.3.6).
func AccessTokenHash(accessToken string) string {
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

func (b Behavior) signClaims(claims map[string]any) string {
	keys := keysOnce()
	var method jwt.SigningMethod
	var key any
	kid := "rsa-1"
	switch b.Algorithm {
	case "ES256":
		method, key, kid = jwt.SigningMethodES256, keys.ec, "ec-1"
	case "HS256":
		// The attack on verifiers that take the algorithm from the token: what they have is the public key.
		der := x509.MarshalPKCS1PublicKey(&keys.rsa.PublicKey)
		method = jwt.SigningMethodHS256
		key = pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: der})
	case "none":
		method, key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType
	default:
		method, key = jwt.SigningMethodRS256, keys.rsa
	}
	token := jwt.NewWithClaims(method, jwt.MapClaims(claims))
	token.Header["kid"] = kid
	if b.KeyID != "" {
		token.Header["kid"] = b.KeyID
	}
	if b.Header != nil {
		b.Header(token.Header)
	}
	signed, err := token.SignedString(key)
	if err != nil {
		panic(err)
	}
	return signed
}

// claims returns those about the person.
func (u User) claims() map[string]any {
	claims := map[string]any{"sub": u.Subject}
	if u.Email != "" {
		claims["email"], claims["email_verified"] = u.Email, u.EmailVerified
	}
	if u.Name != "" {
		claims["name"] = u.Name
	}
	for name, value := range u.Claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}
