-- +goose Up
-- Themes: what people say that no hypothesis foresaw. A theme groups quotes, which need no hypothesis. People
-- write memos and comments about both. Every change of themes and of their quotes can be undone.

-- Themes ----------------------------------------------------------------------------------------------------

create type public.theme_origin as enum ('human', 'ai');
create type public.theme_status as enum ('proposed', 'active', 'archived');

-- Setting one column of a composite key to null needs PostgreSQL 15, so that parent_id and merged_into refer
-- to the id alone: check_parent compares the projects, and clients do not set merged_into.
create table public.themes (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  parent_id uuid constraint themes_parent_id_fkey references public.themes (id) on delete set null,
  name text not null constraint themes_name_check check (length(name) between 1 and 120),
  description text not null default ''
    constraint themes_description_length check (length(description) <= 2000),
  memo text not null default '' constraint themes_memo_length check (length(memo) <= 20000),
  color text not null constraint themes_color_check check (color ~ '^#[0-9a-f]{6}$'),
  origin public.theme_origin not null default 'human',
  status public.theme_status not null default 'active',
  merged_into uuid
    constraint themes_merged_into_fkey references public.themes (id) on delete set null
    constraint themes_merged_into_check check (merged_into is null or status = 'archived'),
  position double precision not null
    constraint themes_position_check check (position > '-infinity' and position < 'infinity'),
  created_by uuid constraint themes_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint themes_pkey primary key (id),
  constraint themes_id_project_id_key unique (id, project_id),
  constraint themes_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create unique index themes_name_key on public.themes (project_id, private.fold(name));
create index themes_project_id_idx on public.themes (project_id, position);
create index themes_workspace_id_idx on public.themes (workspace_id);
create index themes_parent_id_idx on public.themes (parent_id);
create index themes_merged_into_idx on public.themes (merged_into);
create index themes_created_by_idx on public.themes (created_by);
comment on table public.themes is
  'Groups of quotes by what they are about. A project has each name once, whatever its capitals.';
comment on column public.themes.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.themes.parent_id is
  'The theme that it is part of; null at the top. Themes are nested four deep at most.';
comment on column public.themes.description is 'What belongs to the theme, and what does not.';
comment on column public.themes.memo is 'What people think about the theme.';
comment on column public.themes.color is '#rrggbb. Filled by the database if left out.';
comment on column public.themes.origin is 'human or ai; filled by the database.';
comment on column public.themes.status is
  'proposed by a model, active, or archived. A person who edits a proposed theme, or gives it a quote, makes '
  'it active. A model does not propose an archived one again.';
comment on column public.themes.merged_into is
  'The theme that has its quotes since merge_themes; null for none. Filled by the database.';
comment on column public.themes.position is
  'Themes are sorted by it. A theme moves between two others by a number between theirs. Filled by the '
  'database if left out. A new theme comes last.';
comment on column public.themes.created_by is
  'Who added it; null for a proposed one. Filled by the database.';

alter table public.themes enable row level security;
alter table public.themes force row level security;
create policy service on public.themes to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.themes for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.themes for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.themes for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.themes for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.themes to authenticated, service_role;

-- Clients cannot choose the origin, propose themes, or say where one was merged.
-- +goose StatementBegin
create function private.stamp_theme() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if length(new.name) <= 1000 then
    new.name := btrim(regexp_replace(new.name, '[' || private.white_space() || ']+', ' ', 'g'));
  end if;
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.origin := 'human';
    new.merged_into := null;
    if new.status = 'proposed' then
      new.status := 'active';
    end if;
    return new;
  end if;
  new.origin := old.origin;
  if new.status = 'proposed' then
    new.status := case
      when (new.name, new.description, new.memo, new.parent_id)
        is not distinct from (old.name, old.description, old.memo, old.parent_id) then old.status
      when old.status = 'proposed' then 'active'
      else old.status
    end;
  end if;
  new.merged_into := case when new.status = 'archived' then old.merged_into end;
  return new;
end $$;
-- +goose StatementEnd

set local role service_role;

-- Fills what a client leaves out: a color that differs from those before, and the last place.
-- +goose StatementBegin
create function private.place_theme() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- Readable on white and on black.
  colors constant text[] := array[
    '#2f6fde', '#d9480f', '#2b8a3e', '#9c36b5', '#c2255c', '#0c8599', '#a66e00', '#5f3dc4', '#5c940d',
    '#e03131', '#1971c2', '#846358'
  ];
begin
  if not private.caller_may_see(new.workspace_id) then
    return new; -- the policy rejects it
  end if;
  if new.color is null then
    new.color := colors[1 + (
      select count(*) % cardinality(colors) from public.themes t where t.project_id = new.project_id
    )];
  end if;
  if new.position is null then
    new.position := coalesce(
      (select max(t.position) from public.themes t where t.project_id = new.project_id), 0) + 1;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A theme is part of a theme of its project, not of itself, and at most four deep. The project is locked, so
-- that two themes cannot become part of each other.
-- +goose StatementBegin
create function private.check_parent() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  above integer;
  below integer;
begin
  if not private.caller_may_see(new.workspace_id) then
    return new; -- the policy rejects it
  end if;
  perform from public.themes t where t.id = new.parent_id for key share;
  perform from public.projects p where p.id = new.project_id for no key update;
  if not exists (
    select from public.themes t where t.id = new.parent_id and t.project_id = new.project_id
  ) then
    raise exception 'the project has no such theme'
      using errcode = 'foreign_key_violation', table = tg_table_name, constraint = 'themes_parent_id_fkey';
  end if;
  with recursive up (id, steps) as (
    select new.parent_id, 1
    union all
    select t.parent_id, u.steps + 1
    from up u
    join public.themes t on t.id = u.id
    where t.parent_id is not null and u.steps < 10
  )
  select max(u.steps) + coalesce(max(100) filter (where u.id = new.id), 0) into above from up u;
  with recursive down (id, steps) as (
    select new.id, 0
    union all
    select t.id, d.steps + 1
    from down d
    join public.themes t on t.parent_id = d.id
    where d.steps < 10
  )
  select max(d.steps) into below from down d;
  if above >= 100 then
    raise exception 'a theme cannot be part of itself'
      using errcode = 'check_violation', constraint = 'themes_parent_check';
  elsif above + below > 3 then
    raise exception 'themes are nested four deep at most'
      using errcode = 'check_violation', constraint = 'themes_parent_check';
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;

create trigger t0_needs_project before insert on public.themes
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t0_needs_name before insert on public.themes
for each row when (new.name is null) execute function private.refuse_null('name');
create trigger t1_key before update on public.themes
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.themes
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.themes
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
create trigger t2_origin before insert or update on public.themes
for each row execute function private.stamp_theme();
create trigger t2_stamp before insert or update on public.themes
for each row execute function private.stamp();
create trigger t3_place before insert or update on public.themes
for each row when (new.color is null or new.position is null) execute function private.place_theme();
create trigger t3_parent before insert on public.themes
for each row when (new.parent_id is not null) execute function private.check_parent();
create trigger t3_parent_changed before update on public.themes
for each row when (new.parent_id is not null and new.parent_id is distinct from old.parent_id)
execute function private.check_parent();
create trigger t9_activity after insert or update or delete on public.themes
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();

-- The quotes of themes --------------------------------------------------------------------------------------

create table public.evidence_themes (
  evidence_id uuid not null,
  theme_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  origin public.theme_origin not null default 'human',
  review public.evidence_review not null default 'accepted',
  created_by uuid
    constraint evidence_themes_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- As in public.evidence_hypotheses.
  constraint evidence_themes_pkey primary key (evidence_id, theme_id, project_id),
  constraint evidence_themes_evidence_id_theme_id_key unique (evidence_id, theme_id),
  constraint evidence_themes_evidence_id_fkey foreign key (evidence_id, project_id)
    references public.evidence (id, project_id) on delete cascade,
  constraint evidence_themes_theme_id_fkey foreign key (theme_id, project_id)
    references public.themes (id, project_id) on delete cascade,
  constraint evidence_themes_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index evidence_themes_theme_id_idx on public.evidence_themes (theme_id, created_at);
create index evidence_themes_project_id_idx on public.evidence_themes (project_id, created_at);
create index evidence_themes_workspace_id_idx on public.evidence_themes (workspace_id);
create index evidence_themes_created_by_idx on public.evidence_themes (created_by);
comment on table public.evidence_themes is 'Which quotes belong to which themes. A quote can have several.';
comment on column public.evidence_themes.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.evidence_themes.project_id is
  'The project of the theme. Filled by the database if left out.';
comment on column public.evidence_themes.theme_id is
  'A quote that is given to a theme that was merged goes to the one that has its quotes.';
comment on column public.evidence_themes.origin is
  'Who gave the quote to the theme: human or ai. Filled by the database.';
comment on column public.evidence_themes.review is
  'suggested by a model, until a person accepts or rejects it. A rejected quote does not count.';
comment on column public.evidence_themes.created_by is
  'Who gave the quote to the theme; null for a model. Filled by the database.';

alter table public.evidence_themes enable row level security;
alter table public.evidence_themes force row level security;
create policy service on public.evidence_themes to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.evidence_themes for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.evidence_themes for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.evidence_themes for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.evidence_themes for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.evidence_themes to authenticated, service_role;

-- What a person gives to a theme is accepted.
-- +goose StatementBegin
create function private.stamp_theme_link() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.origin := 'human';
    if new.review = 'suggested' then
      new.review := 'accepted';
    end if;
  elsif (new.evidence_id, new.theme_id) <> (old.evidence_id, old.theme_id) then
    new.origin := 'human';
    new.review := 'accepted';
    new.created_by := auth.uid();
  else
    new.origin := old.origin;
  end if;
  return new;
end $$;
-- +goose StatementEnd

set local role service_role;

-- The theme that has the quotes of a theme since it was merged, which may be itself; null if there is none
-- that the caller may see. It is locked, so that it is not merged at the same time.
-- +goose StatementBegin
create function private.merged_to(theme uuid) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  t public.themes;
begin
  select * into t
  from public.themes x
  where x.id = theme and private.caller_may_see(x.workspace_id)
  for key share;
  while t.merged_into is not null loop
    select * into t from public.themes x where x.id = t.merged_into for key share;
  end loop;
  return t.id;
end $$;
-- +goose StatementEnd

-- Fills the project, and follows a theme to the one that it was merged into.
-- +goose StatementBegin
create function private.fill_project_of_theme_link() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.themes;
begin
  select * into t from public.themes x where x.id = private.merged_to(new.theme_id);
  if t.id is not null then
    new.theme_id := t.id;
    if tg_op = 'INSERT' and new.project_id is null then
      new.project_id := t.project_id;
    end if;
  end if;
  if tg_op = 'INSERT' and new.project_id is null then
    return new; -- fill_workspace leaves the workspace null, and the policy rejects the row
  end if;
  if current_setting('role', true) in ('anon', 'authenticated')
    and t.project_id is distinct from new.project_id
    and exists (
      select from public.projects p where p.id = new.project_id and private.caller_may_see(p.workspace_id)
    )
  then
    raise exception 'the project has no such theme'
      using errcode = 'foreign_key_violation', table = tg_table_name,
      constraint = 'evidence_themes_theme_id_fkey';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A proposed theme that a person gives a quote, or accepts a quote of, is theirs.
-- +goose StatementBegin
create function private.adopt_themes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.themes t set status = 'active'
  where t.status = 'proposed'
    and t.id in (select n.theme_id from new_rows n where n.review = 'accepted');
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t0_needs_evidence before insert on public.evidence_themes
for each row when (new.evidence_id is null) execute function private.refuse_null('evidence_id');
create trigger t0_needs_theme before insert on public.evidence_themes
for each row when (new.theme_id is null) execute function private.refuse_null('theme_id');
create trigger t0_project before insert on public.evidence_themes
for each row execute function private.fill_project_of_theme_link();
create trigger t0_project_changed before update on public.evidence_themes
for each row when (
  (old.evidence_id, old.theme_id, old.project_id) <> (new.evidence_id, new.theme_id, new.project_id)
)
execute function private.fill_project_of_theme_link();
create trigger t1_workspace before insert or update on public.evidence_themes
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.evidence_themes
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
-- The name sorts after t2_creator: who moves a quote gave it to the theme.
create trigger t2_origin before insert or update on public.evidence_themes
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_theme_link();
create trigger t2_stamp before insert or update on public.evidence_themes
for each row execute function private.stamp();
-- The names sort after t9_change: what the person did comes first.
create trigger t9_then_adopt_inserted after insert on public.evidence_themes referencing new table as new_rows
for each statement when (current_setting('role', true) = 'authenticated')
execute function private.adopt_themes();
create trigger t9_then_adopt_updated after update on public.evidence_themes referencing new table as new_rows
for each statement when (current_setting('role', true) = 'authenticated')
execute function private.adopt_themes();

-- Comments --------------------------------------------------------------------------------------------------

create table public.comments (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  evidence_id uuid,
  theme_id uuid,
  body text not null
    constraint comments_body_check
    check (length(body) <= 4000 and btrim(body, e' \t\r\n') <> ''),
  mentions uuid[] not null default '{}'
    constraint comments_mentions_length check (cardinality(mentions) <= 20),
  edited_at timestamptz,
  created_by uuid constraint comments_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint comments_pkey primary key (id),
  constraint comments_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint comments_evidence_id_fkey foreign key (evidence_id, project_id)
    references public.evidence (id, project_id) on delete cascade,
  constraint comments_theme_id_fkey foreign key (theme_id, project_id)
    references public.themes (id, project_id) on delete cascade,
  constraint comments_subject_check check (num_nonnulls(evidence_id, theme_id) = 1)
);
create index comments_project_id_idx on public.comments (project_id, created_at);
create index comments_workspace_id_idx on public.comments (workspace_id, created_at);
create index comments_evidence_id_idx on public.comments (evidence_id, created_at);
create index comments_theme_id_idx on public.comments (theme_id, created_at);
create index comments_created_by_idx on public.comments (created_by);
comment on table public.comments is
  'What members say to each other about a quote or a theme. Editors write them, and change their own; admins '
  'delete those of others.';
comment on column public.comments.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.comments.project_id is
  'The project of the quote or the theme. Filled by the database if left out.';
comment on column public.comments.evidence_id is 'The quote that it is about; null for a theme.';
comment on column public.comments.theme_id is 'The theme that it is about; null for a quote.';
comment on column public.comments.body is 'Plain text, at most 4000 characters.';
comment on column public.comments.mentions is
  'The members of the workspace whose digest carries it, at most twenty.';
comment on column public.comments.edited_at is
  'When its author last changed the words; null if never. Filled by the database.';
comment on column public.comments.created_by is 'Who wrote it. Filled by the database.';

alter table public.comments enable row level security;
alter table public.comments force row level security;
create policy service on public.comments to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.comments for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.comments for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.comments for update to authenticated
using (
  created_by = (select auth.uid()) and workspace_id = any (array(select private.my_workspaces('editor')))
)
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.comments for delete to authenticated
using (
  created_by = (select auth.uid()) and workspace_id = any (array(select private.my_workspaces('editor')))
  or workspace_id = any (array(select private.my_workspaces('admin')))
);
grant select, insert, update, delete on public.comments to authenticated, service_role;

set local role service_role;

-- Fills what a client leaves out, and when the words were changed.
-- +goose StatementBegin
create function private.fill_project_of_comment() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if (new.evidence_id, new.theme_id) is distinct from (old.evidence_id, old.theme_id) then
      raise exception 'a comment cannot move to another quote or theme'
        using errcode = 'check_violation', constraint = 'comments_subject_kept',
        hint = 'Write a new one there.';
    end if;
    new.edited_at := case when new.body <> old.body then now() else old.edited_at end;
    return new;
  end if;
  new.edited_at := case when current_setting('research.removing', true) = 'on' then new.edited_at end;
  if new.project_id is null then
    new.project_id := coalesce(
      (
        select e.project_id from public.evidence e
        where e.id = new.evidence_id and private.caller_may_see(e.workspace_id)
      ),
      (
        select t.project_id from public.themes t
        where t.id = new.theme_id and private.caller_may_see(t.workspace_id)
      )
    );
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- Who is mentioned must be a member, and is named once.
-- +goose StatementBegin
create function private.check_mentions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if cardinality(new.mentions) > 20 or not private.caller_may_see(new.workspace_id) then
    return new; -- a constraint or the policy rejects it
  end if;
  if exists (
    select
    from unnest(new.mentions) m (id)
    where not exists (
      select from public.workspace_members w where w.workspace_id = new.workspace_id and w.user_id = m.id
    )
  ) then
    raise exception 'only members of the workspace can be mentioned'
      using errcode = 'check_violation', constraint = 'comments_mentions_members';
  end if;
  new.mentions := array(
    select m.id from unnest(new.mentions) with ordinality m (id, place) group by m.id order by min(m.place)
  );
  return new;
end $$;
-- +goose StatementEnd

-- Who is mentioned in a comment that was written before. The event names only those who were not.
-- +goose StatementBegin
create function private.record_mentions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  values (
    new.workspace_id,
    new.project_id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    'mentioned',
    'comment',
    new.id,
    jsonb_build_object('mentioned', array(
      select m.id from unnest(new.mentions) with ordinality m (id, place)
      where m.id <> all (old.mentions)
      order by m.place
    ))
  );
  return null;
end $$;
-- +goose StatementEnd

-- Who leaves is no longer mentioned.
-- +goose StatementBegin
create function private.forget_mentions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.comments c set mentions = array_remove(c.mentions, old.user_id)
  where c.workspace_id = old.workspace_id and old.user_id = any (c.mentions);
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t0_project before insert or update on public.comments
for each row execute function private.fill_project_of_comment();
create trigger t0_project_needed before insert on public.comments
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_key before update on public.comments
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.comments
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.comments
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
create trigger t2_stamp before insert or update on public.comments
for each row execute function private.stamp();
create trigger t3_mentions before insert or update of mentions on public.comments
for each row when (current_user in ('anon', 'authenticated') and new.mentions <> '{}')
execute function private.check_mentions();
create trigger t9_activity after insert or delete on public.comments
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_mentioned after update of mentions on public.comments
for each row when (
  not new.mentions <@ old.mentions and coalesce(current_setting('research.removing', true), '') <> 'on'
)
execute function private.record_mentions();
create trigger t9_mentions after delete on public.workspace_members
for each row execute function private.forget_mentions();

set local role service_role;

-- Whether a person has given a quote to a theme, judged what a model gave it to, or commented on it. Later
-- runs keep such a quote.
create function private.has_notes(e public.evidence) returns boolean
language sql stable
set search_path = ''
return exists (
    select
    from public.evidence_themes l
    where l.evidence_id = e.id and (l.origin = 'human' or l.review <> 'suggested')
  )
  or exists (select from public.comments c where c.evidence_id = e.id);

grant execute on function private.person_of(uuid, uuid, text) to authenticated;

-- Whether a comment is news for the caller, who did not write it: it mentions them, or is about what they
-- made or commented on. With the caller's rights.
create function private.concerns_caller(c public.comments) returns boolean
language sql stable
set search_path = ''
return c.created_by is distinct from auth.uid() and (
  auth.uid() = any (c.mentions)
  or exists (select from public.evidence e where e.id = c.evidence_id and e.created_by = auth.uid())
  or exists (select from public.themes t where t.id = c.theme_id and t.created_by = auth.uid())
  or exists (
    select
    from public.comments o
    where o.created_by = auth.uid() and (o.evidence_id = c.evidence_id or o.theme_id = c.theme_id)
  )
);
grant execute on function private.concerns_caller(public.comments) to authenticated, service_role;

reset role;

-- How many people -------------------------------------------------------------------------------------------

-- Each theme with itself and the themes within it.
-- +goose StatementBegin
create function private.theme_parts() returns table (
  theme_id uuid, part_id uuid, project_id uuid, workspace_id uuid
)
language sql stable begin atomic
  select w.theme_id, t.id, t.project_id, t.workspace_id
  from public.themes t
  left join public.themes p on p.id = t.parent_id and p.project_id = t.project_id
  left join public.themes q on q.id = p.parent_id and q.project_id = t.project_id
  cross join lateral (values (t.id), (p.id), (q.id), (q.parent_id)) w (theme_id)
  where w.theme_id is not null;
end;
-- +goose StatementEnd

-- The quotes of themes that count, with who said them; without a person where it is doubtful who did, or an
-- interviewer.
-- +goose StatementBegin
create function private.theme_quotes() returns table (
  theme_id uuid, project_id uuid, workspace_id uuid, evidence_id uuid, import_id uuid, participant_id uuid,
  display_name text, person text
)
language sql stable begin atomic
  select
    l.theme_id,
    l.project_id,
    l.workspace_id,
    l.evidence_id,
    s.import_id,
    s.participant_id,
    s.display_name,
    private.person_of(s.participant_id, s.import_id, s.display_name)
  from public.evidence_themes l
  join public.evidence e on e.id = l.evidence_id and e.project_id = l.project_id
  left join public.import_speakers s
    on s.import_id = e.import_id and s.speaker = e.speaker and s.role = 'participant' and e.speaker_confirmed
  where l.review <> 'rejected' and e.review <> 'rejected' and not e.in_progress;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.theme_participants() returns table (
  theme_id uuid, project_id uuid, workspace_id uuid, participant_id uuid, import_id uuid, name text,
  persona_id uuid, quotes bigint
)
language sql stable begin atomic
  select
    v.theme_id,
    v.project_id,
    v.workspace_id,
    v.participant_id,
    v.import_id,
    coalesce(p.name, v.display_name),
    coalesce(
      (select q.persona_id from private.participant_personas() q where q.participant_id = v.participant_id),
      (select i.persona_id from public.imports i where i.id = v.import_id)
    ),
    v.quotes
  from (
    select
      x.theme_id,
      x.project_id,
      x.workspace_id,
      x.participant_id,
      case when x.participant_id is null then x.import_id end as import_id,
      case when x.participant_id is null then x.display_name end as display_name,
      count(*) as quotes
    from private.theme_quotes() x
    where x.person is not null
    group by 1, 2, 3, 4, 5, 6
  ) v
  left join public.participants p on p.id = v.participant_id;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.theme_people() returns table (
  theme_id uuid, project_id uuid, workspace_id uuid, people bigint, quotes bigint, all_people bigint,
  all_quotes bigint
)
language sql stable begin atomic
  select
    w.theme_id,
    w.project_id,
    w.workspace_id,
    count(distinct q.person) filter (where w.part_id = w.theme_id),
    count(distinct q.evidence_id) filter (where w.part_id = w.theme_id),
    count(distinct q.person),
    count(distinct q.evidence_id)
  from private.theme_parts() w
  left join private.theme_quotes() q on q.theme_id = w.part_id and q.project_id = w.project_id
  group by w.theme_id, w.project_id, w.workspace_id;
end;
-- +goose StatementEnd

grant execute on function
  private.theme_parts(), private.theme_quotes(), private.theme_participants(), private.theme_people()
to authenticated, service_role;

create view public.theme_participants as
select
  v.theme_id, v.project_id, v.workspace_id, v.participant_id, v.import_id, v.name, v.persona_id, v.quotes
from private.theme_participants() as v (
  theme_id, project_id, workspace_id, participant_id, import_id, name, persona_id, quotes
);
comment on view public.theme_participants is
  'The people of each theme, and how many quotes of theirs it has. Rejected quotes do not count, nor do '
  'those of interviewers, or where it is doubtful who speaks.';
comment on column public.theme_participants.participant_id is
  'The participant; null for a speaker who is not linked to one.';
comment on column public.theme_participants.import_id is
  'The import of a speaker who is not linked to a participant; otherwise null.';
comment on column public.theme_participants.persona_id is
  'The persona of the person: as in project_people.';
grant select on public.theme_participants to authenticated, service_role;

create view public.theme_people as
select v.theme_id, v.project_id, v.workspace_id, v.people, v.quotes, v.all_people, v.all_quotes
from private.theme_people() as v (
  theme_id, project_id, workspace_id, people, quotes, all_people, all_quotes
);
comment on view public.theme_people is
  'How many people each theme has quotes of, as theme_participants counts them. Of fewer than two, it is one '
  'voice.';
comment on column public.theme_people.quotes is 'Its quotes, without those that were rejected.';
comment on column public.theme_people.all_people is 'People of it and of the themes within it.';
comment on column public.theme_people.all_quotes is 'Quotes of it and of the themes within it.';
grant select on public.theme_people to authenticated, service_role;

-- Limits of writes ------------------------------------------------------------------------------------------

-- As in 0018_quotas.sql and 0020_storage.sql.
-- +goose StatementBegin
do $$
declare
  t record;
begin
  for t in
    select * from (
      values ('themes', 20000), ('evidence_themes', 2000000), ('comments', 200000)
    ) tables (name, most)
  loop
    execute format(
      'create trigger t0_budget before insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.begin_writing();
       create trigger t0_written before insert or update on public.%1$I
       for each row when (current_user = ''authenticated'') execute function private.add_written();
       create trigger t9_written after insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.end_writing();
       create trigger t9_limit after insert on public.%1$I referencing new table as new_rows
       for each statement when (current_setting(''role'', true) = ''authenticated'')
       execute function private.limit_rows(%2$L)',
      t.name, t.most);
  end loop;
end $$;
-- +goose StatementEnd

alter table public.themes
  alter column name set storage external,
  alter column description set storage external,
  alter column memo set storage external,
  alter column color set storage external;
alter table public.comments
  alter column body set storage external,
  alter column mentions set storage external;
