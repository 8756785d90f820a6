package oidc

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keysFresh is how long keys are used before they are fetched again: a key that the provider has withdrawn
	// must not be accepted for long.
	keysFresh = 10 * time.Minute
	// maxKeys bounds the keys that are tried for a token without a key id.
	maxKeys = 100
	// minRSABits is the minimum of RFC 7518, section 3.3; maxRSABits bounds the time of a verification.
	minRSABits = 2048
	maxRSABits = 8192
)

// A signingKey is a key of a provider.
type signingKey struct {
	jose.JSONWebKey

	// issuer is the only one for which the key may sign, or "" if the provider does not say so. Microsoft does,
	// with azureTemplate where it is any tenant: the key for personal accounts must not sign for an
	// organization.
	issuer string
}

// signsFor reports whether the key may sign a token with these claims.
func (k signingKey) signsFor(payload []byte) bool {
	if k.issuer == "" {
		return true
	}
	said, err := parseClaims(payload)
	return err == nil && strings.ReplaceAll(k.issuer, azureTemplate, said.text("tid")) == said.text("iss")
}

// parseKey reads an element of a key set.
func parseKey(raw json.RawMessage) (signingKey, error) {
	var key signingKey
	var more struct {
		Issuer string `json:"issuer"`
	}
	if err := json.Unmarshal(raw, &key.JSONWebKey); err != nil {
		return key, err
	}
	err := json.Unmarshal(raw, &more)
	key.issuer = more.Issuer
	return key, err
}

// fetchKeys fetches the keys of a provider. Those that cannot verify signatures are skipped (RFC 7517,
// section 5). Its error is an *Error or that of ctx.
func (p *Provider) fetchKeys(ctx context.Context, m metadata) ([]signingKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := p.net.fetchJSON(ctx, "key set", m.KeySet, nil, &set); err != nil {
		return nil, err
	}
	var keys []signingKey
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		if key, err := parseKey(raw); err == nil && canVerify(key.JSONWebKey) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, unusable("key set", "has no key for signatures")
	}
	return keys, nil
}

// canVerify reports whether a key is a public one that may verify signatures.
func canVerify(key jose.JSONWebKey) bool {
	if public, isRSA := key.Key.(*rsa.PublicKey); isRSA {
		bits := public.N.BitLen()
		if bits < minRSABits || bits > maxRSABits {
			return false
		}
	}
	return key.IsPublic() && key.Valid() && (key.Use == "" || key.Use == "sig")
}

// A tokenKeys is the oidc.KeySet for one ID token. It keeps the error of fetching the keys, of which package
// oidc leaves only the text.
type tokenKeys struct {
	keys *kept[[]signingKey]
	err  error
}

// VerifySignature implements oidc.KeySet. The algorithm was checked. Only the compact form is accepted: the
// other one has headers that are not signed.
func (t *tokenKeys) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	token, err := jose.ParseSignedCompact(raw, joseAlgorithms())
	if err != nil {
		return nil, err
	}
	if !isIDTokenType(token.Signatures[0].Protected) {
		t.err = badToken("it is a token of another kind")
		return nil, t.err
	}
	var keys []signingKey
	if keys, t.err = t.keys.get(ctx); t.err != nil {
		return nil, t.err
	}
	payload, err := verify(token, keys)
	if errors.Is(err, errUnknownKey) {
		// The provider has new keys, or somebody sends tokens with invented ids: renew limits how often it asks.
		if keys, t.err = t.keys.renew(ctx); t.err != nil {
			return nil, t.err
		}
		payload, err = verify(token, keys)
	}
	t.err = err
	return payload, err
}

// isIDTokenType reports whether the type in a header may be that of an ID token. Other tokens have types of
// their own: at+jwt (RFC 9068), logout+jwt and secevent+jwt, for example (RFC 8725, section 3.11).
func isIDTokenType(header jose.Header) bool {
	value, found := header.ExtraHeaders[jose.HeaderType]
	name, isText := value.(string)
	return !found || isText && (name == "" || strings.EqualFold(name, "JWT") ||
		strings.EqualFold(name, "id_token+jwt"))
}

var errUnknownKey = badToken("it is signed with a key that the provider does not have")

// verify returns the payload of a token that one of the keys verifies. Its error is an *Error; it is
// errUnknownKey if there is no key of the token's id.
func verify(token *jose.JSONWebSignature, keys []signingKey) (payload []byte, err error) {
	err = errUnknownKey
	header := token.Signatures[0].Header
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != header.KeyID {
			continue
		}
		if header.KeyID != "" && errors.Is(err, errUnknownKey) {
			err = badToken("its signature is not valid")
		}
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		payload, failed := token.Verify(key.Key)
		switch {
		case failed == nil && key.signsFor(payload):
			return payload, nil
		case failed == nil:
			err = badToken("it is signed with a key of another issuer")
		}
	}
	return nil, err
}

func joseAlgorithms() []jose.SignatureAlgorithm {
	all := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, name := range algorithms {
		all[i] = jose.SignatureAlgorithm(name)
	}
	return all
}
