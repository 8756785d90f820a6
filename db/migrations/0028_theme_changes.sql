-- +goose Up
-- Changes of themes: merging, splitting and moving, and how each change is undone.

-- Changes ---------------------------------------------------------------------------------------------------

-- What people change in themes and in the quotes of themes, so that it can be undone: the rows as they were
-- before a transaction and after it, by their keys; null for no row. Changes are kept for a week, the latest
-- hundred of a project.
create table private.theme_changes (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  actor uuid constraint theme_changes_actor_fkey references public.profiles (id) on delete set null,
  kind text not null
    constraint theme_changes_kind_check
    check (kind in (
      'add', 'rename', 'nest', 'archive', 'change', 'delete', 'assign', 'merge', 'split', 'move', 'undo'
    )),
  before jsonb not null,
  after jsonb not null,
  name text not null default '',
  themes integer not null default 0,
  quotes integer not null default 0,
  at timestamptz not null default clock_timestamp(),
  made_by xid8 not null default pg_current_xact_id(),
  undo_id uuid,
  constraint theme_changes_pkey primary key (id),
  constraint theme_changes_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index theme_changes_project_id_idx on private.theme_changes (project_id, at);
create index theme_changes_workspace_id_idx on private.theme_changes (workspace_id);
create index theme_changes_at_idx on private.theme_changes (at);
create index theme_changes_actor_idx on private.theme_changes (actor);
comment on table private.theme_changes is 'What people changed in themes, for a week, to undo it.';
comment on column private.theme_changes.before is
  '{"themes": {id: row}, "links": {"evidence theme": row}} as they were; null where there was no row.';
comment on column private.theme_changes.after is 'As before, as they became.';
comment on column private.theme_changes.name is 'Of one of the themes.';
comment on column private.theme_changes.themes is 'How many themes it changed.';
comment on column private.theme_changes.quotes is 'How many quotes it gave to themes or took from them.';
comment on column private.theme_changes.made_by is 'The transaction: what one request changes is one change.';
comment on column private.theme_changes.undo_id is 'The change that undid it; null for none.';
grant select, insert, update, delete on private.theme_changes to service_role;

create type public.theme_change as (change_id uuid, theme_id uuid);
comment on type public.theme_change is
  'A change of themes, for undo_theme_change, and the theme that it is about.';

set local role service_role;

-- A row without its stamp, and the row of a quote without its keys. The time zone of a request does not make
-- another row of it.
create function private.kept_of_theme(t public.themes) returns jsonb
language sql stable
set search_path = ''
set timezone = 'UTC'
return to_jsonb(t) - '{updated_at}'::text[];

create function private.kept_of_theme_link(l public.evidence_themes) returns jsonb
language sql stable
set search_path = ''
set timezone = 'UTC'
return to_jsonb(l) - '{evidence_id,theme_id,workspace_id,project_id,updated_at}'::text[];

-- The name of a theme that a change is about: one that stays, if there is any.
create function private.name_of_change(before jsonb, after jsonb) returns text
language sql stable
set search_path = ''
return coalesce(
  (
    select coalesce(nullif(k.value, 'null'), before -> 'themes' -> k.key) ->> 'name'
    from jsonb_each(after -> 'themes') k
    order by (k.value ->> 'status') is not distinct from 'archived', k.key
    limit 1
  ),
  (
    select t.name
    from jsonb_each(after -> 'links') k
    join public.themes t on t.id = split_part(k.key, ' ', 2)::uuid
    order by k.value = 'null', k.key
    limit 1
  )
);

-- Adds rows to the change of this transaction. What a row was before the transaction stays.
-- +goose StatementBegin
create function private.note_change(
  workspace uuid, project uuid, part text, usual_kind text, before jsonb, after jsonb
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  most constant integer := 20000; -- quotes in one change
  caller constant uuid := auth.uid();
  kind constant text := coalesce(nullif(current_setting('research.theme_change', true), ''), usual_kind);
  c private.theme_changes;
begin
  if not exists (select from public.projects p where p.id = project and p.workspace_id = workspace) then
    return; -- it is deleted with its rows
  end if;
  select * into c
  from private.theme_changes x
  where x.project_id = project and x.made_by = pg_current_xact_id()
  order by x.at desc
  limit 1;
  if c.id is null then
    insert into private.theme_changes (workspace_id, project_id, actor, kind, before, after)
    values (workspace, project, (select p.id from public.profiles p where p.id = caller), kind,
      '{"themes": {}, "links": {}}', '{"themes": {}, "links": {}}')
    returning * into c;
    delete from private.theme_changes x
    where x.project_id = project
      and x.id <> c.id
      and x.at < greatest(now() - interval '7 days', (
        select y.at
        from private.theme_changes y
        where y.project_id = project
        order by y.at desc
        offset 100
        limit 1
      ));
  end if;
  c.before := jsonb_set(c.before, array[part], note_change.before || (c.before -> part));
  c.after := jsonb_set(c.after, array[part], (c.after -> part) || note_change.after);
  if part = 'links' then
    c.quotes := (select count(distinct split_part(k, ' ', 1)) from jsonb_object_keys(c.after -> part) k);
    if c.quotes > most then
      raise exception 'One change may concern % quotes.', most
        using errcode = 'PT413', hint = 'Choose fewer quotes at a time, or move them out of the theme first.';
    end if;
  else
    c.themes := (select count(*) from jsonb_object_keys(c.after -> part));
  end if;
  if c.name = '' or part = 'themes' then
    c.name := coalesce(private.name_of_change(c.before, c.after), '');
  end if;
  update private.theme_changes x set
    before = c.before,
    after = c.after,
    name = c.name,
    themes = c.themes,
    quotes = c.quotes
  where x.id = c.id;
end $$;
-- +goose StatementEnd

-- What a statement changes in themes.
-- +goose StatementBegin
create function private.note_themes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  n record;
begin
  if tg_op = 'INSERT' then
    for n in
      select r.workspace_id, r.project_id, jsonb_object_agg(r.id, null) as before,
        jsonb_object_agg(r.id, private.kept_of_theme(r)) as after
      from new_rows r group by r.workspace_id, r.project_id
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'themes', 'add', n.before, n.after);
    end loop;
  elsif tg_op = 'DELETE' then
    for n in
      select r.workspace_id, r.project_id, jsonb_object_agg(r.id, private.kept_of_theme(r)) as before,
        jsonb_object_agg(r.id, null) as after
      from old_rows r group by r.workspace_id, r.project_id
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'themes', 'delete', n.before, n.after);
    end loop;
  else
    for n in
      select r.workspace_id, r.project_id, jsonb_object_agg(r.id, private.kept_of_theme(o)) as before,
        jsonb_object_agg(r.id, private.kept_of_theme(r)) as after,
        case
          when bool_or(r.name <> o.name) then 'rename'
          when bool_or(r.parent_id is distinct from o.parent_id) then 'nest'
          when bool_or(r.status <> o.status and 'archived' in (r.status, o.status)) then 'archive'
          else 'change'
        end as kind
      from new_rows r
      join old_rows o on o.id = r.id
      where private.kept_of_theme(r) <> private.kept_of_theme(o)
      group by r.workspace_id, r.project_id
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'themes', n.kind, n.before, n.after);
    end loop;
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- What a statement changes in the quotes of themes, and the event that it did. Quotes that are deleted take
-- their rows with them.
-- +goose StatementBegin
create function private.note_theme_links() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  projects uuid[];
  n record;
