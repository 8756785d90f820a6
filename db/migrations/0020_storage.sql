-- +goose Up
-- The data API bounds an answer by the size of its rows before it is made. A compressed value may become a
-- hundred times as large in the answer, so that no value of a table that is served is compressed.

-- +goose StatementBegin
do $$
declare
  served record;
begin
  for served in
    select a.attrelid::regclass as relation, a.attname as name
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and a.attstorage = 'x'
  loop
    execute format('alter table %s alter column %I set storage external', served.relation, served.name);
  end loop;
end $$;
-- +goose StatementEnd
