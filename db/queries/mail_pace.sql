-- name: TakeMailTurn :one
-- Takes the next turn of all workers' mails, and says in how many seconds it is.
with turn as (
  update private.mail_pace set next_at = greatest(next_at, clock_timestamp()) + make_interval(secs => sqlc.arg(every)::double precision)
  returning next_at
)
select (extract(epoch from next_at - clock_timestamp()) - sqlc.arg(every)::double precision)::double precision as wait from turn;