begin
  if tg_op = 'DELETE' then
    projects := array(select distinct o.project_id from old_rows o);
  else
    projects := array(select distinct r.project_id from new_rows r);
  end if;
  if projects = '{}' then
    return null;
  end if;
  insert into private.events (type, workspace_id, project_id, entity_id, actor_id)
  select 'theme.changed', p.workspace_id, p.id, p.id, (
    select a.id from public.profiles a
    where a.id = auth.uid() and current_setting('role', true) = 'authenticated'
  )
  from public.projects p
  where p.id = any (projects);
  if current_setting('role', true) is distinct from 'authenticated' then
    return null;
  end if;
  if tg_op = 'INSERT' then
    for n in
      select r.workspace_id, r.project_id,
        jsonb_object_agg(r.evidence_id || ' ' || r.theme_id, null) as before,
        jsonb_object_agg(r.evidence_id || ' ' || r.theme_id, private.kept_of_theme_link(r)) as after
      from new_rows r
      group by r.workspace_id, r.project_id
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'links', 'assign', n.before, n.after);
    end loop;
  elsif tg_op = 'DELETE' then
    for n in
      select r.workspace_id, r.project_id,
        jsonb_object_agg(r.evidence_id || ' ' || r.theme_id, private.kept_of_theme_link(r)) as before,
        jsonb_object_agg(r.evidence_id || ' ' || r.theme_id, null) as after
      from old_rows r
      where exists (select from public.evidence e where e.id = r.evidence_id)
      group by r.workspace_id, r.project_id
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'links', 'assign', n.before, n.after);
    end loop;
  else
    for n in
      select
        coalesce(r.workspace_id, o.workspace_id) as workspace_id,
        coalesce(r.project_id, o.project_id) as project_id,
        jsonb_object_agg(
          coalesce(r.evidence_id, o.evidence_id) || ' ' || coalesce(r.theme_id, o.theme_id),
          case when o.evidence_id is not null then private.kept_of_theme_link(o) end
        ) as before,
        jsonb_object_agg(
          coalesce(r.evidence_id, o.evidence_id) || ' ' || coalesce(r.theme_id, o.theme_id),
          case when r.evidence_id is not null then private.kept_of_theme_link(r) end
        ) as after
      from new_rows r
      full join old_rows o on o.evidence_id = r.evidence_id and o.theme_id = r.theme_id
      where r.evidence_id is null
        or o.evidence_id is null
        or private.kept_of_theme_link(r) <> private.kept_of_theme_link(o)
      group by 1, 2
    loop
      perform private.note_change(n.workspace_id, n.project_id, 'links', 'assign', n.before, n.after);
    end loop;
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t9_change_inserted after insert on public.themes referencing new table as new_rows
for each statement when (
  current_setting('role', true) = 'authenticated'
  and coalesce(current_setting('research.removing', true), '') <> 'on'
) execute function private.note_themes();
create trigger t9_change_updated after update on public.themes
referencing old table as old_rows new table as new_rows
for each statement when (
  current_setting('role', true) = 'authenticated'
  and coalesce(current_setting('research.removing', true), '') <> 'on'
) execute function private.note_themes();
create trigger t9_change_deleted after delete on public.themes referencing old table as old_rows
for each statement when (
  current_setting('role', true) = 'authenticated'
  and coalesce(current_setting('research.removing', true), '') <> 'on'
) execute function private.note_themes();
create trigger t9_change_inserted after insert on public.evidence_themes referencing new table as new_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.note_theme_links();
create trigger t9_change_updated after update on public.evidence_themes
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.note_theme_links();
create trigger t9_change_deleted after delete on public.evidence_themes referencing old table as old_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.note_theme_links();

