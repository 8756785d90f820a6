-- +goose Up
-- Readings: the uploaded files, so that an import can be read again when somebody knows better who speaks,
-- and what people decided about labels, so that the next file of the project need not ask.

create table private.import_files (
  import_id uuid not null
    constraint import_files_import_id_fkey references public.imports (id) on delete cascade,
  data bytea not null,
  layout text not null default '',
  speakers jsonb not null default '{}',
  remembered text[] not null default '{}',
  remembered_unlabelled boolean not null default false,
  constraint import_files_pkey primary key (import_id)
);
-- Uncompressed: documents and archives are compressed already, and reading must be quick.
alter table private.import_files alter column data set storage external;
comment on table private.import_files is 'The files of imports as they were uploaded.';
comment on column private.import_files.layout is 'The layout that was chosen; empty if it is detected.';
comment on column private.import_files.speakers is 'The names, merges and roles that were chosen, by labels.';
comment on column private.import_files.remembered is
  'Labels of which imports.reading has an answer that was given for an earlier file.';
comment on column private.import_files.remembered_unlabelled is
  'Whether imports.reading has such an answer about the lines without a label.';
grant select, insert, update, delete on private.import_files to service_role;

create table private.project_readings (
  project_id uuid not null,
  workspace_id uuid not null,
  format text not null,
  label text not null,
  unlabelled boolean not null,
  answer text not null
    constraint project_readings_answer_check check (answer in ('person', 'nobody', 'same', 'unlabelled')),
  other text not null default '',
  answered_at timestamptz not null default now(),
  constraint project_readings_pkey primary key (project_id, format, label, unlabelled),
  constraint project_readings_unlabelled_check check (unlabelled = (answer = 'unlabelled')),
  constraint project_readings_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index project_readings_workspace_id_idx on private.project_readings (workspace_id);
comment on table private.project_readings is
  'What people decided about the labels of files of a project. It holds for later files of the same format.';
comment on column private.project_readings.unlabelled is
  'Whether the answer is about the lines without a label in the turns of this label.';
comment on column private.project_readings.other is
  'The label of the same person, or who says the lines without a label.';
grant select, insert, update, delete on private.project_readings to service_role;

set local role service_role;

-- Keeps the file of an import that was just stored. It counts for the storage of the workspace.
-- +goose StatementBegin
create function private.keep_file(
  import uuid, data bytea, layout text, speakers jsonb, remembered text[], remembered_unlabelled boolean
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  insert into private.import_files (import_id, data, layout, speakers, remembered, remembered_unlabelled)
  values (import, data, layout, speakers, remembered, remembered_unlabelled);
  update public.imports i set stored_bytes = i.stored_bytes + octet_length(data) where i.id = import;
end $$;
-- +goose StatementEnd
grant execute on function private.keep_file(uuid, bytea, text, jsonb, text[], boolean) to authenticated;

-- Remembers what the caller decided about labels. The latest answer holds; of a project, the latest 5,000 are
-- kept.
-- +goose StatementBegin
create function private.remember_readings(
  project uuid, format text, labels text[], answers text[], others text[]
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace uuid;
begin
  select p.workspace_id into workspace from public.projects p where p.id = project;
  perform private.require_editor(workspace);
  insert into private.project_readings as r (
    project_id, workspace_id, format, label, unlabelled, answer, other
  )
  select project, workspace, remember_readings.format, a.label, a.answer = 'unlabelled', a.answer, a.other
  from unnest(labels, answers, others) as a (label, answer, other)
  order by a.label, a.answer
  on conflict on constraint project_readings_pkey do update set
    answer = excluded.answer,
    other = excluded.other,
    answered_at = excluded.answered_at;
  delete from private.project_readings r
  where r.project_id = project and (r.format, r.label, r.unlabelled) in (
    select x.format, x.label, x.unlabelled
    from private.project_readings x
    where x.project_id = project
    order by x.answered_at desc, x.format, x.label, x.unlabelled
    offset 5000
  );
end $$;
-- +goose StatementEnd
grant execute on function private.remember_readings(uuid, text, text[], text[], text[]) to authenticated;

reset role;
