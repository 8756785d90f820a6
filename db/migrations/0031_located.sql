-- +goose Up
-- A quote of a person that is located in the transcript is verbatim. It used to be called manual.

-- +goose StatementBegin
create function private.stamp_match() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.match := 'verbatim';
  return new;
end $$;
-- +goose StatementEnd

-- The name sorts after t3_prove, which locates the quote.
create trigger t3_proven before insert or update on public.evidence
  for each row when (new.byte_start is not null and new.match = 'manual') execute function private.stamp_match();

set local role service_role;
update public.evidence set match = 'verbatim' where byte_start is not null and match = 'manual';
reset role;

comment on column public.imports.sha256 is 'Of the transcript that quotes are slices of, in hexadecimal digits: the uploaded file without its markup.';
