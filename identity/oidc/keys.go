package oidc

import (
	"context"
	"crypto/rsa"
	"encoding/json"
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

// fetchKeys fetches the keys of a provider. Those that cannot verify signatures are skipped (RFC 7517,
// section 5). Its error is an *Error or that of ctx.
func (p *Provider) fetchKeys(ctx context.Context, m metadata) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := p.net.fetchJSON(ctx, "key set", m.KeySet, nil, &set); err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && canVerify(key) {
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
	keys *kept[[]jose.JSONWebKey]
	err  error
}

// VerifySignature implements oidc.KeySet. The algorithm was checked. Only the compact form is accepted: the
// other one has headers that are not signed.
func (t *tokenKeys) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	token, err := jose.ParseSignedCompact(raw, joseAlgorithms())
	if err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	if keys, t.err = t.keys.get(ctx); t.err != nil {
		return nil, t.err
	}
	payload, known := verify(token, keys)
	if payload == nil && !known {
		// The provider has new keys, or somebody sends tokens with invented ids: renew limits how often it asks.
		if keys, t.err = t.keys.renew(ctx); t.err != nil {
			return nil, t.err
		}
		payload, known = verify(token, keys)
	}
	switch {
	case payload != nil:
		return payload, nil
	case known:
		t.err = badToken("its signature is not valid")
	default:
		t.err = badToken("it is signed with a key that the provider does not have")
	}
	return nil, t.err
}

// verify returns the payload of a token that one of the keys verifies, and whether there is a key of its id.
func verify(token *jose.JSONWebSignature, keys []jose.JSONWebKey) (payload []byte, known bool) {
	header := token.Signatures[0].Header
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != header.KeyID {
			continue
		}
		known = known || header.KeyID != ""
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if payload, err := token.Verify(key.Key); err == nil {
			return payload, true
		}
	}
	return nil, known
}

func joseAlgorithms() []jose.SignatureAlgorithm {
	all := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, name := range algorithms {
		all[i] = jose.SignatureAlgorithm(name)
	}
	return all
}
