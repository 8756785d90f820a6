-- name: ListDigestCandidates :many
-- A page of those who may get a digest of this frequency now, by key.
select p.user_id, p.timezone, p.hour, p.weekday, p.created_at
from public.digest_preferences p
where p.frequency = sqlc.arg(wanted)::public.digest_frequency::text::public.digest_setting and p.user_id > sqlc.arg(after)
  and private.digest_obstacle(p.user_id, sqlc.arg(wanted)) is null
order by p.user_id
limit sqlc.arg(size);

-- name: StopDigests :execrows
-- What a link that unsubscribes does. Whatever is planned is left out when its turn comes.
update public.digest_preferences set frequency = 'off' where user_id = $1 and frequency <> 'off';
