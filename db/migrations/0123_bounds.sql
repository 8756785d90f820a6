-- +goose Up
-- Texts that clients write have a maximum length, so that a select cannot multiply megabytes. Longer texts
-- that exist already stay until they are written again.

alter table public.projects
  add constraint projects_description_length check (length(description) <= 20000) not valid;
alter table public.personas
  add constraint personas_description_length check (length(description) <= 20000) not valid,
  add constraint personas_segment_length check (length(segment) <= 2000) not valid,
  add constraint personas_goals_length check (octet_length(goals::text) <= 40000) not valid,
  add constraint personas_pains_length check (octet_length(pains::text) <= 40000) not valid,
  add constraint personas_attributes_length check (octet_length(attributes::text) <= 40000) not valid;
alter table public.hypotheses
  add constraint hypotheses_falsified_if_length check (length(falsified_if) <= 20000) not valid,
  add constraint hypotheses_decision_reason_length check (length(decision_reason) <= 20000) not valid;
-- A quote may be a long turn of an interview.
alter table public.evidence
  add constraint evidence_quote_length check (length(quote) <= 100000) not valid,
  add constraint evidence_summary_length check (length(summary) <= 20000) not valid,
  add constraint evidence_rationale_length check (length(rationale) <= 20000) not valid,
  add constraint evidence_speaker_length check (length(speaker) <= 2000) not valid;

-- Uploads of the last hour are counted.
drop index public.imports_workspace_id_idx;
create index imports_workspace_id_idx on public.imports (workspace_id, created_at);
