-- name: RecordNamespace :one
-- Records Temporal's namespace unless one is recorded already, and returns the recorded one.
with recorded as (
  update private.temporal_state set namespace_id = sqlc.arg(namespace_id)::text
  where namespace_id is null
  returning namespace_id
)
select coalesce(r.namespace_id, s.namespace_id)::text as namespace_id
from private.temporal_state s
left join recorded r on true;

-- name: AdoptNamespace :exec
update private.temporal_state set namespace_id = sqlc.arg(namespace_id)::text;

-- name: ClaimReconciliation :execrows
-- Changes a row if runs were not seen for a while, or did not cancel themselves, and no other process has
-- claimed the interval.
update private.temporal_state set looked_at = now()
where looked_at < now() - make_interval(secs => sqlc.arg(interval_seconds))
  and (
    exists (
      select from private.import_runs r
      where r.finished_at is null
        and (
          r.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
          or r.cancel_requested_at < now() - make_interval(secs => sqlc.arg(cancel_seconds))
        )
    )
    or exists (
      select from public.answers a
      where a.status in ('queued', 'reading')
        and a.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
    )
    or exists (
      select from public.theme_runs t
      where t.status in ('queued', 'reading')
        and t.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
    )
  );

-- name: ClaimMailRelay :execrows
-- Changes a row if mails about accounts are unsent and no other worker has claimed the interval.
update private.temporal_state set mails_looked_at = now()
where mails_looked_at < now() - make_interval(secs => sqlc.arg(interval_seconds))
  and (
    exists (
      select from auth.one_time_tokens t
      where t.sent_at is null and t.refused_at is null and t.expires_at > now()
    )
    or exists (select from auth.notices)
  );
