package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// An IDToken is one that a client got from the provider by itself.
type IDToken struct {
	// Raw is the token, a JWT.
	Raw string
	// AccessToken is optional. It must belong to the token if that has the claim at_hash. It is used where the
	// token has no address.
	AccessToken string
	// Nonce is in the clear: the claim is its SHA-256 in hex. There must be both or neither.
	Nonce string
}

// maxTokenBytes bounds an ID token. Those of Azure with many groups have some 15 KB.
const maxTokenBytes = 64 << 10

// VerifyIDToken returns who an ID token is about. The token may be for any of our client ids, and must have
// been issued to one of them: the client id of an app on Android must be in the list although Google names it
// in azp alone. Its error is an *Error, or that of ctx.
func (p *Provider) VerifyIDToken(ctx context.Context, t IDToken) (_ Account, err error) {
	defer func() { err = p.named(err) }()
	m, err := p.metadata.get(ctx)
	if err != nil {
		return Account{}, err
	}
	verified, err := p.verifyToken(ctx, m, t.Raw, t.AccessToken)
	if err != nil {
		return Account{}, err
	}
	if err := verified.checkAudience(p.config.ClientIDs); err != nil {
		return Account{}, err
	}
	nonce := ""
	if t.Nonce != "" {
		sum := sha256.Sum256([]byte(t.Nonce))
		nonce = hex.EncodeToString(sum[:])
	}
	if err := verified.checkNonce(nonce); err != nil {
		return Account{}, err
	}
	return p.account(ctx, m, verified, t.AccessToken)
}

// A verifiedToken is an ID token that the provider has signed for somebody, at a time that is not over.
type verifiedToken struct {
	*oidc.IDToken
	issuer string // the Issuer of the Account
	claims claims
}

// verifyToken checks everything that does not depend on who the token is for. Its error is an *Error, or that
// of ctx.
func (p *Provider) verifyToken(
	ctx context.Context, m metadata, raw, accessToken string,
) (verifiedToken, error) {
	if raw == "" || len(raw) > maxTokenBytes {
		return verifiedToken{}, badToken("it is missing or too long")
	}
	keys := &tokenKeys{keys: p.keys}
	token, err := oidc.NewVerifier(m.Issuer, keys, &oidc.Config{
		SupportedSigningAlgs: m.Algorithms,
		Now:                  func() time.Time { return p.now().Add(-clockSkew) },
		// Both are checked below. Those of package oidc know neither several client ids nor Azure's issuers.
		SkipClientIDCheck: true, SkipIssuerCheck: true,
	}).Verify(ctx, raw)
	if err != nil {
		return verifiedToken{}, verificationError(err, keys.err)
	}
	return p.checkToken(m, token, accessToken)
}

// verificationError describes an error of package oidc, whose text may repeat claims.
func verificationError(err, ofKeys error) error {
	var expired *oidc.TokenExpiredError
	switch {
	case ofKeys != nil:
		return ofKeys
	case errors.As(err, &expired):
		return badToken("it has expired")
	}
	return badToken("it is not a JWT, or is not signed with an algorithm of the provider")
}

func (p *Provider) checkToken(m metadata, token *oidc.IDToken, accessToken string) (verifiedToken, error) {
	var payload json.RawMessage
	if err := token.Claims(&payload); err != nil {
		return verifiedToken{}, badToken("its claims are not a JSON object")
	}
	said, err := parseClaims(payload)
	if err != nil {
		return verifiedToken{}, err
	}
	verified := verifiedToken{IDToken: token, claims: said}
	verified.issuer = p.issuers.issued(m.Issuer, token.Issuer, said.text("tid"))
	switch {
	case verified.issuer == "":
		return verified, badToken("it is from another issuer")
	case !isIDToken(said):
		return verified, badToken("it is a token of another kind")
	case !isSubject(token.Subject):
		return verified, badToken("it has no valid subject")
	case accessToken != "" && token.AccessTokenHash != "" && token.VerifyAccessToken(accessToken) != nil:
		return verified, badToken("it does not belong to the access token")
	}
	return verified, verified.checkTimes(p.now())
}

// checkTimes rejects tokens from the future. Package oidc has rejected those that have expired.
func (t verifiedToken) checkTimes(now time.Time) error {
	var before struct {
		NotBefore float64 `json:"nbf"`
	}
	if err := t.Claims(&before); err != nil {
		return badToken("its times are not numbers")
	}
	latest := now.Add(clockSkew)
	switch {
	case t.IssuedAt.IsZero():
		return badToken("it does not say when it was issued")
	case t.IssuedAt.After(latest) || before.NotBefore > float64(latest.Unix()):
		return badToken("it is not valid yet: the clocks of the provider and of this service differ")
	}
	return nil
}

// checkAudience rejects tokens for others, and those that others were given (OpenID Connect Core 1.0, section
// 3.1.3.7). Google gives an app on Android a token whose aud is our web application and whose azp is the app.
func (t verifiedToken) checkAudience(ours []string) error {
	isOurs := func(id string) bool { return slices.Contains(ours, id) }
	switch {
	case !slices.ContainsFunc(t.Audience, isOurs):
		return badToken("it is for another client")
	case (len(t.Audience) > 1 || t.claims.has("azp")) && !isOurs(t.claims.text("azp")):
		return badToken("it was issued to another client")
	}
	return nil
}

// isIDToken reports whether claims are those of an ID token. A provider signs other tokens with the same
// keys, and may give them our client id as the audience: access tokens (RFC 9068, section 2.2.3, and Okta's
// and Microsoft's scp), logout and security event tokens (RFC 8417, section 2.2), and all those of Keycloak,
// which names their type.
func isIDToken(said claims) bool {
	return !said.has("events") && !said.has("scope") && !said.has("scp") &&
		(!said.has("typ") || said.isOneOf("typ", `""`, `"ID"`))
}

// checkNonce rejects tokens of another request.
func (t verifiedToken) checkNonce(want string) error {
	if subtle.ConstantTimeCompare([]byte(t.Nonce), []byte(want)) != 1 {
		return badToken("it has another nonce")
	}
	return nil
}
