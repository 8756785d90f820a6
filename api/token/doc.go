// Package token authenticates requests. It signs our access tokens, validates ours and those of trusted
// issuers (RFC 7519; the algorithms are pinned for each issuer and key; exp, aud and role are required),
// checks API keys, and puts the subject into the request's context, from which handlers read it with From.
//
// Signing and validation are in one package because they share the keys, the algorithms and the claims. The
// package knows nothing of passwords and creates no sessions; package identity does. It only checks whether a
// session still exists.
package token