-- Merging, splitting, moving -------------------------------------------------------------------------------

set local role service_role;

-- Locks themes of one project that the caller may edit, and returns it.
-- +goose StatementBegin
create function private.lock_themes(themes uuid[], out project uuid, out workspace uuid)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  found_themes integer;
  projects integer;
begin
  if cardinality(themes) > 1000 then
    raise exception 'One change may concern 1000 themes.'
      using errcode = 'PT413', hint = 'Choose fewer themes at a time.';
  end if;
  perform private.require_budget();
  select count(*), count(distinct t.project_id), (array_agg(t.project_id))[1], (array_agg(t.workspace_id))[1]
  into found_themes, projects, project, workspace
  from (
    select x.project_id, x.workspace_id
    from public.themes x
    where x.id = any (themes) and private.caller_may_see(x.workspace_id)
    order by x.id
    for update
  ) t;
  if found_themes = 0 or found_themes <> (select count(distinct t) from unnest(themes) t) then
    raise exception 'There is no such theme.' using errcode = 'PT404';
  elsif projects > 1 then
    raise exception 'These themes are of several projects.' using errcode = 'PT422';
  end if;
  perform private.require_editor(workspace);
end $$;
-- +goose StatementEnd

-- The change that this transaction made, and what it cost the budget of the caller.
-- +goose StatementBegin
create function private.end_theme_change(project uuid) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  c private.theme_changes;
begin
  perform set_config('research.theme_change', '', true);
  select * into c
  from private.theme_changes x
  where x.project_id = project and x.made_by = pg_current_xact_id()
  order by x.at desc
  limit 1;
  perform private.spend_budget(1000 + coalesce(pg_column_size(c.before) + pg_column_size(c.after), 0));
  return c.id;
