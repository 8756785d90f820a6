-- +goose Up
-- Deletions also hide and remove participants, speakers and webhooks.

-- +goose StatementBegin
do $$
declare
  t text;
begin
  foreach t in array array[
    'participants', 'import_speakers', 'speaker_stances', 'webhook_endpoints', 'webhook_deliveries'
  ] loop
    execute format(
      'alter policy service on public.%I '
      'using (workspace_id not in (select d.id from private.deletions d where private.hides_marked())) '
      'with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))', t);
  end loop;
end $$;
-- +goose StatementEnd

-- Deliveries are many, so they do not go with the row of the workspace.
alter table public.webhook_endpoints
  drop constraint webhook_endpoints_workspace_id_fkey,
  add constraint webhook_endpoints_workspace_id_fkey foreign key (workspace_id) references public.workspaces (id);
alter table public.webhook_deliveries
  drop constraint webhook_deliveries_workspace_id_fkey,
  add constraint webhook_deliveries_workspace_id_fkey foreign key (workspace_id) references public.workspaces (id);

set local role service_role;

-- As before, and with the tables above.
create or replace function private.deletion_steps() returns table (kind text, step integer, relation text, key text)
language sql immutable
set search_path = ''
as $$
  values
    ('workspace', 1, 'public.webhook_deliveries', 'workspace_id'),
    ('workspace', 2, 'public.webhook_endpoints', 'workspace_id'),
    ('workspace', 3, 'public.questions', 'workspace_id'),
    ('workspace', 4, 'private.import_run_changes', 'claim_id'),
    ('workspace', 5, 'private.import_readings', 'import_id'),
    ('workspace', 6, 'public.import_hypotheses', 'workspace_id'),
    ('workspace', 7, 'public.speaker_stances', 'workspace_id'),
    ('workspace', 8, 'public.evidence_hypotheses', 'workspace_id'),
    ('workspace', 9, 'public.evidence', 'workspace_id'),
    ('workspace', 10, 'private.chunk_answers', 'import_id'),
    ('workspace', 11, 'private.import_chunks', 'import_id'),
    ('workspace', 12, 'private.import_runs', 'import_id'),
    ('workspace', 13, 'public.utterances', 'workspace_id'),
    ('workspace', 14, 'private.transcripts', 'import_id'),
    ('workspace', 15, 'public.import_speakers', 'workspace_id'),
    ('workspace', 16, 'public.participants', 'workspace_id'),
    ('workspace', 17, 'public.imports', 'workspace_id'),
    ('workspace', 18, 'public.hypotheses', 'workspace_id'),
    ('workspace', 19, 'public.personas', 'workspace_id'),
    ('workspace', 20, 'public.activity_events', 'workspace_id'),
    ('workspace', 21, 'public.projects', 'workspace_id'),
    ('workspace', 22, 'private.audit_records', 'workspace_id'),
    ('account', 1, 'public.evidence', 'created_by'),
    ('account', 2, 'public.evidence', 'edited_by'),
    ('account', 3, 'public.evidence', 'reviewed_by'),
    ('account', 4, 'public.hypotheses', 'decided_by'),
    ('account', 5, 'public.imports', 'created_by'),
    ('account', 6, 'public.workspaces', 'created_by'),
    ('account', 7, 'public.workspace_invitations', 'created_by'),
    ('account', 8, 'public.webhook_endpoints', 'created_by'),
    ('account', 9, 'public.activity_events', 'actor_id'),
    ('account', 10, 'private.events', 'actor_id'),
    ('account', 11, 'private.import_runs', 'requested_by'),
    ('account', 12, 'private.audit_records', 'actor_id'),
    ('account', 13, 'private.audit_records', 'target_id')
$$;

reset role;
