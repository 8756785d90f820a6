package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"

	"research/db"
)

// An Issuer is another service whose tokens are trusted: a Supabase project, or any OpenID provider.
// EXTERNAL_ISSUERS is a JSON array of issuers.
type Issuer struct {
	// Issuer is the exact iss of its tokens. Required.
	Issuer string `json:"issuer"`
	// JWKSURL is the address of its public keys. If JWKSURL and Secret are empty, OpenID discovery finds the
	// keys.
	JWKSURL string `json:"jwks_url"`
	// Secret verifies tokens that are signed by HMAC, instead of public keys.
	Secret string `json:"secret"`
	// Algorithms are the accepted algorithms. Required: HS256, HS384, HS512 with a Secret; RS…, PS…, ES…, EdDSA
	// without.
	Algorithms []string `json:"algorithms"`
	// Audience must be in aud; empty means "authenticated".
	Audience string `json:"audience"`
	// Role is the database role of tokens without a role; empty means that tokens must have one. Either way only
	// anon and authenticated are accepted.
	Role string `json:"role"`
	// LinkUsers identifies its subjects with existing users by id, for a project whose users were imported.
	LinkUsers bool `json:"link_users"`
}

var (
	secretAlgorithms = []string{"HS256", "HS384", "HS512"}
	publicAlgorithms = []string{
		"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
	}
)

// minSecretBytes is RFC 7518 §3.2's minimum for HS256.
const minSecretBytes = 32

// ParseIssuers parses EXTERNAL_ISSUERS. Its error is a phrase to follow the name of the setting, and never
// repeats a secret.
func ParseIssuers(text string) ([]Issuer, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var list []Issuer
	if err := d.Decode(&list); err != nil {
		return nil, errors.New("must be a JSON array of objects with issuer, jwks_url or secret, algorithms, " +
			"and optionally audience, role, link_users")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has text after the JSON array")
	}
	seen := map[string]bool{}
	for i, issuer := range list {
		if err := issuer.check(); err != nil {
			return nil, fmt.Errorf("has an issuer (number %d) that cannot be used: %w", i+1, err)
		}
		if seen[issuer.Issuer] {
			return nil, fmt.Errorf("has an issuer twice (number %d)", i+1)
		}
		seen[issuer.Issuer] = true
	}
	return list, nil
}

func (i Issuer) check() error {
	if i.Issuer == "" {
		return errors.New("issuer is missing")
	}
	allowed := publicAlgorithms
	if i.Secret != "" {
		if i.JWKSURL != "" {
			return errors.New("it has both a secret and a jwks_url")
		}
		if len(i.Secret) < minSecretBytes {
			return fmt.Errorf("its secret is shorter than %d characters", minSecretBytes)
		}
		allowed = secretAlgorithms
	}
	if len(i.Algorithms) == 0 {
		return errors.New("algorithms is missing: list those with which it signs")
	}
	for _, a := range i.Algorithms {
		if !slices.Contains(allowed, a) {
			return fmt.Errorf("its algorithms must be among %s", strings.Join(allowed, ", "))
		}
	}
	if i.Secret == "" {
		address := i.JWKSURL
		if address == "" {
			address = i.Issuer
		}
		if err := checkAddress(address); err != nil {
			return err
		}
	}
	if i.Role != "" && i.Role != db.RoleAnon && i.Role != db.RoleAuthenticated {
		return errors.New("role must be anon or authenticated")
	}
	return nil
}

// checkAddress requires TLS, or an address of this machine, since keys can be replaced on an insecure
// connection.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("the address of its keys is not a URL")
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("the address of its keys must begin with https://")
}

// checkStep checks a redirect, or an address from discovery. A chain that began with TLS must keep it, so
// that another server cannot make us send requests to this machine.
func checkStep(from, to string) error {
	if strings.HasPrefix(from, "https://") && !strings.HasPrefix(to, "https://") {
		return errors.New("the issuer leads from https to another scheme")
	}
	return checkAddress(to)
}
