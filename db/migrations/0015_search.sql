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

-- A text whose punctuation and white space are single spaces, one of them before and one after the text.
create function private.search_spaced(raw text) returns text
language sql immutable strict parallel safe
return ' ' || ltrim(regexp_replace(raw || ' ',
  '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u1680\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f'
  '\ufe00-\ufe6f\uff00-\uff0f]+', ' ', 'g'));

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
  return private.search_spaced(folded);
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

-- The dictionary that finds stems of words in a language, a BCP 47 tag: one that every PostgreSQL has from 14
-- on. It is null for other languages, and for an unknown one.
create function private.search_dictionary(language text) returns regdictionary
language sql immutable parallel safe
return case split_part(private.fold(language), '-', 1)
  when 'ar' then 'pg_catalog.arabic_stem'::regdictionary
  when 'ca' then 'pg_catalog.catalan_stem'::regdictionary
  when 'da' then 'pg_catalog.danish_stem'::regdictionary
  when 'de' then 'pg_catalog.german_stem'::regdictionary
  when 'el' then 'pg_catalog.greek_stem'::regdictionary
  when 'en' then 'pg_catalog.english_stem'::regdictionary
  when 'es' then 'pg_catalog.spanish_stem'::regdictionary
  when 'eu' then 'pg_catalog.basque_stem'::regdictionary
  when 'fi' then 'pg_catalog.finnish_stem'::regdictionary
  when 'fr' then 'pg_catalog.french_stem'::regdictionary
  when 'ga' then 'pg_catalog.irish_stem'::regdictionary
  when 'hi' then 'pg_catalog.hindi_stem'::regdictionary
  when 'hu' then 'pg_catalog.hungarian_stem'::regdictionary
  when 'hy' then 'pg_catalog.armenian_stem'::regdictionary
  when 'id' then 'pg_catalog.indonesian_stem'::regdictionary
  when 'it' then 'pg_catalog.italian_stem'::regdictionary
  when 'lt' then 'pg_catalog.lithuanian_stem'::regdictionary
  when 'nb' then 'pg_catalog.norwegian_stem'::regdictionary
  when 'ne' then 'pg_catalog.nepali_stem'::regdictionary
  when 'nl' then 'pg_catalog.dutch_stem'::regdictionary
  when 'nn' then 'pg_catalog.norwegian_stem'::regdictionary
  when 'no' then 'pg_catalog.norwegian_stem'::regdictionary
  when 'pt' then 'pg_catalog.portuguese_stem'::regdictionary
  when 'ro' then 'pg_catalog.romanian_stem'::regdictionary
  when 'ru' then 'pg_catalog.russian_stem'::regdictionary
  when 'sr' then 'pg_catalog.serbian_stem'::regdictionary
  when 'sv' then 'pg_catalog.swedish_stem'::regdictionary
  when 'ta' then 'pg_catalog.tamil_stem'::regdictionary
  when 'tr' then 'pg_catalog.turkish_stem'::regdictionary
  when 'yi' then 'pg_catalog.yiddish_stem'::regdictionary
end;

-- The words of a text in lower case, with the accents that stems depend on.
create function private.search_words(raw text) returns text[]
language sql immutable strict parallel safe
return string_to_array(btrim(private.search_spaced(private.fold(raw))), ' ');

-- An American spelling of an English word that has a British one; the word itself if it has none.
create function private.american_spelling(word text) returns text
language sql immutable strict parallel safe
return regexp_replace(regexp_replace(regexp_replace(regexp_replace(word,
  '([a-z]{2})our', '\1or'),
  '([a-z]{3}[iy])s(e|es|ed|er|ers|ing|ation|ations)$', '\1z\2'),
  '([a-z]{2}[bt])re(s?)$', '\1er\2'),
  '([a-z]{3}[aeiou]l)l(ed|er|ers|ing)$', '\1\2');

-- The stems of words in a language, each after the language, so that they are neither words nor stems of
-- other languages. A word can have several: with and without its accents, and of another spelling. In German,
-- ae is ä. It returns none for a language without stems.
-- +goose StatementBegin
create function private.search_stems(words text[], language text) returns table (word text, stem text)
language plpgsql immutable strict parallel safe rows 100
set search_path = ''
as $$
declare
  code constant text := split_part(private.fold(language), '-', 1);
  dictionary constant regdictionary := private.search_dictionary(code);
