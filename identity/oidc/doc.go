// Package oidc signs people in with OpenID Connect providers (OpenID Connect Core 1.0 and Discovery 1.0): it
// makes the address of a provider's sign-in page, exchanges the code that comes back, verifies ID tokens, and
// decides whether a provider vouches for an email address.
//
// It sends requests to what a provider's documents name, through package publicnet. It stores nothing and
// knows no users: what an Account may do belongs to package identity. Tests have a provider in package
// oidctest.
package oidc
