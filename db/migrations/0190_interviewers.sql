-- +goose Up
-- The interviewers of an import, as the transcript names them. The statements with which the steps of a parse begin
-- read them, so that no step takes another one for that.

set local role service_role;

-- +goose StatementBegin
create function private.interviewers(import uuid) returns text[]
language sql stable
begin atomic
  select array(
    select s.speaker from public.import_speakers s
    where s.import_id = import and s.role = 'interviewer' and s.speaker <> ''
    order by s.speaker collate "C"
  );
end;
-- +goose StatementEnd

reset role;
