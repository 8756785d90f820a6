package token

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"slices"
)

// A JWK is a public key of a key set (RFC 7517). It never has a secret.
type JWK struct {
	KeyType   string   `json:"kty"`
	Curve     string   `json:"crv,omitempty"`
	X         string   `json:"x,omitempty"`
	Y         string   `json:"y,omitempty"`
	N         string   `json:"n,omitempty"`
	E         string   `json:"e,omitempty"`
	KeyID     string   `json:"kid,omitempty"`
	Algorithm string   `json:"alg,omitempty"`
	Use       string   `json:"use,omitempty"`
	KeyOps    []string `json:"key_ops,omitempty"`
	Ext       bool     `json:"ext,omitempty"`
}

// minRSABits is the minimum of RFC 7518 §3.3.
const minRSABits = 2048

var errUnusableKey = errors.New("not a public key that can verify signatures")

// publicKey returns the key for verifying signatures. Symmetric keys are rejected, since a key set is public.
func (j JWK) publicKey() (any, error) {
	switch j.KeyType {
	case "EC":
		return j.ecdsaKey()
	case "RSA":
		return j.rsaKey()
	case "OKP":
		x, err := base64.RawURLEncoding.DecodeString(j.X)
		if err != nil || j.Curve != "Ed25519" || len(x) != ed25519.PublicKeySize {
			return nil, errUnusableKey
		}
		return ed25519.PublicKey(x), nil
	}
	return nil, errUnusableKey
}

func (j JWK) ecdsaKey() (*ecdsa.PublicKey, error) {
	curves := map[string]elliptic.Curve{
		"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521(),
	}
	curve, known := curves[j.Curve]
	x, errX := base64.RawURLEncoding.DecodeString(j.X)
	y, errY := base64.RawURLEncoding.DecodeString(j.Y)
	if !known || errX != nil || errY != nil || len(x) != len(y) {
		return nil, errUnusableKey
	}
	// This rejects a point that is not on the curve.
	return ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
}

func (j JWK) rsaKey() (*rsa.PublicKey, error) {
	n, errN := base64.RawURLEncoding.DecodeString(j.N)
	e, errE := base64.RawURLEncoding.DecodeString(j.E)
	if errN != nil || errE != nil || len(e) == 0 || len(e) > 4 {
		return nil, errUnusableKey
	}
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	if key.N.BitLen() < minRSABits || key.E < 3 || key.E%2 == 0 {
		return nil, errUnusableKey
	}
	return key, nil
}

// coordinates returns the coordinates of a P-256 key as a JWK encodes them.
func coordinates(key *ecdsa.PublicKey) (x, y string) {
	const size = 32
	point, err := key.Bytes()
	if err != nil || len(point) != 1+2*size {
		return "", ""
	}
	return base64.RawURLEncoding.EncodeToString(point[1 : 1+size]),
		base64.RawURLEncoding.EncodeToString(point[1+size:])
}

// thumbprint returns the thumbprint of RFC 7638, which is the kid of our keys.
func thumbprint(key *ecdsa.PublicKey) string {
	x, y := coordinates(key)
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