end $$;
-- +goose StatementEnd

-- Merging themes judges none of their quotes: a suggestion stays one. Who splits a theme or moves quotes
-- gives them to it, whoever gave them before.
-- +goose StatementBegin
create function private.merge_themes(merged uuid[], target uuid) returns public.theme_change
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  project uuid;
  above uuid;
begin
  if cardinality(merged) is null or cardinality(merged) = 0 or target = any (merged) or target is null then
    raise exception 'Say which themes to merge into which other one.' using errcode = 'PT422';
  end if;
  select l.project into project from private.lock_themes(merged || target) l;
  perform set_config('research.theme_change', 'merge', true);
  -- The target leaves the themes that are merged into it, before it gets their quotes.
  select t.parent_id into above from public.themes t where t.id = target;
  while above = any (merged) loop
    select t.parent_id into above from public.themes t where t.id = above;
  end loop;
  update public.themes t set
    parent_id = above,
    status = 'active',
    merged_into = null
  where t.id = target
    and (t.parent_id is distinct from above or t.status <> 'active' or t.merged_into is not null);
  insert into public.evidence_themes as l (
    evidence_id, theme_id, workspace_id, project_id, origin, review, created_by, created_at
  )
  select distinct on (x.evidence_id)
    x.evidence_id, target, x.workspace_id, x.project_id, x.origin, x.review, x.created_by, x.created_at
  from public.evidence_themes x
  where x.theme_id = any (merged)
  order by x.evidence_id, x.review = 'suggested', x.review, x.created_at
  on conflict on constraint evidence_themes_evidence_id_theme_id_key do update set
    origin = excluded.origin,
    review = excluded.review,
    created_by = excluded.created_by
  where l.review = 'suggested' and excluded.review <> 'suggested';
  delete from public.evidence_themes l where l.theme_id = any (merged);
  update public.themes t set parent_id = target
  where t.parent_id = any (merged) and t.id <> target and t.id <> all (merged);
  update public.themes t set status = 'archived', merged_into = target, parent_id = null
  where t.id = any (merged);
  return (private.end_theme_change(project), target);
end $$;
-- +goose StatementEnd
grant execute on function private.merge_themes(uuid[], uuid) to authenticated;

-- +goose StatementBegin
create function private.split_theme(split uuid, quotes uuid[], new_name text) returns public.theme_change
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
  project uuid;
  t public.themes;
  added uuid;
