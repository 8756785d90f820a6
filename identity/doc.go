// Package identity owns users: their passwords, sessions, refresh tokens and links in mails, the limits on
// guessing passwords, and the functions of administrators and operators. Its tables are those of Supabase
// Auth (https://github.com/supabase/auth/tree/master/migrations). Refresh tokens and the tokens of links are
// stored as hashes only.
//
// It knows nothing of HTTP: api/auth speaks the wire. It does not sign access tokens: api/token signs them
// for the sessions that are created here. It does not send mails: a workflow does, which is given the id of a
// request and nothing else. It does not decide who is an administrator: callers must.
package identity
