-- +goose Up
-- What is doubtful about how a file was read is known when it is uploaded, and must be seen by everyone who relies
-- on the import later.

alter table public.imports
  add column warnings jsonb not null default '[]'
    constraint imports_warnings_check check (jsonb_typeof(warnings) = 'array' and octet_length(warnings::text) <= 4000);
comment on column public.imports.warnings is
  'What is doubtful about how the file was read: [{"code", "count"}]. Empty if nothing is.';

set local role service_role;

-- Sets the warnings of an import that was not parsed yet.
-- +goose StatementBegin
create function private.set_import_warnings(import uuid, doubts jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  update public.imports i set warnings = doubts where i.id = import and i.status = 'uploaded';
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.set_import_warnings(uuid, jsonb) to authenticated, service_role;
