-- What is exchanged with other programs for qualitative analysis: see package api/refi.

-- name: ListRefiUsers :many
-- Within AsUser. The members of a project's workspace.
select m.user_id, p.display_name
from public.projects j
join public.workspace_members m on m.workspace_id = j.workspace_id
join public.profiles p on p.id = m.user_id
where j.id = sqlc.arg(project_id)
order by m.created_at, m.user_id
limit sqlc.arg(most);

-- name: ListRefiThemes :many
-- Within AsUser. The themes of a project in their order. folded is a name as names are compared.
select
  t.id, t.parent_id, t.name, private.fold(t.name)::text as folded, t.description, t.memo, t.color, t.status,
  t.merged_into
from public.themes t
where t.project_id = sqlc.arg(project_id)
order by t.position, t.created_at, t.id
limit sqlc.arg(most);

-- name: ListRefiHypotheses :many
-- Within AsUser.
select
  h.id, h.statement, private.fold(h.statement)::text as folded, h.status, h.falsified_if,
  h.decision_reason
from public.hypotheses h
where h.project_id = sqlc.arg(project_id)
order by h.created_at, h.id
limit sqlc.arg(most);

-- name: ListRefiParticipants :many
-- Within AsUser. People with the persona that they have, or that their first interview has.
select p.id, p.name, p.attributes, a.name as persona, a.segment
from public.participants p
join private.participant_personas() o on o.participant_id = p.id
left join public.personas a on a.id = o.persona_id
where p.project_id = sqlc.arg(project_id)
order by p.created_at, p.id
limit sqlc.arg(most);

-- name: ListRefiImports :many
-- Within AsUser. The oldest first.
select
  i.id, i.title, coalesce(i.interviewed_on::text, '')::text as interviewed_on, i.sha256, i.created_by,
  i.created_at
from public.imports i
where i.project_id = sqlc.arg(project_id)
order by i.created_at, i.id
limit sqlc.arg(most);

-- name: ListRefiSpeakers :many
-- Within AsUser. Who speaks in the imports of a project.
select s.import_id, s.speaker, s.display_name, s.role, s.participant_id
from public.import_speakers s
where s.project_id = sqlc.arg(project_id)
order by s.import_id, s.speaker
limit sqlc.arg(most);

-- name: ListRefiQuotes :many
-- Within AsUser. Quotes that a person took or accepted: those of an import, or those of no import.
select
  e.id, e.quote, e.summary, e.rationale, e.memo, e.speaker, e.byte_start, e.byte_end, e.created_by,
  e.created_at
from public.evidence e
where e.project_id = sqlc.arg(project_id)
  and e.import_id is not distinct from sqlc.narg(import_id)::uuid
  and (e.review = 'accepted' or e.review = 'suggested' and e.origin = 'human')
  and not e.in_progress
order by e.byte_start, e.byte_end, e.id
limit sqlc.arg(most);

-- name: ListRefiStances :many
-- Within AsUser. The hypotheses of quotes.
select l.evidence_id, l.hypothesis_id, l.stance, l.created_at
from public.evidence_hypotheses l
where l.evidence_id = any(sqlc.arg(evidence_ids)::uuid[])
order by l.evidence_id, l.created_at, l.hypothesis_id;

-- name: ListRefiThemeLinks :many
-- Within AsUser. The active themes that a person gave quotes, or accepted for them.
select l.evidence_id, l.theme_id, l.created_by, l.created_at
from public.evidence_themes l
join public.themes t on t.id = l.theme_id and t.project_id = l.project_id and t.status = 'active'
where l.evidence_id = any(sqlc.arg(evidence_ids)::uuid[]) and l.review = 'accepted'
order by l.evidence_id, l.created_at, l.theme_id;

-- name: ListRefiComments :many
-- Within AsUser.
select c.id, c.evidence_id, c.theme_id, c.body, c.created_by, c.created_at
from public.comments c
where c.project_id = sqlc.arg(project_id)
order by c.created_at, c.id
limit sqlc.arg(most);

-- name: ListRefiQuestions :many
-- Within AsUser.
select q.id, q.text, q.created_at
from public.questions q
where q.project_id = sqlc.arg(project_id) and q.status = 'open'
order by q.created_at, q.id
limit sqlc.arg(most);

-- name: RecordExport :one
-- Within AsUser. Records an export in the audit log.
select private.record_export(
  sqlc.arg(project_id)::uuid, sqlc.arg(format)::text, sqlc.arg(quotes)::integer
)::boolean as recorded;

-- name: CountRefiQuotes :one
-- Within AsUser. How many quotes of a project a person took or accepted, at most so many.
select count(*) from (
  select from public.evidence e
  where e.project_id = sqlc.arg(project_id)
    and (e.review = 'accepted' or e.review = 'suggested' and e.origin = 'human')
    and not e.in_progress
  limit sqlc.arg(most)
) x;

-- name: FoldNames :many
-- Names as names are compared, in their order.
select private.fold(n.name)::text as folded
from unnest(sqlc.arg(names)::text[]) with ordinality as n (name, ordinal)
order by n.ordinal;