begin
  if dictionary is null then
    return;
  end if;
  return query
    with spellings (word, spelling) as (
      select w, w from unnest(words) as w where w <> ''
      union
      select w, btrim(private.search_fold(w)) from unnest(words) as w where octet_length(w) > length(w)
      union
      select w, private.american_spelling(w) from unnest(words) as w
      where code = 'en' and w ~ '[a-z]{2}(our|s[ei]|sation|res?$|ll[ei])'
    ),
    stems as (
      -- A stop word has none.
      select s.word, coalesce((ts_lexize(dictionary, s.spelling))[1], s.spelling) as stem
      from spellings s
    ),
    folded as (
      select s.word, case when octet_length(s.stem) > length(s.stem) then btrim(private.search_fold(s.stem))
        else s.stem end as stem
      from stems s
    )
    select distinct f.word, '=' || code || '=' || left(
      case when code = 'de' then regexp_replace(f.stem, '([aou])e', '\1', 'g') else f.stem end, 64)
    from folded f;
end $$;
-- +goose StatementEnd

grant execute on function
  private.unspaced_letters(), private.without_accents(text), private.search_spaced(text),
  private.search_fold(text), private.search_lexemes(text), private.search_dictionary(text),
  private.search_words(text), private.american_spelling(text), private.search_stems(text[], text)
to authenticated, service_role;

-- The words of transcripts and their stems, in blocks of 250 utterances: a position of a lexeme is the place
-- of the utterance in its block, from 1. A tsvector has at most 255 positions of a lexeme.
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
  'Where words and their stems are in transcripts, for private.search_transcripts. Filled by the database.';
grant select, insert, update, delete on private.transcript_words to service_role;

-- A lexeme that the blocks of a project have, and which is no word: with it, the index alone finds the blocks
-- of a project that have a word, however many blocks of other projects have it.
create function private.project_lexeme(project uuid) returns text
language sql immutable strict parallel safe
return '''#' || project || '''';

grant execute on function private.project_lexeme(uuid) to service_role;

set local role service_role;