begin
  select l.project into project from private.lock_themes(array[split]) l;
  select * into t from public.themes x where x.id = split;
  perform set_config('research.theme_change', 'split', true);
  if not exists (
    select from public.evidence_themes l where l.theme_id = split and l.evidence_id = any (quotes)
  ) then
    raise exception 'None of these quotes has the theme.' using errcode = 'PT422';
  end if;
  insert into public.themes (workspace_id, project_id, parent_id, name, position, created_by)
  values (t.workspace_id, project, t.parent_id, new_name, coalesce(
    (
      select (t.position + min(x.position)) / 2 from public.themes x
      where x.project_id = project and x.position > t.position
    ), t.position + 1), (select p.id from public.profiles p where p.id = caller))
  returning id into added;
  update public.evidence_themes l set
    theme_id = added,
    origin = case l.review when 'suggested' then 'human' else l.origin end,
    created_by = case l.review
      when 'suggested' then (select p.id from public.profiles p where p.id = caller)
      else l.created_by
    end,
    review = case l.review when 'suggested' then 'accepted' else l.review end
  where l.theme_id = split and l.evidence_id = any (quotes);
  return (private.end_theme_change(project), added);
end $$;
-- +goose StatementEnd
grant execute on function private.split_theme(uuid, uuid[], text) to authenticated;

-- +goose StatementBegin
create function private.move_evidence(quotes uuid[], target uuid, source uuid) returns public.theme_change
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
  project uuid;
  workspace uuid;
  found_quotes integer;
begin
  if cardinality(quotes) > 20000 then
    raise exception 'One change may concern 20000 quotes.'
      using errcode = 'PT413', hint = 'Choose fewer quotes at a time.';
  end if;
  target := coalesce(private.merged_to(target), target);
  if target is not null or source is not null then
    select l.project into project
    from private.lock_themes(array_remove(array[target, source], null)) l;
  else
    perform private.require_budget();
  end if;
  select count(*), (array_agg(e.project_id))[1], (array_agg(e.workspace_id))[1]
  into found_quotes, project, workspace
  from public.evidence e
  where e.id = any (quotes)
    and private.caller_may_see(e.workspace_id)
    and e.project_id = coalesce(project, (
      select x.project_id from public.evidence x
      where x.id = any (quotes) and private.caller_may_see(x.workspace_id)
      order by x.id
      limit 1
    ));
  if found_quotes = 0 or found_quotes <> (select count(distinct q) from unnest(quotes) q) then
    raise exception 'The project has no such quote.' using errcode = 'PT404';
  end if;
  perform private.require_editor(workspace);
  perform set_config('research.theme_change', 'move', true);
  delete from public.evidence_themes l
  where l.evidence_id = any (quotes)
    and l.theme_id is distinct from target
    and (source is null or l.theme_id = source);
  if target is not null then
    insert into public.evidence_themes as l (evidence_id, theme_id, workspace_id, project_id, created_by)
    select e.id, target, e.workspace_id, e.project_id,
      (select p.id from public.profiles p where p.id = caller)
    from public.evidence e
    where e.id = any (quotes)
    on conflict on constraint evidence_themes_evidence_id_theme_id_key do update set
      origin = 'human',
      review = 'accepted',
      created_by = excluded.created_by
    where l.review <> 'accepted';
  end if;
  return (private.end_theme_change(project), target);
end $$;
-- +goose StatementEnd
grant execute on function private.move_evidence(uuid[], uuid, uuid) to authenticated;

-- Undoing ---------------------------------------------------------------------------------------------------

-- +goose StatementBegin
create function private.refuse_stale_change() returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'What this changed has been changed since.'
    using errcode = 'PT409', hint = 'Undo the later changes first.';
end $$;
-- +goose StatementEnd

-- Restores what was before a change. Everything must be as the change left it; quotes that are gone stay so.
-- +goose StatementBegin
create function private.undo_theme_change(change uuid) returns public.theme_change
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  c private.theme_changes;
  kind text;
  undo uuid;
  links jsonb;
