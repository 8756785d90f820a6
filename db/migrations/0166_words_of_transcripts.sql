-- +goose Up
-- The words of the transcripts that exist already. It is a transaction of its own, because uploads wait for the
-- one that creates the trigger.
set local role service_role;
-- +goose StatementBegin
do $$
declare
  batch uuid[];
begin
  for batch in
    select array_agg(i.id)
    from (select id, row_number() over (order by id) / 100 as part from public.imports) i
    group by i.part
  loop
    perform private.index_words(batch);
  end loop;
end $$;
-- +goose StatementEnd
reset role;
