-- name: SeeWorker :exec
-- Records that a worker process runs. Rows of processes that were killed are removed after a day.
with gone as (
  delete from private.workers w where w.seen_at < now() - interval '1 day'
)
insert into private.workers as w (id, version) values (sqlc.arg(id), sqlc.arg(version))
on conflict (id) do update set seen_at = now();

-- name: RemoveWorker :exec
delete from private.workers where id = $1;

-- name: ListWorkers :many
-- The worker processes that run, by version. One that was not seen for half a minute does not.
select w.version, count(*)::integer as processes
from private.running_workers w
group by w.version
order by w.version;
