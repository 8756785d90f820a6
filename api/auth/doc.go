// Package auth implements Supabase Auth's API under /auth/v1, so that supabase-js works unchanged
// (https://github.com/supabase/auth/blob/master/openapi.yaml). It decodes requests, calls package identity,
// and encodes responses in GoTrue's format. It makes no decisions about users itself.
//
// The bodies of errors serve three kinds of clients: those of the owner's interface (error,
// error_description), GoTrue's (code, error_code, msg), and GoTrue's that send X-Supabase-Api-Version.
package auth
