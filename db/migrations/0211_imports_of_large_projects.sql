-- +goose Up
-- PostgreSQL plans the check of a foreign key for an average project. Where that has one interview, the indexes on the
-- project and on the workspace looked as good as the primary key: each utterance of an upload then read all imports
-- of its project. These numbers let it expect ten.
alter table public.imports
  alter column project_id set (n_distinct = -0.1),
  alter column workspace_id set (n_distinct = -0.1);
analyze public.imports (project_id, workspace_id);