begin
  select * into c
  from private.theme_changes x
  where x.id = change and x.at > now() - interval '7 days' and private.caller_may_see(x.workspace_id)
  for update;
  if c.id is null then
    raise exception 'There is no such change, or it is too old.' using errcode = 'PT404';
  end if;
  perform private.require_editor(c.workspace_id);
  perform private.require_budget();
  if c.undo_id is not null then
    raise exception 'This has been undone already.' using errcode = 'PT409';
  end if;
  -- What undoes an undo does again what that undid.
  kind := coalesce(
    (select x.kind from private.theme_changes x where x.undo_id = c.id and c.kind = 'undo'), 'undo');
  perform from public.themes t
  where t.id in (select k::uuid from jsonb_object_keys(c.after -> 'themes') k)
  order by t.id
  for update;
  if exists (
    select
    from jsonb_each(c.after -> 'themes') k
    left join public.themes t on t.id = k.key::uuid
    where case when t.id is not null then private.kept_of_theme(t) else 'null' end <> k.value
  ) then
    perform private.refuse_stale_change();
  end if;
  -- The rows of quotes that there still are.
  links := coalesce((
    select jsonb_object_agg(
      k.key, jsonb_build_object('before', c.before -> 'links' -> k.key, 'after', k.value))
    from jsonb_each(c.after -> 'links') k
    join public.evidence e on e.id = split_part(k.key, ' ', 1)::uuid
  ), '{}');
  perform from public.evidence_themes l
  where (l.evidence_id, l.theme_id) in (
    select split_part(k, ' ', 1)::uuid, split_part(k, ' ', 2)::uuid from jsonb_object_keys(links) k
  )
  order by l.evidence_id, l.theme_id
  for update;
  if exists (
    select
    from jsonb_each(links) k
    left join public.evidence_themes l
      on l.evidence_id = split_part(k.key, ' ', 1)::uuid and l.theme_id = split_part(k.key, ' ', 2)::uuid
    where case when l.evidence_id is not null then private.kept_of_theme_link(l) else 'null' end
      <> k.value -> 'after'
  ) then
    perform private.refuse_stale_change();
  end if;
  perform set_config('research.theme_change', kind, true);
  begin
    insert into public.themes
    select r.*
    from jsonb_each(c.before -> 'themes') k
    cross join lateral jsonb_populate_record(
      null::public.themes, private.without_gone(
        k.value || '{"parent_id": null, "merged_into": null}'
        || jsonb_build_object('updated_at', now()))
    ) r
    where k.value <> 'null' and c.after -> 'themes' -> k.key = 'null';
    -- Without parents first: halfway, they could be nested too deep.
    update public.themes t set parent_id = null
    from jsonb_each(c.before -> 'themes') k
    where t.id = k.key::uuid
      and t.parent_id is not null
      and t.parent_id::text is distinct from k.value ->> 'parent_id';
    update public.themes t set
      parent_id = r.parent_id,
      name = r.name,
      description = r.description,
      memo = r.memo,
      color = r.color,
      origin = r.origin,
      status = r.status,
      merged_into = r.merged_into,
      position = r.position
    from jsonb_each(c.before -> 'themes') k
    cross join lateral jsonb_populate_record(null::public.themes, k.value) r
    where k.value <> 'null' and t.id = r.id and private.kept_of_theme(t) <> k.value;
    delete from public.evidence_themes l
    using jsonb_each(links) k
    where k.value -> 'before' = 'null'
      and l.evidence_id = split_part(k.key, ' ', 1)::uuid
      and l.theme_id = split_part(k.key, ' ', 2)::uuid;
    -- Otherwise the quotes would go elsewhere.
    if exists (
      select
      from jsonb_each(links) k
      join public.themes t on t.id = split_part(k.key, ' ', 2)::uuid
      where k.value -> 'before' <> 'null' and t.merged_into is not null
    ) then
      perform private.refuse_stale_change();
    end if;
    insert into public.evidence_themes as l
    select r.*
    from jsonb_each(links) k
    cross join lateral jsonb_populate_record(
      null::public.evidence_themes,
      private.without_gone(k.value -> 'before' || jsonb_build_object(
        'evidence_id', split_part(k.key, ' ', 1),
        'theme_id', split_part(k.key, ' ', 2),
        'workspace_id', c.workspace_id,
        'project_id', c.project_id,
        'updated_at', now()))
    ) r
    where k.value -> 'before' <> 'null'
    on conflict on constraint evidence_themes_evidence_id_theme_id_key do update set
      origin = excluded.origin,
      review = excluded.review,
      created_by = excluded.created_by;
  exception when unique_violation or foreign_key_violation or check_violation then
    perform private.refuse_stale_change();
  end;
  -- A theme that is merged again has no quotes, and does not end at itself.
  if exists (
    with recursive chain (theme_id, next_id, steps) as (
      select t.id, t.merged_into, 1
      from public.themes t
      where t.id in (select k::uuid from jsonb_object_keys(c.before -> 'themes') k)
        and t.merged_into is not null
      union all
      select h.theme_id, t.merged_into, h.steps + 1
      from chain h
      join public.themes t on t.id = h.next_id
      where h.next_id <> h.theme_id and t.merged_into is not null and h.steps < 1000
    )
    select
    from chain h
    where h.next_id = h.theme_id
      or exists (select from public.evidence_themes l where l.theme_id = h.theme_id)
  ) then
    perform private.refuse_stale_change();
  end if;
  if exists (
    select
    from jsonb_each(c.before -> 'themes') k
    where k.value = 'null' and (
      exists (select from public.evidence_themes l where l.theme_id = k.key::uuid)
      or exists (select from public.comments m where m.theme_id = k.key::uuid)
      or exists (select from public.themes t where t.parent_id = k.key::uuid or t.merged_into = k.key::uuid)
    )
  ) then
    perform private.refuse_stale_change();
  end if;
  delete from public.themes t
  using jsonb_each(c.before -> 'themes') k
  where k.value = 'null' and t.id = k.key::uuid;
  undo := private.end_theme_change(c.project_id);
  update private.theme_changes x set undo_id = coalesce(undo, c.id) where x.id = c.id;
  return (undo, null::uuid);
