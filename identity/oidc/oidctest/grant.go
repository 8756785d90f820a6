package oidctest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
)

// authorize signs the user in without a question, and sends the browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	known := len(p.options.RedirectURIs) == 0 || slices.Contains(p.options.RedirectURIs, q.Get("redirect_uri"))
	if err != nil || redirect.Host == "" || !known || q.Get("client_id") != p.options.ClientID {
		http.Error(w, "unknown client or redirect_uri", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}}
	switch {
	case p.behavior.Deny != "":
		answer.Set("error", p.behavior.Deny)
		answer.Set("error_description", "The user <denied> it.")
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256":
		answer.Set("error", "invalid_request")
	default:
		code := rand.Text()
		p.grants[code] = grant{
			user: p.behavior.User, redirectURI: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			nonce: q.Get("nonce"),
		}
		answer.Set("code", code)
	}
	if p.behavior.SendsIssuer {
		answer.Set("iss", p.URL)
	}
	if p.behavior.Redirect != nil {
		p.behavior.Redirect(answer)
	}
	query := redirect.Query()
	for name, values := range answer {
		query[name] = values
	}
	redirect.RawQuery = query.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

// token exchanges a code for tokens.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	isForm := r.Method == http.MethodPost && r.ParseForm() == nil
	if !isForm || r.PostForm.Get("grant_type") != "authorization_code" {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_request"})
		return
	}
	if !p.authenticates(r) {
		w.Header().Set("WWW-Authenticate", "Basic")
		writeJSON(w, http.StatusUnauthorized, map[string]any{
			"error":             "invalid_client",
			"error_description": "The secret " + r.PostForm.Get("client_secret") + " is wrong.",
		})
		return
	}
	code := r.PostForm.Get("code")
	found, known := p.grants[code]
	delete(p.grants, code)
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if !known || found.redirectURI != r.PostForm.Get("redirect_uri") ||
		found.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
		writeJSON(w, http.StatusBadRequest, map[string]any{
			"error": "invalid_grant", "error_description": "The code " + code + " is not known.",
		})
		return
	}
	access := rand.Text()
	p.access[access] = found.user
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 3600,
		"id_token": p.sign(found.user, access, found.nonce),
	})
}

// authenticates reports whether a request to the token endpoint is that of the client.
func (p *Provider) authenticates(r *http.Request) bool {
	id, secret, method := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "client_secret_post"
	if basicID, basicSecret, isBasic := r.BasicAuth(); isBasic {
		if secret != "" {
			return false // two methods at once
		}
		method = "client_secret_basic"
		var errID, errSecret error
		id, errID = url.QueryUnescape(basicID)
		secret, errSecret = url.QueryUnescape(basicSecret)
		if errID != nil || errSecret != nil {
			return false
		}
	}
	b := p.behavior
	accepted := (b.AuthMethods == nil || slices.Contains(b.AuthMethods, method)) &&
		(b.AcceptedAuth == "" || b.AcceptedAuth == method)
	if p.options.PublicClient {
		return id == p.options.ClientID && secret == ""
	}
	return accepted && id == p.options.ClientID && secret == p.options.ClientSecret
}
