package auth

import (
	"maps"
	"net/http"
	"net/url"

	"research/identity"
)

// A codeChallenge is what clients with PKCE send with a request for a link (RFC 7636). Others send nothing,
// or null.
type codeChallenge struct {
	Challenge string `json:"code_challenge"`
	Method    string `json:"code_challenge_method"`
}

func (c codeChallenge) parse() (identity.CodeChallenge, error) {
	return identity.NewCodeChallenge(c.Challenge, c.Method)
}

// grantByCode handles POST /token?grant_type=pkce.
func (s *server) grantByCode(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		AuthCode     string `json:"auth_code"`
		CodeVerifier string `json:"code_verifier"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.AuthCode == "" || body.CodeVerifier == "" {
		return invalid("invalid request: both auth code and code verifier should be non-empty")
	}
	session, err := s.identity.ExchangeCode(r.Context(), s.client(r), body.AuthCode, body.CodeVerifier)
	if err != nil {
		return err
	}
	return s.writeSession(w, r, session)
}

// redirectToClient sends the browser to the client that requested a link or a sign-in, with an answer in the
// query: a code, which the client then exchanges, or an error. For the status, see redirectBrowser.
func redirectToClient(
	w http.ResponseWriter, r *http.Request, status int, redirectTo string, answer url.Values,
) error {
	address, err := url.Parse(redirectTo)
	if err != nil {
		return err
	}
	query := address.Query()
	maps.Copy(query, answer)
	address.RawQuery = query.Encode()
	redirectBrowser(w, r, status, address.String())
	return nil
}