end $$;
-- +goose StatementEnd
grant execute on function private.undo_theme_change(uuid) to authenticated;

create function private.list_theme_changes(project uuid) returns table (
  id uuid, kind text, actor_id uuid, at timestamptz, undone boolean, name text, themes integer,
  quotes integer
)
language sql stable security definer
set search_path = ''
as $$
  select
    c.id,
    c.kind,
    c.actor,
    c.at,
    c.undo_id is not null,
    c.name,
    c.themes,
    c.quotes
  from private.theme_changes c
  where c.project_id = project
    and c.at > now() - interval '7 days'
    and c.workspace_id = any (array(select private.my_workspaces()))
  order by c.at desc
  limit 50
$$;
grant execute on function private.list_theme_changes(uuid) to authenticated, service_role;

-- Hypotheses ------------------------------------------------------------------------------------------------

-- Supposes what a theme says, with the quotes that count of it and of its parts.
-- +goose StatementBegin
create function private.theme_to_hypothesis(theme uuid, statement text, stance public.evidence_stance)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
  l record;
  added uuid;
  quotes uuid[];
begin
  select * into l from private.lock_themes(array[theme]);
  insert into public.hypotheses (workspace_id, project_id, statement)
  values (l.workspace, l.project, theme_to_hypothesis.statement)
  returning id into added;
  quotes := array(
    select distinct q.evidence_id
    from private.theme_parts() p
    join private.theme_quotes() q on q.theme_id = p.part_id and q.project_id = p.project_id
    where p.theme_id = theme and p.project_id = l.project
  );
  if cardinality(quotes) > 20000 then
    raise exception 'One change may concern 20000 quotes.'
      using errcode = 'PT413', hint = 'Split the theme first.';
  end if;
  -- What a model suggested and a person used is kept by later runs.
  update public.evidence e set
    edited_at = now(),
    edited_by = (select p.id from public.profiles p where p.id = caller)
  where e.id = any (quotes) and e.origin <> 'human' and e.edited_at is null;
  insert into public.evidence_hypotheses (evidence_id, hypothesis_id, workspace_id, project_id, stance)
  select q, added, l.workspace, l.project, theme_to_hypothesis.stance
  from unnest(quotes) q;
  perform private.spend_budget(1000 + 500 * cardinality(quotes));
  return added;
