-- name: CreateProviderFlow :exec
insert into auth.provider_flows (
  token_hash, browser_hash, provider, nonce, code_verifier, code_challenge, code_challenge_method,
  redirect_to, user_id, session_id, expires_at
)
values (
  sqlc.arg(token_hash),
  sqlc.narg(browser_hash),
  sqlc.arg(provider),
  sqlc.arg(nonce),
  sqlc.arg(code_verifier),
  sqlc.arg(code_challenge),
  sqlc.arg(code_challenge_method),
  sqlc.arg(redirect_to),
  sqlc.narg(user_id),
  sqlc.narg(session_id),
  sqlc.arg(expires_at)
);

-- name: OpenProviderFlow :one
-- Binds a flow that links an identity to the browser that opens its ticket. A ticket works once.
update auth.provider_flows
set token_hash = sqlc.arg(token_hash),
  browser_hash = sqlc.arg(browser_hash),
  nonce = sqlc.arg(nonce),
  code_verifier = sqlc.arg(code_verifier)
where token_hash = sqlc.arg(ticket_hash)
  and browser_hash is null
  and expires_at > sqlc.arg(now)
returning provider;

-- name: FinishProviderFlow :one
-- A flow is finished once, by the browser that began it.
delete from auth.provider_flows
where token_hash = sqlc.arg(token_hash)
  and browser_hash = sqlc.arg(browser_hash)::bytea
returning provider, nonce, code_verifier, code_challenge, code_challenge_method, redirect_to, user_id,
  session_id, expires_at;
