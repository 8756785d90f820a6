-- +goose Up
-- Search in a project. Policies keep the operators of full-text search from being index conditions, because
-- such operators could reveal rows in errors. So the words of transcripts are in a private table, which one
-- function reads with its owner's rights. What it finds is read again with the caller's rights.

-- Words -----------------------------------------------------------------------------------------------------

-- Letters of scripts without spaces between words: Thai and Lao, Burmese, Khmer, Japanese, Chinese. Ranges of
-- code points, unlike classes of letters, do not depend on the locale of the database.
create function private.unspaced_letters() returns text
language sql immutable parallel safe
return '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff'
  '\U00020000-\U0003ffff]';

create function private.without_accents(raw text) returns text
language sql immutable strict parallel safe
return normalize(regexp_replace(normalize(raw, nfkd), '[\u0300-\u036f]+', '', 'g'), nfc);

-- The words of a text for comparisons: in lower case, without accents and punctuation, each between two
-- spaces. A run of letters of scripts without spaces is one word.
-- +goose StatementBegin
create function private.search_fold(raw text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  folded text := private.fold(raw);
begin
  if octet_length(raw) > length(raw) then -- more than ASCII
    -- normalize takes quadratic time for a run of combining characters, and cannot be interrupted.
    if raw ~ '[^ ]{30}' then
      select string_agg(private.without_accents(part[1]), '') into folded
      from regexp_matches(raw, '.{1,30}', 'g') part;
    else
      folded := private.without_accents(raw);
    end if;
    folded := private.fold(folded);
    folded := replace(translate(folded, 'øłđıς', 'oldiσ'), 'ß', 'ss');
    folded := regexp_replace(folded, '(' || private.unspaced_letters() || '+)', ' \1 ', 'g');
  end if;
  return ' ' || ltrim(regexp_replace(folded || ' ',
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u1680\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f'
    '\ufe00-\ufe6f\uff00-\uff0f]+', ' ', 'g'));
end $$;
-- +goose StatementEnd

-- The lexemes of folded words. In scripts without spaces, these are each two neighbouring letters and the
-- last letter of a run, so that every part of the run is found.
-- +goose StatementBegin
create function private.search_lexemes(folded text) returns text[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  if octet_length(folded) = length(folded) then
    return array(select left(word, 64) from string_to_table(btrim(folded), ' ') as word where word <> '');
  end if;
  return array(
    select case when unspaced then substr(word, at, 2) else left(word, 64) end
    from string_to_table(btrim(folded), ' ') as word,
      lateral (select word ~ ('^' || private.unspaced_letters())) as script (unspaced),
      generate_series(1, case when unspaced then length(word) else 1 end) as at
    where word <> '');
end $$;
-- +goose StatementEnd

grant execute on function
  private.unspaced_letters(), private.without_accents(text), private.search_fold(text),
  private.search_lexemes(text)
to authenticated, service_role;

-- The words of transcripts, in blocks of 250 utterances: a position of a lexeme is the place of the utterance
-- in its block, from 1. A tsvector has at most 255 positions of a lexeme.
create table private.transcript_words (
  import_id uuid not null
    constraint transcript_words_import_id_fkey references public.imports (id) on delete cascade,
  block integer not null,
  project_id uuid not null,
  words tsvector not null,
  constraint transcript_words_pkey primary key (import_id, block)
);
create index transcript_words_project_id_idx on private.transcript_words (project_id);
create index transcript_words_words_idx on private.transcript_words using gin (words) with (fastupdate = off);
comment on table private.transcript_words is
  'Where words are in transcripts, for private.search_transcripts. Filled by the database.';
grant select, insert, update, delete on private.transcript_words to service_role;

set local role service_role;

-- Fills the words of imports that have none. The last words of a block that is larger than a tsvector can be,
-- which is a megabyte, are not found.
-- +goose StatementBegin
create function private.index_words(imports uuid[]) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.transcript_words (import_id, block, project_id, words)
  select import_id, block, project_id,
    coalesce(
      string_agg('''' || lexeme || ''':' || positions, ' ') filter (where bytes < 900000), ''
    )::tsvector
  from (
    select import_id, block, project_id, lexeme, positions,
      sum(octet_length(lexeme) + octet_length(positions) + 8)
        over (partition by import_id, block order by lexeme) as bytes
    from (
      select u.import_id, u.ordinal / 250 as block, u.project_id, lexeme,
        string_agg(distinct (u.ordinal % 250 + 1)::text, ',') as positions
      from public.utterances u, unnest(private.search_lexemes(private.search_fold(u.text))) as lexeme
      where u.import_id = any (imports)
      group by 1, 2, 3, 4
    ) as words
  ) as sized
  group by import_id, block, project_id
  on conflict do nothing;
end $$;
-- +goose StatementEnd

-- One statement inserts all utterances of an import.
-- +goose StatementBegin
create function private.index_added_words() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.index_words(array(select distinct a.import_id from added a));
  return null;
end $$;
-- +goose StatementEnd

-- The utterances of a project, or of one of its imports, with all of these lexemes: those marked in prefixes
-- are beginnings of words. It reads at most the given number of blocks with such utterances, those of the
-- newest imports first, and returns the utterances in this order. It returns nothing for a project that the
-- caller may not see.
-- +goose StatementBegin
create function private.search_transcripts(
  project uuid, lexemes text[], prefixes boolean[], import uuid, blocks integer
)
returns table (import_id uuid, ordinal integer)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted constant tsquery := ( -- <0>: at the same position, which is that of an utterance
    select string_agg('''' || l || '''' || case when p then ':*' else '' end, ' <0> ')
    from unnest(lexemes, prefixes) as t (l, p));
begin
  if not exists (
    select from public.projects p where p.id = project and private.caller_may_see(p.workspace_id)
  ) then
    return;
  end if;
  return query
    with newest as materialized (
      select w.import_id, w.block, w.words,
        row_number() over (order by i.created_at desc, w.import_id, w.block) as n
      from private.transcript_words w
      join public.imports i on i.id = w.import_id
      where w.project_id = project and w.words @@ wanted and (import is null or w.import_id = import)
      order by n
      limit blocks
    )
    select b.import_id, b.block * 250 + at - 1
    from newest b,
      unnest(b.words) as w (lexeme, positions, weights),
      unnest(lexemes, prefixes) with ordinality as t (lexeme, is_prefix, n),
      unnest(w.positions) as at
    where case when t.is_prefix then starts_with(w.lexeme, t.lexeme) else w.lexeme = t.lexeme end
    group by b.n, 1, 2
    having count(distinct t.n) = cardinality(lexemes)
    order by b.n, 2;
end $$;
-- +goose StatementEnd
grant execute on function private.search_transcripts(uuid, text[], boolean[], uuid, integer) to authenticated;

reset role;

create trigger t1_words after insert on public.utterances
referencing new table as added
for each statement execute function private.index_added_words();

-- Terms -----------------------------------------------------------------------------------------------------

-- What a person searches for, in at most 200 characters and 12 words. The last word may be the beginning of
-- one, unless it is a single ASCII letter. Words in double quotes must be beside each other.
--
-- lexemes and prefixes are for private.search_transcripts. patterns must all be in a folded text that
-- matches; exact are those of the patterns that the lexemes do not ensure.
-- +goose StatementBegin
create function private.search_terms(
  query text, out lexemes text[], out prefixes boolean[], out patterns text[], out exact text[]
)
language plpgsql immutable
set search_path = ''
as $$
declare
  words text[] := string_to_array(btrim(private.search_fold(left(query, 200))), ' ');
  word text;
  last boolean;
begin
  lexemes := '{}';
  prefixes := '{}';
  patterns := '{}';
  exact := '{}';
  for i in 1 .. least(cardinality(words), 12) loop
    word := words[i];
    continue when word = '';
    last := i = cardinality(words) and word !~ '^[a-z0-9]$';
    if word ~ ('^' || private.unspaced_letters()) then
      lexemes := lexemes || array(
        select substr(word, at, 2) from generate_series(1, greatest(length(word) - 1, 1)) at);
      prefixes := prefixes || array_fill(length(word) = 1, array[greatest(length(word) - 1, 1)]);
      patterns := patterns || word;
      exact := exact || case when length(word) > 2 then array[word] else '{}' end;
    else
      lexemes := lexemes || left(word, 64);
      prefixes := prefixes || last;
      patterns := patterns || (' ' || word || case when last then '' else ' ' end);
    end if;
  end loop;
  for word in
    select btrim(private.search_fold(m[1])) from regexp_matches(left(query, 200), '"([^"]+)"', 'g') m
  loop
    exact := exact || (' ' || word);
    patterns := patterns || (' ' || word);
  end loop;
end $$;
-- +goose StatementEnd

-- Whether a text has all patterns of private.search_terms.
-- +goose StatementBegin
create function private.search_matches(raw text, patterns text[]) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  folded constant text := private.search_fold(raw);
  pattern text;
begin
  foreach pattern in array patterns loop
    if strpos(folded, pattern) = 0 then
      return false;
    end if;
  end loop;
  return true;
end $$;
-- +goose StatementEnd

-- The part of a text around the first pattern, at most 400 characters.
-- +goose StatementBegin
create function private.search_excerpt(raw text, patterns text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  if length(raw) <= 400 then
    return raw;
  end if;
  return substr(raw, greatest(1, strpos(private.fold(raw), btrim(patterns[1])) - 150), 400);
end $$;
-- +goose StatementEnd

-- Whether the words of a name are similar to all words that are searched for: half of the three-letter parts
-- of each, as in pg_trgm. Words of fewer than four letters must be equal.
-- +goose StatementBegin
create function private.search_resembles(raw text, patterns text[]) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  folded constant text := ' ' || private.search_fold(raw);
  pattern text;
  parts text[];
begin
  foreach pattern in array patterns loop
    pattern := '  ' || btrim(pattern) || ' ';
    parts := array(select substr(pattern, at, 3) from generate_series(1, length(pattern) - 2) at);
    if 2 * (select count(*) from unnest(parts) part where strpos(folded, part) > 0) < cardinality(parts)
      or length(pattern) < 7 and strpos(folded, pattern) = 0
    then
      return false;
    end if;
  end loop;
  return true;
end $$;
-- +goose StatementEnd

grant execute on function
  private.search_terms(text), private.search_matches(text, text[]), private.search_excerpt(text, text[]),
  private.search_resembles(text, text[])
to authenticated, service_role;

-- Search ----------------------------------------------------------------------------------------------------

-- Everything is read with the caller's rights; what private.search_transcripts found is read again.
-- +goose StatementBegin
create function public.search_project(project uuid, query text, import uuid default null)
returns table (
  kind text, id uuid, import_id uuid, title text, text text, speaker text, start_ms bigint, ordinal integer,
  found integer, more boolean
)
language plpgsql stable rows 100
set search_path = ''
as $$
#variable_conflict use_column
declare
  terms record;
  most constant integer := case when search_project.import is null then 5 else 200 end;
  blocks integer;
begin
  select t.* into terms from private.search_terms(query) t;
  if cardinality(terms.lexemes) = 0 then
    return;
  end if;
  blocks := case when cardinality(terms.exact) = 0 then 24 else 40 end;

  return query
    with said as materialized (
      select t.*
      from private.search_transcripts(
        search_project.project, terms.lexemes, terms.prefixes, search_project.import, blocks) t
      limit case when blocks = 40 then 1000 end
    ),
    hits as materialized (
      select s.import_id, s.ordinal
      from said s
      where blocks = 24 or exists (
        select
        from public.utterances u
        where u.import_id = s.import_id
          and u.ordinal = s.ordinal
          and private.search_matches(u.text, terms.exact))
    ),
    interviews as materialized (
      select i.id, i.title, i.created_at, h.found
      from (select h.import_id, count(*)::integer as found from hits h group by h.import_id) h
      join public.imports i on i.id = h.import_id
      order by i.created_at desc, i.id
      limit 20
    ),
    utterances as (
      select i.id as import_id, i.title, i.found, i.created_at, u.text, u.speaker, u.start_ms, u.ordinal
      from interviews i
      cross join lateral (
        select h.ordinal from hits h where h.import_id = i.id order by h.ordinal limit most
      ) first
      join public.utterances u on u.import_id = i.id and u.ordinal = first.ordinal
    ),
    places as (
      select e.id, i.id as import_id, i.title, i.created_at, e.quote, e.speaker, e.start_ms, e.utterance_from
      from interviews i
      join public.evidence e on e.import_id = i.id
      join (select h.import_id, array_agg(h.ordinal) as ordinals from hits h group by h.import_id) o
        on o.import_id = i.id
      where e.utterance_from = any (o.ordinals) or e.utterance_to = any (o.ordinals)
    ),
    quotes as (
      (select p.* from places p where private.search_matches(p.quote, terms.patterns) limit 100)
      union all
      select e.id, i.id, i.title, coalesce(i.created_at, e.created_at), e.quote, e.speaker, e.start_ms, null
      from (
        select e.*
        from public.evidence e
        where e.project_id = search_project.project and e.byte_start is null and search_project.import is null
        limit 1000
      ) e
      left join public.imports i on i.id = e.import_id
      where private.search_matches(e.quote, terms.patterns)
    ),
    newest as materialized (
      select i.id, i.title, i.created_at
      from public.imports i
      where i.project_id = search_project.project and search_project.import is null
      order by i.created_at desc
      limit 1000
    ),
    names as materialized (
      select n.*, private.search_matches(n.name, terms.patterns) as same
      from (
        select 'interview' as kind, n.id, n.title, n.created_at, n.title as name
        from newest n
        union all
        select distinct 'speaker', n.id, n.title, n.created_at, coalesce(p.name, s.display_name)
        from newest n
        join public.import_speakers s on s.import_id = n.id
        left join public.participants p on p.id = s.participant_id
      ) n
    ),
    named as (
      select n.*
      from names n
      where n.same or not (select coalesce(bool_or(n.same), false) from names n)
        and private.search_resembles(n.name, terms.patterns)
      order by n.created_at desc, n.id
      limit 20
    ),
    statements as (
      select h.id, h.statement, h.created_at
      from (
        select h.*
        from public.hypotheses h
        where h.project_id = search_project.project and search_project.import is null
        order by h.created_at
        limit 1000
      ) h
      where private.search_matches(h.statement, terms.patterns)
      order by h.created_at
      limit 20
    )
    select f.kind, f.id, f.import_id, f.title, f.text, f.speaker, f.start_ms, f.ordinal, f.found,
      (
        select count(*) >= blocks or count(distinct b.import_id) > 20 or sum(b.said) >= 1000 and blocks = 40
        from (select s.import_id, count(*) as said from said s group by s.import_id, s.ordinal / 250) b
      )
    from (
      select 1 as rank, 'hypothesis' as kind, s.id, null::uuid as import_id, '' as title, s.statement as text,
        '' as speaker, null::bigint as start_ms, null::integer as ordinal, null::integer as found,
        s.created_at
      from statements s
      union all
      select case n.kind when 'interview' then 2 else 3 end, n.kind, n.id, n.id, n.title, n.name, '', null,
        null, null, n.created_at
      from named n
      union all
      select 4, 'utterance', null, u.import_id, u.title, private.search_excerpt(u.text, terms.patterns),
        u.speaker, u.start_ms, u.ordinal, u.found, u.created_at
      from utterances u
      union all
      select 5, 'quote', q.id, q.import_id, q.title, private.search_excerpt(q.quote, terms.patterns),
        q.speaker, q.start_ms, q.utterance_from, null, q.created_at
      from quotes q
    ) f
    order by f.rank = 1 desc, f.created_at desc, f.import_id, f.ordinal nulls first, f.rank, f.id;
end $$;
-- +goose StatementEnd
comment on function public.search_project is
  'Finds words in the transcripts, quotes, hypotheses, titles and speakers of a project, or in one import. '
  'kind is utterance (import_id and ordinal are its key), quote (id is that of the evidence), hypothesis, '
  'interview or speaker. Case and accents do not matter, the last word may be incomplete, and words in '
  'double quotes must be beside each other. Newest interviews first: of twenty, five utterances each; found '
  'says how many there are, and more whether older interviews may have others. text has at most 400 '
  'characters around the first word.';
grant execute on function public.search_project(uuid, text, uuid) to authenticated, service_role;