-- Fills the words of imports that have none. The last words of a block that is larger than a tsvector can be,
-- which is a megabyte, are not found. The planner does not know how many words there are: it would compare
-- each with each stem.
-- +goose StatementBegin
create function private.index_words(imports uuid[]) returns void
language plpgsql security definer
set search_path = ''
set enable_nestloop = off
as $$
begin
  insert into private.transcript_words (import_id, block, project_id, words)
  with said as materialized (
    select u.import_id, u.ordinal / 250 as block, u.project_id, u.ordinal % 250 + 1 as position, u.text,
      (select i.language from public.imports i where i.id = u.import_id) as language
    from public.utterances u
    where u.import_id = any (imports)
  ),
  spoken as materialized (
    select s.import_id, s.block, s.project_id, s.language, word, array_agg(distinct s.position) as positions
    from said s, unnest(private.search_words(s.text)) as word
    where private.search_dictionary(s.language) is not null
    group by 1, 2, 3, 4, 5
  ),
  stems as materialized (
    select b.import_id, b.block, s.word, s.stem
    from (
      select s.import_id, s.block, s.language, array_agg(s.word) as words from spoken s group by 1, 2, 3
    ) b, private.search_stems(b.words, b.language) s
  ),
  lexemes as (
    select s.import_id, s.block, s.project_id, lexeme, false as is_stem,
      string_agg(distinct s.position::text, ',') as positions
    from said s, unnest(private.search_lexemes(private.search_fold(s.text))) as lexeme
    group by 1, 2, 3, 4
    union all
    select s.import_id, s.block, s.project_id, t.stem, true, string_agg(distinct position::text, ',')
    from spoken s
    join stems t on t.import_id = s.import_id and t.block = s.block and t.word = s.word,
      unnest(s.positions) as position
    group by 1, 2, 3, 4
  )
  select import_id, block, project_id,
    (private.project_lexeme(project_id) || coalesce(
      string_agg(' ''' || lexeme || ''':' || positions, '') filter (where bytes < 900000), ''
    ))::tsvector
  from (
    select import_id, block, project_id, lexeme, positions,
      sum(octet_length(lexeme) + octet_length(positions) + 8)
        over (partition by import_id, block order by is_stem, lexeme) as bytes
    from lexemes
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

-- Stems depend on the language of an import, which another reading of its file can change.
-- +goose StatementBegin
create function private.index_words_again() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.transcript_words w where w.import_id = new.id;
  perform private.index_words(array[new.id]);
  return null;
end $$;
-- +goose StatementEnd

-- The utterances of a project, or of some of its imports, with all of these lexemes: those marked in prefixes
-- are beginnings of words. Instead of a lexeme, an utterance may have a stem of it; stem_of has the places of
-- the lexemes of the stems. is_exact marks utterances that have all lexemes.
--
-- It reads at most the given number of blocks with such utterances, those with all lexemes and then those of
-- the newest imports first, and returns the utterances in this order. It returns nothing for a project that
-- the caller may not see.
-- +goose StatementBegin
create function private.search_transcripts(
  project uuid, lexemes text[], prefixes boolean[], stems text[], stem_of integer[], imports uuid[],
  blocks integer
)
returns table (import_id uuid, ordinal integer, is_exact boolean)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  exactly constant tsquery := ( -- <0>: at the same position, which is that of an utterance
    select string_agg('''' || l || '''' || case when p then ':*' else '' end, ' <0> ')
    from unnest(lexemes, prefixes) as t (l, p));
  wanted constant tsquery := (
    select string_agg('(' || concat_ws(' | ', '''' || l || '''' || case when p then ':*' else '' end, (
        select string_agg('''' || s.stem || '''', ' | ')
        from unnest(stems, stem_of) as s (stem, n)
        where s.n = t.n
      )) || ')', ' <0> ')
    from unnest(lexemes, prefixes) with ordinality as t (l, p, n));
begin
  if not exists (
    select from public.projects p where p.id = project and private.caller_may_see(p.workspace_id)
  ) then
    return;
  end if;
  return query
    with newest as materialized (
      select w.import_id, w.block, w.words,
        row_number() over (
          order by cardinality(stems) = 0 or w.words @@ exactly desc, i.created_at desc, w.import_id, w.block
        ) as n
      from private.transcript_words w
      join public.imports i on i.id = w.import_id
      where w.project_id = project and w.words @@ wanted
        and (imports is null or w.import_id = any (imports))
      order by n
      limit blocks
    ),
    alternatives as (
      select t.lexeme, t.is_prefix, t.n, true as is_lexeme
      from unnest(lexemes, prefixes) with ordinality as t (lexeme, is_prefix, n)
      union all
      select s.stem, false, s.n, false
      from unnest(stems, stem_of) as s (stem, n)
    ),
    found as (
      select b.n as block_n, b.import_id, b.block * 250 + at - 1 as ordinal,
        count(distinct a.n) filter (where a.is_lexeme) = cardinality(lexemes) as is_exact
      from newest b,
        unnest(b.words) as w (lexeme, positions, weights),
        alternatives a,
        unnest(w.positions) as at
      where case when a.is_prefix then starts_with(w.lexeme, a.lexeme) else w.lexeme = a.lexeme end
      group by 1, 2, 3
      having count(distinct a.n) = cardinality(lexemes)
    )
    select f.import_id, f.ordinal, f.is_exact
    from found f
    order by f.is_exact desc, f.block_n, f.ordinal;
end $$;
-- +goose StatementEnd
grant execute on function
  private.search_transcripts(uuid, text[], boolean[], text[], integer[], uuid[], integer)
to authenticated;

reset role;

create trigger t1_words after insert on public.utterances
referencing new table as added
for each statement execute function private.index_added_words();

create trigger t4_words after update of language on public.imports
for each row when (old.language is distinct from new.language)
execute function private.index_words_again();

-- Terms -----------------------------------------------------------------------------------------------------

-- What a person searches for, in at most 200 characters and 12 words. The last word may be the beginning of
-- one, unless it is a single ASCII letter or in double quotes. Words in double quotes are whole, and must be
-- beside each other.
--
-- lexemes and prefixes are for private.search_transcripts. patterns must all be in a folded text that
-- matches; exact are those of the patterns that the lexemes do not ensure. Instead of a word, a text may have
-- one of its stems in these languages; stem_of has the place of the word in lexemes and in patterns. Words in
-- double quotes have none.
-- +goose StatementBegin
create function private.search_terms(
  query text, languages text[],
  out lexemes text[], out prefixes boolean[], out patterns text[], out exact text[], out stems text[],
  out stem_of integer[]
)
language plpgsql immutable
set search_path = ''
as $$
declare
  asked constant text := left(query, 200);
  words constant text[] := string_to_array(btrim(private.search_fold(asked)), ' ');
  quoted constant text[] := array(
    select btrim(private.search_fold(m[1])) from regexp_matches(asked, '"([^"]+)"', 'g') m);
  spelled constant text[] := private.search_words(asked);
  after_quoted constant text := substring(
    regexp_replace(asked, '"[^"]+"', E'\u0001', 'g') from '\u0001([^\u0001]*)$');
  ends_quoted constant boolean := coalesce(btrim(private.search_fold(after_quoted)) = '', false);
  unspaced text[] := '{}';
  word text;
  is_last boolean;
begin
  lexemes := '{}';
  prefixes := '{}';
  patterns := '{}';
  exact := '{}';
  stems := '{}';
  stem_of := '{}';
  for i in 1 .. least(cardinality(words), 12) loop
    word := words[i];
    continue when word = '';
    if word ~ ('^' || private.unspaced_letters()) then
      unspaced := unspaced || word;
      continue;
    end if;
    is_last := i = cardinality(words) and word !~ '^[a-z0-9]$' and not ends_quoted;
    lexemes := lexemes || left(word, 64);
    prefixes := prefixes || is_last;
    patterns := patterns || (' ' || word || case when is_last then '' else ' ' end);
    continue when word = any (string_to_array(array_to_string(quoted, ' '), ' '));
    stems := stems || array(
      select distinct s.stem
      from unnest(languages) as language, private.search_stems(
        array(select w from unnest(spelled) as w where btrim(private.search_fold(w)) = word) || word, language
      ) s);
    stem_of := stem_of || array_fill(cardinality(lexemes), array[cardinality(stems) - cardinality(stem_of)]);
  end loop;
  foreach word in array unspaced loop
    lexemes := lexemes || array(
      select substr(word, at, 2) from generate_series(1, greatest(length(word) - 1, 1)) at);
    prefixes := prefixes || array_fill(length(word) = 1, array[greatest(length(word) - 1, 1)]);
    patterns := patterns || word;
    exact := exact || case when length(word) > 2 then array[word] else '{}' end;
  end loop;
  foreach word in array quoted loop
    -- A run of letters of scripts without spaces is part of a longer one.
    word := case when word ~ ('^' || private.unspaced_letters()) then '' else ' ' end || word
      || case when word ~ (private.unspaced_letters() || '$') then '' else ' ' end;
    exact := exact || word;
    patterns := patterns || word;
  end loop;
end $$;
-- +goose StatementEnd

-- The words of a query that say what it is about, without those that the languages have everywhere: the first
-- twelve. If it has no others, these are all of them.
-- +goose StatementBegin
create function private.search_content(query text, languages text[]) returns text[]
language sql immutable
begin atomic
  with words as (
    select w.word, min(w.n) as n, not exists (
        select from unnest(languages || 'en'::text) as language
        where ts_lexize(private.search_dictionary(language), w.word) = '{}'
      ) as has_content
    from unnest(private.search_words(left(query, 1000))) with ordinality as w (word, n)
    where w.word <> ''
    group by w.word
  )
  select array(
    select w.word
    from words w
    where w.has_content or not exists (select from words x where x.has_content)
    order by w.n
    limit 12
  );
end;
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

-- Whether a text in one of these languages has all patterns of private.search_terms, or stems of them.
-- +goose StatementBegin
create function private.search_matches(
  raw text, patterns text[], stems text[], stem_of integer[], languages text[]
) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  folded constant text := private.search_fold(raw);
  have text[];
begin
  for i in 1 .. cardinality(patterns) loop
    continue when strpos(folded, patterns[i]) > 0;
    if i <> all (stem_of) then
      return false;
    end if;
    have := coalesce(have, array(
      select s.stem
      from unnest(languages) as language, private.search_stems(private.search_words(raw), language) s));
    if not exists (
      select from unnest(stems, stem_of) as s (stem, n) where s.n = i and s.stem = any (have)
    ) then
      return false;
    end if;
  end loop;
  return true;
end $$;
-- +goose StatementEnd

-- Whether a text has all patterns of private.search_terms, or forms of them: folded words between two spaces.
-- +goose StatementBegin
create function private.search_matches(
  raw text, patterns text[], forms text[], form_of integer[]
) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  folded constant text := private.search_fold(raw);
begin
  for i in 1 .. cardinality(patterns) loop
    continue when strpos(folded, patterns[i]) > 0;
    if not exists (
      select from unnest(forms, form_of) as f (form, n) where f.n = i and strpos(folded, f.form) > 0
    ) then
      return false;
    end if;
  end loop;
  return true;
end $$;
-- +goose StatementEnd

-- The beginnings of the words that say what a query is about, for private.has_words. Endings are left out:
-- they differ in most languages.
create function private.search_beginnings(query text) returns text[]
language sql immutable
return array(
  select left(folded, case when length(folded) > 4 then greatest(4, length(folded) - 2) else 4 end)
  from unnest(private.search_content(query, '{}')) as word, btrim(private.search_fold(word)) as folded
  where folded <> ''
);

-- Whether a text has words with all of these beginnings.
create function private.has_words(raw text, beginnings text[]) returns boolean
language sql immutable
return beginnings <> '{}' and not exists (
  select
  from (
    select case
      when octet_length(raw) = length(raw) -- as most are
        then ' ' || translate(private.fold(raw), '"''()[]{}<>.,;:!?-_/', repeat(' ', 20))
      else private.search_fold(raw)
    end as folded
  ) t, unnest(beginnings) as beginning
  where strpos(t.folded, ' ' || beginning) = 0
    and (beginning !~ private.unspaced_letters() or strpos(t.folded, beginning) = 0)
);

-- The words among the first 10,000 letters of a text that have one of these stems, in lower case.
create function private.search_forms(raw text, stems text[], languages text[]) returns text[]
language sql immutable
return array(
  select distinct left(s.word, 200)
  from unnest(case when cardinality(stems) > 0 then languages end) as language,
    private.search_stems(private.search_words(left(raw, 10000)), language) s
  where s.stem = any (stems)
  order by 1
);

-- The part of a text around the first of these words that it has, at most 400 characters.
-- +goose StatementBegin
create function private.search_excerpt(raw text, words text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  folded constant text := private.fold(raw);
  word text;
  at integer;
begin
  if length(raw) <= 400 then
    return raw;
  end if;
  foreach word in array words loop
    at := strpos(folded, btrim(word));
    exit when at > 0;
  end loop;
  return substr(raw, greatest(1, at - 150), 400);
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
  private.search_terms(text, text[]), private.search_beginnings(text), private.has_words(text, text[]),
  private.search_matches(text, text[]),
  private.search_matches(text, text[], text[], integer[], text[]),
  private.search_matches(text, text[], text[], integer[]),
  private.search_forms(text, text[], text[]), private.search_excerpt(text, text[]),
  private.search_resembles(text, text[])
to authenticated, service_role;

-- Search ----------------------------------------------------------------------------------------------------

-- The speakers of a project who have one of these names, or one of these personas: labels of imports. Nobody
-- has a persona as an interviewer.
-- +goose StatementBegin
create function private.search_voices(project uuid, personas uuid[], speakers text[])
returns table (import_id uuid, speaker text)
language sql stable begin atomic
  select s.import_id, s.speaker
  from public.import_speakers s
  join public.imports i on i.id = s.import_id
  left join public.participants p on p.id = s.participant_id
  left join private.participant_personas() q on q.participant_id = s.participant_id
  where s.project_id = project
    and (search_voices.speakers is null or private.fold(coalesce(p.name, s.display_name)) = any (
      select private.fold(name) from unnest(search_voices.speakers[1:100]) as name))
    and (search_voices.personas is null or s.role = 'participant'
      and case when s.participant_id is null then i.persona_id else q.persona_id end
        = any (search_voices.personas[1:100]));
end;
-- +goose StatementEnd
grant execute on function private.search_voices(uuid, uuid[], text[]) to authenticated, service_role;

-- The languages of the interviews of some projects, or of one interview, that have stems, the most frequent
-- first.
create function private.search_languages(projects uuid[], import uuid) returns text[]
language sql stable
return array(
  select split_part(private.fold(i.language), '-', 1)
  from public.imports i
  where i.project_id = any (search_languages.projects) and i.id = coalesce(search_languages.import, i.id)
    and private.search_dictionary(i.language) is not null
  group by 1
  order by count(*) desc, 1
  limit 6);
grant execute on function private.search_languages(uuid[], uuid), private.search_content(text, text[])
to authenticated, service_role;

set local role service_role;

-- The turns of some projects around which most of the words of a query are said, or words of their stems, the
-- closest first. Rare words count more, and words of the turn itself count twice. Words in double quotes must
-- be beside each other in it. Projects that the caller may not see have none.
--
-- Each word is looked up in the index, and the 24 blocks with most of them are read. Only the index serves:
-- reading the words of all blocks to compare them takes a hundred times as long, which the planner does not
-- know. Of a block, only the places of the words are read: setweight marks them, and ts_filter drops the
-- rest.
-- +goose StatementBegin
create function private.search_passages(projects uuid[], query text, most integer)
returns table (import_id uuid, ordinal integer)
language plpgsql stable security definer rows 100
set search_path = ''
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  visible constant uuid[] := array(
    select p.id
    from public.projects p
    where p.id = any (search_passages.projects) and private.caller_may_see(p.workspace_id));
  of_projects constant text := (
    select '(' || string_agg(private.project_lexeme(v), ' | ') || ')' from unnest(visible) as v);
  languages constant text[] := private.search_languages(visible, null);
  quoted constant text[] := case when strpos(query, '"') > 0
    then (select t.exact from private.search_terms(query, languages) t) else '{}' end;
  terms record;
  lexemes text[];
  asked integer;
  blocks constant integer := (
    select count(*) from private.transcript_words w where w.project_id = any (visible));
  in_imports uuid[];
  in_blocks integer[];
  hit_imports uuid[] := '{}';
  hit_blocks integer[] := '{}';
  hit_weights double precision[] := '{}';
  weight double precision;
begin
  select t.* into terms
  from private.search_terms(
    array_to_string(private.search_content(search_passages.query, languages), ' '), languages) t;
  asked := case when of_projects is null then 0 else least(cardinality(terms.lexemes), 24) end;
  for n in 1 .. asked loop
    select array_agg(b.import_id), array_agg(b.block) into in_imports, in_blocks
    from (
      select w.import_id, w.block
      from private.transcript_words w
      where w.words @@ (of_projects || ' & (' || concat_ws(
          ' | ', quote_literal(terms.lexemes[n]), (
            select string_agg(quote_literal(s.stem), ' | ')
            from unnest(terms.stems, terms.stem_of) as s (stem, of)
            where s.of = n
          )) || ')')::tsquery
      limit 5000
    ) b;
    continue when in_imports is null;
    -- As BM25 weighs the words of a question.
    weight := ln(1 + (greatest(blocks, cardinality(in_blocks)) - cardinality(in_blocks) + 0.5)
      / (cardinality(in_blocks) + 0.5));
    hit_imports := hit_imports || in_imports;
    hit_blocks := hit_blocks || in_blocks;
    hit_weights := hit_weights || array_fill(weight, array[cardinality(in_blocks)]);
  end loop;
  lexemes := terms.lexemes[1:asked] || terms.stems;

  return query
    with best as materialized (
      select h.import_id, h.block, i.created_at
      from (
        select x.import_id, x.block, sum(x.weight) as weight, count(*) as words
        from unnest(hit_imports, hit_blocks, hit_weights) as x (import_id, block, weight)
        group by x.import_id, x.block
      ) h
      join public.imports i on i.id = h.import_id
      order by h.weight desc, h.words desc, i.created_at desc, h.import_id, h.block
      limit 24
    ),
    alternatives as materialized (
      select l.lexeme, l.n from unnest(terms.lexemes) with ordinality as l (lexeme, n) where l.n <= asked
      union
      select s.stem, s.of from unnest(terms.stems, terms.stem_of) as s (stem, of) where s.of <= asked
    ),
    places as materialized (
      select distinct b.import_id, b.block * 250 + at - 1 as ordinal, a.n
      from best b
      join private.transcript_words t on t.import_id = b.import_id and t.block = b.block
      cross join unnest(ts_filter(setweight(t.words, 'A', lexemes), '{a}')) as w (lexeme, positions, weights)
      join alternatives a on a.lexeme = w.lexeme
      cross join unnest(w.positions) as at
    ),
    rarity as materialized (
      select p.n, ln(1 + (max(b.turns) - count(*) + 0.5) / (count(*) + 0.5)) as weight
      from places p, (select 250 * count(*) as turns from best) b
      group by p.n
    ),
    turns as materialized (
      select p.import_id, p.ordinal, sum(r.weight) as weight
      from places p
      join rarity r on r.n = p.n
      group by p.import_id, p.ordinal
      order by weight desc, p.import_id, p.ordinal
      limit 200
    ),
    around as (
      select s.import_id, s.ordinal, s.weight, count(*) as words, sum(r.weight) as all_weights
      from (
        select distinct t.import_id, t.ordinal, t.weight, p.n
        from turns t
        cross join generate_series(-2, 2) as away
        join places p on p.import_id = t.import_id and p.ordinal = t.ordinal + away
      ) s
      join rarity r on r.n = s.n
      group by s.import_id, s.ordinal, s.weight
    )
    select a.import_id, a.ordinal
    from around a
    join best b on b.import_id = a.import_id and b.block = a.ordinal / 250
    where a.words >= least(3, (asked + 1) / 2)
      and (cardinality(quoted) = 0 or exists (
        select
        from public.utterances u
        where u.import_id = a.import_id and u.ordinal = a.ordinal and private.search_matches(u.text, quoted)))
    order by a.all_weights + a.weight desc, b.created_at desc, a.import_id, a.ordinal
    limit most;
end $$;
-- +goose StatementEnd
grant execute on function private.search_passages(uuid[], text, integer) to authenticated;

reset role;

-- Everything is read with the caller's rights; what private.search_transcripts found is read again.
-- +goose StatementBegin
create function public.search_project(
  project uuid, query text, import uuid default null, personas uuid[] default null,
  speakers text[] default null, kinds text[] default null
)
returns table (
  kind text, id uuid, import_id uuid, title text, text text, speaker text, start_ms bigint, ordinal integer,
  found integer, more boolean, forms text[]
)
language plpgsql stable rows 100
set search_path = ''
as $$
#variable_conflict use_column
declare
  terms record;
  most constant integer := case when search_project.import is null then 5 else 200 end;
  blocks integer;
  is_limited constant boolean := search_project.personas is not null or search_project.speakers is not null;
  statement_forms text[]; -- of the words, in any statement
  statement_form_of integer[];
  voice_imports uuid[];
  voice_labels text[];
  languages constant text[] := private.search_languages(
    array[search_project.project], search_project.import);
begin
  select t.* into terms from private.search_terms(query, languages) t;
  if cardinality(terms.lexemes) = 0 then
    return;
  end if;
  blocks := case when cardinality(terms.exact) = 0 then 24 else 40 end;
  -- Stems are found once for each word: a project has up to a thousand statements of the same words.
  select array_agg(private.search_fold(s.word)), array_agg(t.n) into statement_forms, statement_form_of
  from (
    select array_agg(distinct word) as words
    from (
      select h.statement
      from public.hypotheses h
      where h.project_id = search_project.project
      order by h.created_at
      limit 1000
    ) h, unnest(private.search_words(h.statement)) as word
  ) w, unnest(languages) as language, private.search_stems(w.words, language) s
  join unnest(terms.stems, terms.stem_of) as t (stem, n) on t.stem = s.stem;
  if is_limited then
    select coalesce(array_agg(v.import_id), '{}'), array_agg(v.speaker) into voice_imports, voice_labels
    from private.search_voices(search_project.project, search_project.personas, search_project.speakers) v;
  end if;

  return query
    with voices as materialized (
      select v.import_id, v.speaker from unnest(voice_imports, voice_labels) as v (import_id, speaker)
    ),
    said as materialized (
      select t.*
      from private.search_transcripts(
        search_project.project, terms.lexemes, terms.prefixes, terms.stems, terms.stem_of,
        case when search_project.import is null then voice_imports else array[search_project.import] end,
        blocks) t
      where search_project.kinds is null or search_project.kinds && array['utterance', 'quote']
      limit case when blocks = 40 then 1000 end
    ),
    hits as materialized (
      select s.import_id, s.ordinal, s.is_exact
      from said s
      where blocks = 24 and not is_limited or exists (
        select
        from public.utterances u
        where u.import_id = s.import_id
          and u.ordinal = s.ordinal
          and (not is_limited or exists (
            select from voices v where v.import_id = u.import_id and v.speaker = u.speaker))
          and (blocks = 24 or private.search_matches(u.text, terms.exact)))
    ),
    interviews as materialized (
      select i.id, i.title, i.created_at, i.language, h.found
      from (
        select h.import_id, count(*)::integer as found, bool_or(h.is_exact) as is_exact
        from hits h
        group by h.import_id
      ) h
      join public.imports i on i.id = h.import_id
      order by h.is_exact desc, i.created_at desc, i.id
      limit 20
    ),
    utterances as (
      select i.id as import_id, i.title, i.found, i.created_at, i.language, u.text, u.speaker, u.start_ms,
        u.ordinal, first.is_exact
      from interviews i
      cross join lateral (
        select h.ordinal, h.is_exact
        from hits h
        where h.import_id = i.id
        order by h.is_exact desc, h.ordinal
        limit most
      ) first
      join public.utterances u on u.import_id = i.id and u.ordinal = first.ordinal
    ),
    places as (
      select e.id, i.id as import_id, i.title, i.created_at, i.language, e.quote, e.speaker, e.start_ms,
        e.utterance_from
      from interviews i
      join public.evidence e on e.import_id = i.id
      join (select h.import_id, array_agg(h.ordinal) as ordinals from hits h group by h.import_id) o
        on o.import_id = i.id
      where (e.utterance_from = any (o.ordinals) or e.utterance_to = any (o.ordinals))
        and (not is_limited or exists (
          select from voices v where v.import_id = e.import_id and v.speaker = e.speaker))
    ),
    quotes as (
      (
        select p.*, private.search_matches(p.quote, terms.patterns) as is_exact
        from places p
        where private.search_matches(p.quote, terms.patterns, terms.stems, terms.stem_of, array[p.language])
        order by is_exact desc, p.created_at desc, p.id
        limit 100
      )
      union all
      select e.id, i.id, i.title, coalesce(i.created_at, e.created_at), i.language, e.quote, e.speaker,
        e.start_ms, null, private.search_matches(e.quote, terms.patterns)
      from (
        select e.*
        from public.evidence e
        where e.project_id = search_project.project and e.byte_start is null and search_project.import is null
          and (not is_limited
            or exists (select from voices v where v.import_id = e.import_id and v.speaker = e.speaker)
            or e.import_id is null and search_project.personas is null and private.fold(e.speaker) = any (
              select private.fold(name) from unnest(search_project.speakers[1:100]) as name))
        limit 1000
      ) e
      left join public.imports i on i.id = e.import_id
      where private.search_matches(e.quote, terms.patterns, terms.stems, terms.stem_of,
        case when i.id is null then languages else array[i.language] end)
    ),
    newest as materialized (
      select i.id, i.title, i.created_at
      from public.imports i
      where i.project_id = search_project.project and search_project.import is null
        and (not is_limited or i.id = any (voice_imports))
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
        where not is_limited or exists (
          select from voices v where v.import_id = s.import_id and v.speaker = s.speaker)
      ) n
      where search_project.kinds is null or n.kind = any (search_project.kinds)
    ),
    named as (
      select n.*
      from names n
      where n.same or not (select coalesce(bool_or(n.same), false) from names n)
        and private.search_resembles(n.name, terms.patterns)
      order by n.created_at desc, n.id
      limit 20
    ),
    newest_answers as materialized (
      select a.id, a.question, a.created_at
      from public.answers a
      where a.project_id = search_project.project and search_project.import is null and not is_limited
        and (search_project.kinds is null or 'answer' = any (search_project.kinds))
      order by a.created_at desc
      limit 300
    ),
    statements as (
      select h.id, h.statement, h.created_at, private.search_matches(h.statement, terms.patterns) as is_exact
      from (
        select h.*
        from public.hypotheses h
        where h.project_id = search_project.project and search_project.import is null
          and (search_project.kinds is null or 'hypothesis' = any (search_project.kinds))
          and search_project.speakers is null
          and (search_project.personas is null or h.persona_id = any (search_project.personas[1:100]))
        order by h.created_at
        limit 1000
      ) h
      where private.search_matches(h.statement, terms.patterns, statement_forms, statement_form_of)
      order by is_exact desc, h.created_at
      limit 20
    ),
    asked as (
      select distinct on (a.id) a.id, a.question, a.created_at, t.ordinal, t.text
      from newest_answers a
      cross join lateral (
        select null::integer as ordinal, a.question as text
        union all
        select s.ordinal, s.text from public.answer_sentences s where s.answer_id = a.id
      ) t
      where private.search_matches(t.text, terms.patterns)
      order by a.id, t.ordinal nulls first
    ),
    answers as (
      select a.* from asked a order by a.created_at desc, a.id limit 20
    ),
    rows as (
      select 1 as rank, 'hypothesis' as kind, s.id, null::uuid as import_id, '' as title, s.statement as text,
        '' as speaker, null::bigint as start_ms, null::integer as ordinal, null::integer as found,
        s.created_at, s.is_exact, private.search_forms(s.statement, terms.stems, languages) as forms
      from statements s
      union all
      select case n.kind when 'interview' then 2 else 3 end, n.kind, n.id, n.id, n.title, n.name, '', null,
        null, null, n.created_at, n.same, '{}'
      from named n
      union all
      select 4, 'utterance', null, u.import_id, u.title, u.text, u.speaker, u.start_ms, u.ordinal, u.found,
        u.created_at, u.is_exact, private.search_forms(u.text, terms.stems, array[u.language])
      from utterances u
      where search_project.kinds is null or 'utterance' = any (search_project.kinds)
      union all
      select 5, 'quote', q.id, q.import_id, q.title, q.quote, q.speaker, q.start_ms, q.utterance_from, null,
        q.created_at, q.is_exact, private.search_forms(q.quote, terms.stems,
          case when q.import_id is null then languages else array[q.language] end)
      from quotes q
      where search_project.kinds is null or 'quote' = any (search_project.kinds)
      union all
      select 6, 'answer', a.id, null, a.question, a.text, '', null, a.ordinal, null, a.created_at, true, '{}'
      from answers a
    ),
    ranked as (
      select f.*, bool_or(f.is_exact) over (partition by f.rank = 1, f.import_id) as has_exact from rows f
    )
    select f.kind, f.id, f.import_id, f.title,
      case when f.rank < 4 then f.text
        else private.search_excerpt(f.text, terms.patterns[1] || f.forms || terms.patterns) end,
      f.speaker, f.start_ms, f.ordinal, f.found,
      (
        select count(*) >= blocks or count(distinct b.import_id) > 20 or sum(b.said) >= 1000 and blocks = 40
        from (select s.import_id, count(*) as said from said s group by s.import_id, s.ordinal / 250) b
      ),
      f.forms
    from ranked f
    order by f.rank = 1 desc, f.has_exact desc, f.created_at desc, f.import_id, f.ordinal is null desc,
      f.is_exact desc, f.ordinal, f.rank, f.id;
end $$;
-- +goose StatementEnd
comment on function public.search_project is
  'Finds words in the transcripts, quotes, hypotheses, answers, titles and speakers of a project, or in one '
  'import. kind is utterance (import_id and ordinal are its key), quote (id is that of the evidence), '
  'hypothesis, answer (ordinal is that of its sentence, or null for its question), interview or speaker. '
  'Case and accents do not matter, the last word may be incomplete, and words in double quotes must be '
  'whole and beside each other, as they are. Other words are found in all forms that have their stem in the '
  'language of the interview; forms has those of the text, in lower case. With personas, it finds what '
  'people of one of them said, and hypotheses about them; with speakers, which are names, what people of '
  'one of these names said; with kinds, only rows of these. Exact hits first, then the newest interviews: '
  'of twenty, five utterances each; found says how many there are, and more whether older interviews may '
  'have others. text has at most 400 characters around the first word.';
grant execute on function public.search_project(uuid, text, uuid, uuid[], text[], text[])
to authenticated, service_role;
