// Package token says who a request comes from: it signs and verifies access tokens (RFC 7519, algorithms pinned, exp and aud required), checks API keys, and puts
// the verified subject into the request's context, from which handlers read it by From.
//
// It knows nothing of passwords and sessions; api/auth does.
package token
