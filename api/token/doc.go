// Package token says who a request comes from: it signs access tokens and verifies those of ours and of the issuers that are trusted (RFC 7519; the
// algorithms are pinned per issuer and key, exp, aud and role required), checks API keys, and puts the verified subject into the request's context, from which
// handlers read it by From.
//
// It knows nothing of passwords; api/auth does. Of sessions it knows whether one still lives.
package token
