// Package token authenticates requests. It signs our access tokens, and validates ours and those of trusted
// issuers (RFC 7519; the algorithms are pinned for each issuer and key; exp, aud and role are required). It
// checks API keys, and puts the subject into the request's context, where handlers read it with From.
//
// Signing and validation are in one package because they share the keys, the algorithms and the claims.
// Passwords and the creation of sessions belong to package identity. This package only checks whether a
// session still exists.
package token
