-- name: PutSetting :exec
insert into private.settings (name, value)
values ($1, $2)
on conflict on constraint settings_pkey do update
set value = excluded.value
where settings.value <> excluded.value;

-- name: GetLastBackup :one
-- When the last recorded backup began; the epoch if there is none.
select coalesce(
  (select s.value::timestamptz from private.settings s where s.name = 'last_backup_at'), 'epoch'
)::timestamptz as began_at;
