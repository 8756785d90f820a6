-- +goose Up
-- Names and addresses have no characters that change how the text around them reads: directions of writing,
-- invisible characters, controls. Joiners stay, which several scripts and emoji need.

set local role service_role;

create function private.plain(text) returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace($1,
    '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]',
    '', 'g')
$$;

create or replace function private.display_name(metadata jsonb, email text) returns text
language sql immutable
set search_path = ''
as $$
  select left(private.plain(coalesce(
    metadata ->> 'display_name', metadata ->> 'full_name', metadata ->> 'name', split_part(coalesce(email, ''), '@', 1)
  )), 200)
$$;

update public.profiles set display_name = private.plain(display_name)
where display_name <> private.plain(display_name);

reset role;
grant execute on function private.plain(text) to authenticated, service_role;

alter table public.profiles
  add constraint profiles_display_name_plain check (display_name = private.plain(display_name));
alter table public.workspace_invitations
  add constraint workspace_invitations_email_plain check (email = private.plain(email)) not valid;
