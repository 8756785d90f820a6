// Package auth speaks Supabase Auth's wire under /auth/v1, so that supabase-js works unchanged
// (https://github.com/supabase/auth/blob/master/openapi.yaml).
//
// Its error bodies serve three readers at once: the owner's interface (error, error_description), GoTrue's clients (code, error_code, msg) and those that
// send X-Supabase-Api-Version. Tokens are signed by api/token; refresh and one-time tokens are stored as hashes only. Mails are sent by a workflow, which is told
// the id of a request and nothing else.
package auth
