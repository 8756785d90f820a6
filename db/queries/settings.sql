-- name: PutSetting :exec
insert into private.settings (name, value)
values ($1, $2)
on conflict on constraint settings_pkey do update
set value = excluded.value
where settings.value <> excluded.value;
