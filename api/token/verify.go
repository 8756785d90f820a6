package token

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/db"
)

// What Verify finds. ErrExpired: the token was good, but its time is over. ErrInvalid: anything else that is wrong with it, which a *Problem names.
var (
	ErrExpired = errors.New("the access token has expired")
	ErrInvalid = errors.New("the access token is not valid")
)

const (
	// maxTokenBytes is far above what we sign: a longer one is not looked at.
	maxTokenBytes = 64 << 10
	// What is remembered of verified tokens: some 10 MB at most, since larger ones are verified each time.
	maxVerified      = 5000
	maxVerifiedBytes = 4 << 10
	// externalFor is how long the token of an external issuer is not verified again: its keys can be taken away.
	externalFor = time.Minute
)

// A Verified is what a good token says.
type Verified struct {
	// Subject is whom it stands for.
	Subject db.Subject
	// SessionID is the session of ours that it belongs to; zero for the tokens of others.
	SessionID uuid.UUID
	// External tells that an external issuer vouches for the user.
	External bool
	// Expires is its exp.
	Expires time.Time
}

// Verify checks a bearer token: its signature by a key and an algorithm of the issuer that it names, exp, nbf, aud and role. Good tokens are remembered until they
// expire, those of external issuers for a minute; bad ones never. Whether the session still lives is the Gate's to ask.
//
// Errors: ErrExpired, ErrInvalid; db.ErrUnavailable where a user of an external issuer could not be looked up.
func (k *Keys) Verify(ctx context.Context, bearer string) (Verified, error) {
	if len(bearer) > maxTokenBytes {
		return Verified{}, ErrInvalid
	}
	key := cacheKey(sha256.Sum256([]byte(bearer)))
	if kept, found := k.verified.get(key); found {
		if !k.now().Before(kept.Expires) {
			return Verified{}, ErrExpired
		}
		k.refresh(ctx) // so that a key that was taken away is missed here as well
		if kept, found = k.verified.get(key); found && k.now().Before(kept.until) {
			return kept.Verified, nil
		}
	}
	v, err := k.verify(ctx, bearer)
	if err == nil && len(bearer) <= maxVerifiedBytes {
		kept := remembered{v, v.Expires}
		if v.External {
			kept.until = k.now().Add(externalFor)
		}
		k.verified.add(key, kept)
	}
	return v, err
}

// A remembered token need not be verified again until then.
type remembered struct {
	Verified
	until time.Time
}

func (k *Keys) verify(ctx context.Context, bearer string) (Verified, error) {
	if strings.Count(bearer, ".") != 2 {
		return Verified{}, partsProblem(bearer)
	}
	said, ok := peek(bearer)
	if !ok {
		return Verified{}, errUnread
	}
	var (
		external *issuerKey
		find     func(kid string) (any, bool)
		options  []jwt.ParserOption
	)
	for _, one := range k.external {
		if one.Issuer.Issuer == said.issuer {
			external = one
		}
	}
	switch {
	case external != nil:
		// The parser takes no other algorithm than said's: both read the header's alg.
		find = func(kid string) (any, bool) { return external.find(ctx, kid, said.algorithm) }
		options = []jwt.ParserOption{jwt.WithValidMethods(external.Algorithms), jwt.WithAudience(external.Audience), jwt.WithIssuer(external.Issuer.Issuer), jwt.WithLeeway(leeway)}
	case k.secret != nil && said.algorithm == jwt.SigningMethodHS256.Alg():
		find = func(string) (any, bool) { return k.secret, true }
		options = []jwt.ParserOption{jwt.WithValidMethods([]string{said.algorithm}), jwt.WithAudience(Audience)}
	case !k.off && said.algorithm == jwt.SigningMethodES256.Alg():
		find = func(kid string) (any, bool) {
			key, known := k.find(ctx, kid)
			if !known {
				return nil, false
			}
			return &key.PublicKey, true
		}
		options = []jwt.ParserOption{jwt.WithValidMethods([]string{said.algorithm}), jwt.WithAudience(Audience), jwt.WithIssuer(k.issuer)}
	default:
		return Verified{}, keyProblem(said.algorithm)
	}
	claims, err := Parse(bearer, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, known := find(kid)
		if !known {
			return nil, errors.New("unknown key")
		}
		return key, nil
	}, append(options, jwt.WithExpirationRequired(), jwt.WithTimeFunc(k.now))...)
	if err != nil {
		return Verified{}, err
	}
	if external != nil {
		return k.ofIssuer(ctx, external, said.payload, claims)
	}
	return k.own(said.payload, claims)
}

// own makes the subject of a token that we signed, or that was signed with our secret.
func (k *Keys) own(payload []byte, c Claims) (Verified, error) {
	if !slices.Contains([]string{db.RoleAnon, db.RoleAuthenticated, db.RoleService}, c.Role) {
		return Verified{}, ErrInvalid
	}
	v := Verified{Subject: db.Subject{Role: c.Role, Claims: payload}, Expires: c.ExpiresAt.Time}
	var err error
	if c.Subject != "" {
		if v.Subject.UserID, err = uuid.Parse(c.Subject); err != nil {
			return Verified{}, ErrInvalid
		}
	}
	if c.Role == db.RoleAuthenticated && v.Subject.UserID == uuid.Nil {
		return Verified{}, ErrInvalid
	}
	// Who holds JWT_SECRET may sign tokens of sessions that are not ours to know.
	if c.Issuer == k.issuer && c.SessionID != "" {
		if v.SessionID, err = uuid.Parse(c.SessionID); err != nil {
			return Verified{}, ErrInvalid
		}
	}
	return v, nil
}

// said is what a token claims of itself: enough to choose who has to prove it, and believed in nothing else.
type said struct {
	algorithm string
	issuer    string
	payload   []byte
}

func peek(bearer string) (said, bool) {
	parts := strings.Split(bearer, ".")
	if len(parts) != 3 {
		return said{}, false
	}
	head, err := base64.RawURLEncoding.Strict().DecodeString(parts[0])
	if err != nil {
		return said{}, false
	}
	payload, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	// PostgreSQL's jsonb takes nothing that is not UTF-8.
	if err != nil || !utf8.Valid(payload) || HasNUL(payload) {
		return said{}, false
	}
	var header, body map[string]json.RawMessage
	if json.Unmarshal(head, &header) != nil || json.Unmarshal(payload, &body) != nil || header == nil || body == nil {
		return said{}, false
	}
	// RFC 7515 §4.1.11: extensions that are not understood make the token invalid, and we understand none.
	if _, critical := header["crit"]; critical {
		return said{}, false
	}
	s := said{payload: payload}
	if json.Unmarshal(header["alg"], &s.algorithm) != nil {
		return said{}, false
	}
	if issuer, there := body["iss"]; there && json.Unmarshal(issuer, &s.issuer) != nil {
		return said{}, false
	}
	return s, true
}

// HasNUL tells whether JSON holds the character NUL, which PostgreSQL's jsonb cannot.
func HasNUL(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
			return true
		}
		i++ // what is escaped
	}
	return false
}
