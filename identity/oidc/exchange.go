package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/oauth2"
)

// An Answer is what a provider sent the browser back with, and what belongs to it.
type Answer struct {
	// Code and Issuer are the parameters code and iss (RFC 9207) of the redirect.
	Code, Issuer string
	// Nonce and Verifier are those of the Request.
	Nonce, Verifier string
}

// maxCodeBytes bounds a code. Those of Azure have some 1,500 bytes.
const maxCodeBytes = 8 << 10

// Exchange exchanges the code of an answer for who has signed in. A code can be exchanged once. Its error is
// an *Error, or that of ctx.
func (p *Provider) Exchange(ctx context.Context, a Answer) (_ Account, err error) {
	defer func() { err = p.named(err) }()
	if a.Code == "" || len(a.Code) > maxCodeBytes {
		return Account{}, &Error{Reason: "sent no valid code"}
	}
	if a.Nonce == "" || a.Verifier == "" {
		return Account{}, &Error{Reason: "was not asked: there is no nonce or no verifier"}
	}
	m, err := p.metadata.get(ctx)
	if err != nil {
		return Account{}, err
	}
	if err := p.checkRedirect(m, a.Issuer); err != nil {
		return Account{}, err
	}
	tokens, err := p.redeem(ctx, m, a)
	if err != nil {
		return Account{}, err
	}
	verified, err := p.verifyAnswer(ctx, m, tokens, a)
	if err != nil {
		return Account{}, err
	}
	return p.account(ctx, m, verified, tokens.AccessToken)
}

// checkRedirect rejects an answer of another provider, which would get the code otherwise (RFC 9207).
func (p *Provider) checkRedirect(m metadata, issuer string) error {
	switch {
	case issuer == "" && m.SendsIssuer:
		return &Error{Reason: "did not say who it is, as it says that it does (iss)"}
	case issuer != "" && !p.issuers.redirected(m.Issuer, issuer):
		return &Error{Reason: "is not the one that has answered (iss)"}
	}
	return nil
}

// verifyAnswer returns the ID token of a token response.
func (p *Provider) verifyAnswer(
	ctx context.Context, m metadata, tokens *oauth2.Token, a Answer,
) (verifiedToken, error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return verifiedToken{}, unusable("token response", "has no ID token")
	}
	verified, err := p.verifyToken(ctx, m, raw, tokens.AccessToken)
	if err != nil {
		return verified, err
	}
	if err := verified.checkAudience(p.config.ClientIDs[:1]); err != nil {
		return verified, err
	}
	if a.Issuer != "" && p.issuers.before != "" && a.Issuer != verified.issuer {
		return verified, badToken("it is from another issuer")
	}
	return verified, verified.checkNonce(a.Nonce)
}

// redeem exchanges a code for tokens. Its error is an *Error, or that of ctx.
func (p *Provider) redeem(ctx context.Context, m metadata, a Answer) (*oauth2.Token, error) {
	var err error
	for _, style := range p.authStyles(m) {
		var tokens *oauth2.Token
		tokens, err = p.client(m, style).Exchange(p.net.forOAuth(ctx), a.Code, oauth2.VerifierOption(a.Verifier))
		if err == nil {
			p.authStyle.Store(int32(style))
			return tokens, nil
		}
		if !rejectsClient(err) {
			break // the code may be used
		}
	}
	return nil, tokenError(ctx, err)
}

// authStyles returns the ways to send the client secret, the first choice first. A provider may list both,
// and accept only the one for which the client is registered there; it rejects the client before it looks at
// the code.
func (p *Provider) authStyles(m metadata) []oauth2.AuthStyle {
	const basic, post = oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams
	hasBasic := len(m.AuthMethods) == 0 || slices.Contains(m.AuthMethods, "client_secret_basic")
	hasPost := slices.Contains(m.AuthMethods, "client_secret_post")
	switch {
	case p.config.ClientSecret == "":
		return []oauth2.AuthStyle{post} // the client id alone
	case !hasPost:
		return []oauth2.AuthStyle{basic}
	case !hasBasic:
		return []oauth2.AuthStyle{post}
	case p.authStyle.Load() == int32(post):
		return []oauth2.AuthStyle{post, basic}
	}
	return []oauth2.AuthStyle{basic, post}
}

// rejectsClient reports whether a token endpoint does not accept the client's authentication.
func rejectsClient(err error) bool {
	var refused *oauth2.RetrieveError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == "invalid_client" || refused.Response.StatusCode == http.StatusUnauthorized)
}

// tokenError describes an error of package oauth2, whose text has the body of the response.
func tokenError(ctx context.Context, err error) error {
	var known *Error
	var refused *oauth2.RetrieveError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return refusedCode(refused.Response.StatusCode, refused.ErrorCode)
	}
	return unusable("token response", "is not JSON with an access token")
}

// refusedCode describes a response of a token endpoint that is an error.
func refusedCode(status int, code string) error {
	code = safeCode(code)
	switch {
	case status >= 500 || status == http.StatusTooManyRequests || code == "temporarily_unavailable":
		return &Error{
			Reason:    "does not answer: its token endpoint responded with status " + strconv.Itoa(status),
			Temporary: true,
		}
	case code != "":
		return &Error{Reason: "did not accept the code: " + code}
	}
	return &Error{Reason: "did not accept the code: it " + failedStatus(status)}
}

// account returns what an ID token says about a person. One that comes with an access token need not have the
// address, which is at the userinfo endpoint then (OpenID Connect Core 1.0, section 5.4). Azure's is not
// asked: it proves no address, as it has no xms_edov. Its error is an *Error, or that of ctx.
func (p *Provider) account(
	ctx context.Context, m metadata, t verifiedToken, accessToken string,
) (Account, error) {
	a := Account{Issuer: t.issuer, Subject: t.Subject, MFA: p.config.hasMFA(t.claims)}
	p.config.describe(&a, t.claims)
	if a.Email != "" || accessToken == "" || m.UserInfoEndpoint == "" || p.config.Name == NameAzure {
		return a, nil
	}
	said, err := p.userInfo(ctx, m, accessToken, t.Subject)
	if err != nil {
		return Account{}, err
	}
	p.config.describe(&a, said)
	return a, nil
}

// userInfo returns what the userinfo endpoint says about the person of an ID token (OpenID Connect Core 1.0,
// section 5.3). Its error is an *Error, or that of ctx.
func (p *Provider) userInfo(ctx context.Context, m metadata, accessToken, subject string) (claims, error) {
	var payload json.RawMessage
	header := http.Header{"Authorization": {"Bearer " + accessToken}}
	if err := p.net.fetchJSON(ctx, "userinfo response", m.UserInfoEndpoint, header, &payload); err != nil {
		return nil, err
	}
	said, err := parseClaims(payload)
	if err != nil {
		return nil, unusable("userinfo response", "is not a JSON object with one subject")
	}
	if said.text("sub") != subject {
		return nil, unusable("userinfo response", "is about somebody else")
	}
	return said, nil
}