end $$;
-- +goose StatementEnd
grant execute on function private.theme_to_hypothesis(uuid, text, public.evidence_stance) to authenticated;

reset role;

-- +goose StatementBegin
create function public.merge_themes("from" uuid[], "into" uuid) returns public.theme_change
language sql volatile begin atomic
  select m.change_id, m.theme_id from private.merge_themes("from", "into") m;
end;
-- +goose StatementEnd
comment on function public.merge_themes is
  'Gives the quotes of themes, and the themes within them, to another one. What was merged is archived, and '
  'refers to it in merged_into. undo_theme_change undoes it.';
grant execute on function public.merge_themes(uuid[], uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.split_theme(theme uuid, evidence uuid[], name text) returns public.theme_change
language sql volatile begin atomic
  select m.change_id, m.theme_id from private.split_theme(theme, evidence, name) m;
end;
-- +goose StatementEnd
comment on function public.split_theme is
  'Gives quotes of a theme to a new one beside it, whose id is theme_id. undo_theme_change undoes it.';
grant execute on function public.split_theme(uuid, uuid[], text) to authenticated, service_role;

-- +goose StatementBegin
create function public.move_evidence(evidence uuid[], theme uuid, "from" uuid default null)
returns public.theme_change
language sql volatile begin atomic
  select m.change_id, m.theme_id from private.move_evidence(evidence, theme, "from") m;
end;
-- +goose StatementEnd
comment on function public.move_evidence is
  'Moves quotes out of a theme, or without one out of all their themes, into another one, or with null into '
  'none. undo_theme_change undoes it.';
grant execute on function public.move_evidence(uuid[], uuid, uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.undo_theme_change(id uuid) returns public.theme_change
language sql volatile begin atomic
  select m.change_id, m.theme_id from private.undo_theme_change(id) m;
end;
-- +goose StatementEnd
comment on function public.undo_theme_change is
  'Undoes a change of themes, whoever made it: everything is as it was. 409 if what it changed has been '
  'changed since. What undid it can be undone too.';
grant execute on function public.undo_theme_change(uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.theme_changes(project uuid) returns table (
  id uuid, kind text, actor_id uuid, at timestamptz, undone boolean, name text, themes integer,
  quotes integer
)
language sql stable begin atomic
  select c.id, c.kind, c.actor_id, c.at, c.undone, c.name, c.themes, c.quotes
  from private.list_theme_changes(project) c;
end;
-- +goose StatementEnd
comment on function public.theme_changes is
  'The latest fifty changes of themes and of their quotes in a project, the newest first. kind is add, '
  'rename, nest, archive (or back), change, delete, assign, merge, split, move or undo. name is of one of '
  'the themes.';
grant execute on function public.theme_changes(uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.theme_to_hypothesis(
  theme uuid, statement text, stance public.evidence_stance default 'supports'
) returns uuid
language sql volatile begin atomic
  select private.theme_to_hypothesis(theme, statement, stance);
end;
-- +goose StatementEnd
comment on function public.theme_to_hypothesis is
  'Makes a hypothesis of a theme, linked to the quotes that count of it and of the themes within it. Returns '
  'its id.';
grant execute on function public.theme_to_hypothesis(uuid, text, public.evidence_stance)
to authenticated, service_role;
