-- +goose Up
-- Editors rename an import, and set its persona and when the interview took place. They delete it with its
-- transcript and its evidence.

alter table public.imports add column interviewed_on date;
comment on table public.imports is
  'An uploaded transcript and the state of the workflow that parses it. Editors may change title, persona_id and '
  'interviewed_on.';
comment on column public.imports.interviewed_on is 'The day of the interview; null if unknown. Editors set it.';
comment on column public.imports.sha256 is
  'Of the uploaded file, in hexadecimal digits. Files of earlier versions have that of their text without markup.';

create index imports_project_id_sha256_idx on public.imports (project_id, sha256);

create policy change on public.imports for update to authenticated
  using (workspace_id = any (array(select private.my_workspaces('editor'))))
  with check (workspace_id = any (array(select private.my_workspaces('editor'))));
grant update (title, persona_id, interviewed_on) on public.imports to authenticated;

set local role service_role;

-- Deletes an import with everything that belongs to it, and says how much that was. A run that is under way finds
-- its claim gone, and writes nothing. The evidence is deleted first, without an activity event for each piece.
-- +goose StatementBegin
create function private.delete_import(import uuid, out evidence bigint, out utterances bigint)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Writers of the import wait here, or are waited for, so that the counts are those of what is deleted.
  perform private.require_editor((
    select i.workspace_id from public.imports i where i.id = import and private.caller_may_see(i.workspace_id)
  ));
  perform from public.imports i where i.id = import for update;
  select count(*) into evidence from public.evidence e where e.import_id = import;
  select count(*) into utterances from public.utterances u where u.import_id = import;
  perform set_config('research.removing', 'on', true);
  delete from public.evidence e where e.import_id = import;
  perform set_config('research.removing', '', true);
  delete from public.imports i where i.id = import;
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.delete_import(uuid) to authenticated, service_role;

-- Evidence that goes with its import leaves no records of its own.
drop trigger t9_audit on public.evidence;
create trigger t9_audit after delete on public.evidence
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.audit_deletion('evidence');