-- name: ListRefiSpans :many
-- Within AsUser. Where the quotes of an import are, and what they are coded as. A hypothesis and its stance
-- are at the same places of their arrays.
select
  e.id, e.summary, e.rationale, e.memo, e.review, e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  coalesce(t.themes, '{}')::uuid[] as themes,
  coalesce(t.rejected, '{}')::uuid[] as rejected_themes,
  coalesce(h.hypotheses, '{}')::uuid[] as hypotheses,
  coalesce(h.stances, '{}')::text[] as stances
from public.evidence e
cross join lateral (
  select
    array_agg(l.theme_id) filter (where l.review <> 'rejected') as themes,
    array_agg(l.theme_id) filter (where l.review = 'rejected') as rejected
  from public.evidence_themes l
  where l.evidence_id = e.id
) t
cross join lateral (
  select
    array_agg(l.hypothesis_id order by l.hypothesis_id) as hypotheses,
    array_agg(l.stance::text order by l.hypothesis_id) as stances
  from public.evidence_hypotheses l
  where l.evidence_id = e.id
) h
where e.import_id = sqlc.arg(import_id)::uuid and e.byte_start is not null
order by e.byte_start, e.byte_end, e.id;

-- name: AddRefiThemes :exec
-- Within AsUser. Themes in their order, whose parents are there; the zero UUID stands for none. The database
-- chooses the colors that are empty.
insert into public.themes (id, project_id, parent_id, name, description, memo, color)
select
  t.id, sqlc.arg(project_id)::uuid, nullif(t.parent_id, '00000000-0000-0000-0000-000000000000'), t.name,
  t.description, t.memo, nullif(t.color, '')
from (
  select
    unnest(sqlc.arg(ids)::uuid[]) as id,
    unnest(sqlc.arg(parent_ids)::uuid[]) as parent_id,
    unnest(sqlc.arg(names)::text[]) as name,
    unnest(sqlc.arg(descriptions)::text[]) as description,
    unnest(sqlc.arg(memos)::text[]) as memo,
    unnest(sqlc.arg(colors)::text[]) as color
) t;

-- name: AddRefiHypotheses :exec
-- Within AsUser.
insert into public.hypotheses (id, project_id, statement, falsified_if)
select h.id, sqlc.arg(project_id)::uuid, h.statement, h.falsified_if
from (
  select
    unnest(sqlc.arg(ids)::uuid[]) as id,
    unnest(sqlc.arg(statements)::text[]) as statement,
    unnest(sqlc.arg(falsified_ifs)::text[]) as falsified_if
) h;

-- name: AddRefiQuotes :exec
-- Within AsUser. Quotes of a person in an import, which the database proves.
insert into public.evidence (
  id, project_id, import_id, quote, summary, rationale, memo, byte_start, byte_end, review
)
select
  e.id, sqlc.arg(project_id)::uuid, sqlc.arg(import_id)::uuid, e.quote, e.summary, e.rationale, e.memo,
  e.byte_start, e.byte_end, 'accepted'
from (
  select
    unnest(sqlc.arg(ids)::uuid[]) as id,
    unnest(sqlc.arg(quotes)::text[]) as quote,
    unnest(sqlc.arg(summaries)::text[]) as summary,
    unnest(sqlc.arg(rationales)::text[]) as rationale,
    unnest(sqlc.arg(memos)::text[]) as memo,
    unnest(sqlc.arg(byte_starts)::integer[]) as byte_start,
    unnest(sqlc.arg(byte_ends)::integer[]) as byte_end
) e;

-- name: LinkRefiThemes :execrows
-- Within AsUser. Gives quotes to themes. Links that there are stay as they are.
insert into public.evidence_themes (evidence_id, theme_id, project_id)
select l.evidence_id, l.theme_id, sqlc.arg(project_id)::uuid
from (
  select
    unnest(sqlc.arg(evidence_ids)::uuid[]) as evidence_id,
    unnest(sqlc.arg(theme_ids)::uuid[]) as theme_id
) l
on conflict (evidence_id, theme_id) do nothing;

-- name: LinkRefiHypotheses :execrows
-- Within AsUser. Links quotes with hypotheses. Links that there are stay as they are.
insert into public.evidence_hypotheses (evidence_id, hypothesis_id, project_id, stance)
select l.evidence_id, l.hypothesis_id, sqlc.arg(project_id)::uuid, l.stance::public.evidence_stance
from (
  select
    unnest(sqlc.arg(evidence_ids)::uuid[]) as evidence_id,
    unnest(sqlc.arg(hypothesis_ids)::uuid[]) as hypothesis_id,
    unnest(sqlc.arg(stances)::text[]) as stance
) l
on conflict (evidence_id, hypothesis_id) do nothing;

-- name: GetRefiTurns :one
-- Within AsUser. The utterances of an import as arrays. Their texts, joined by line feeds, are the
-- transcript.
select
  coalesce(array_agg(u.speaker order by u.ordinal), '{}')::text[] as speakers,
  coalesce(array_agg(u.text order by u.ordinal), '{}')::text[] as texts
from public.utterances u
where u.import_id = sqlc.arg(import_id)::uuid;
