-- What a digest says. These queries run as the recipient: row-level security leaves what the recipient may
-- see at that moment, and the conditions leave out what the recipient did. Things that no longer exist are
-- left out, too.

-- name: CountNews :many
-- Counts the things of each kind that changed in each project. project_id is null for what belongs to the
-- workspace.
select e.workspace_id,
  w.name as workspace_name,
  e.project_id,
  coalesce(p.name, '')::text as project_name,
  e.entity_type,
  e.verb,
  count(distinct e.entity_id)::integer as things
from public.activity_events e
join public.workspaces w on w.id = e.workspace_id
left join public.projects p on p.id = e.project_id
where e.occurred_at >= sqlc.arg(since)
  and e.occurred_at < sqlc.arg(until)
  and e.actor_id is distinct from (select auth.uid())
  and case e.entity_type
    when 'evidence' then exists (
      select from public.evidence x
      where x.id = e.entity_id and (e.verb <> 'created' or x.review <> 'rejected'))
    when 'hypothesis' then exists (select from public.hypotheses x where x.id = e.entity_id)
    when 'import' then exists (select from public.imports x where x.id = e.entity_id)
    when 'question' then exists (select from public.questions x where x.id = e.entity_id)
    when 'answer' then exists (
      select from public.answers x
      where x.id = e.entity_id and e.verb = 'finished' and x.created_by is distinct from (select auth.uid()))
    when 'persona' then exists (select from public.personas x where x.id = e.entity_id)
    when 'project' then p.id is not null
    when 'member' then e.entity_id <> (select auth.uid()) and exists (
      select from public.workspace_members x
      where x.workspace_id = e.workspace_id and x.user_id = e.entity_id)
    else false
  end
group by e.workspace_id, w.name, e.project_id, p.name, e.entity_type, e.verb
order by w.name, e.workspace_id, p.name nulls first, e.project_id, e.entity_type, e.verb;

-- name: ListChallenges :many
-- Verdicts against which somebody spoke in the period who had not before, those that are open again first.
with people as (
  select q.hypothesis_id,
    q.person,
    min(q.said_at) as first_at,
    (array_agg(q.actor_id order by q.said_at, q.evidence_id))[1] as first_by
  from private.quotes_against() as q (
    hypothesis_id, project_id, workspace_id, decision_id, person, evidence_id, said_at, actor_id
  )
  group by q.hypothesis_id, q.person
), challenged as (
  select p.hypothesis_id,
    count(*) as against,
    bool_or(
      p.first_at >= sqlc.arg(since)::timestamptz
      and p.first_at < sqlc.arg(until)::timestamptz
      and p.first_by is distinct from (select auth.uid())) as is_news
  from people p
  group by p.hypothesis_id
), ranked as (
  select h.workspace_id,
    h.project_id,
    h.id,
    h.statement,
    h.status,
    h.falsified_if,
    h.reopen_after,
    h.decided_by,
    c.against,
    row_number() over (
      partition by h.project_id
      order by c.against >= h.reopen_after desc, h.importance, c.against desc, h.id
    ) as place,
    (count(*) filter (where c.against >= h.reopen_after) over (partition by h.project_id))::integer
      as reopened,
    (count(*) over (partition by h.project_id))::integer as total
  from challenged c
  join public.hypotheses h on h.id = c.hypothesis_id
  where c.is_news
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.id,
  r.statement,
  r.status::text as status,
  r.falsified_if,
  r.against::integer as against,
  r.reopen_after,
  coalesce(r.decided_by = (select auth.uid()), false)::boolean as by_recipient,
  coalesce(p.display_name, '')::text as decided_by,
  r.reopened,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.profiles p on p.id = r.decided_by
where r.place <= sqlc.arg(size)::integer
order by w.name, w.id, j.name, r.project_id, r.place;

-- name: ListNewComments :many
-- Comments that mention the recipient, perhaps since they were changed, and others about what they made or
-- commented on, the newest first.
with events as (
  select e.entity_id, max(e.occurred_at) as occurred_at
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'comment'
    and (e.verb = 'created' or e.verb = 'mentioned' and e.detail -> 'mentioned' ? (select auth.uid())::text)
  group by e.entity_id
), news as (
  select c.*,
    ((select auth.uid()) = any (c.mentions))::boolean as is_mention,
    e.occurred_at
  from events e
  join public.comments c on c.id = e.entity_id
  where private.concerns_caller(c)
), ranked as (
  select n.*,
    row_number() over (
      partition by n.project_id, n.is_mention
      order by n.occurred_at desc, n.created_at desc, n.id
    ) as place,
    (count(*) over (partition by n.project_id, n.is_mention))::integer as total
  from news n
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.is_mention,
  left(r.body, 1000)::text as body,
  coalesce(p.display_name, '')::text as author,
  r.evidence_id,
  left(coalesce(ev.quote, ''), 1000)::text as quote,
  ev.import_id,
  r.theme_id,
  coalesce(t.name, '')::text as theme,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.evidence ev on ev.id = r.evidence_id
left join public.themes t on t.id = r.theme_id
left join public.profiles p on p.id = r.created_by
where r.place <= sqlc.arg(size)::integer
order by w.name, w.id, j.name, r.project_id, r.is_mention desc, r.place;

-- name: ListThemeNews :many
-- Themes that are new, and others that got quotes; with how many these are, and of how many people.
with gained as (
  select l.theme_id,
    count(*)::integer as quotes,
    (count(distinct private.person_of(s.participant_id, s.import_id, s.display_name))
      filter (where s.import_id is not null))::integer as people
  from public.evidence_themes l
  join public.evidence ev on ev.id = l.evidence_id
  left join public.import_speakers s
    on s.import_id = ev.import_id and s.speaker = ev.speaker and s.role = 'participant'
    and ev.speaker_confirmed
  where l.created_at >= sqlc.arg(since)
    and l.created_at < sqlc.arg(until)
    and l.created_by is distinct from (select auth.uid())
    and l.review <> 'rejected' and ev.review <> 'rejected' and not ev.in_progress
  group by l.theme_id
), added as (
  select e.entity_id,
    (array_agg(e.actor_id))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'theme'
    and e.verb = 'created'
  group by e.entity_id
), ranked as (
  select t.workspace_id,
    t.project_id,
    t.id,
    t.name,
    t.status = 'proposed' as is_proposed,
    a.entity_id is not null as is_new,
    a.actor_id,
    coalesce(g.people, 0) as people,
    coalesce(g.quotes, 0) as quotes,
    row_number() over (
      partition by t.project_id
      order by a.entity_id is null, t.status = 'proposed', g.people desc nulls last, g.quotes desc nulls last,
        t.position, t.id
    ) as place,
    (count(*) over (partition by t.project_id))::integer as total
  from public.themes t
  left join added a on a.entity_id = t.id
  left join gained g on g.theme_id = t.id
  where t.status <> 'archived' and (a.entity_id is not null or g.theme_id is not null)
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.id,
  r.name,
  r.is_new::boolean as is_new,
  r.is_proposed::boolean as is_proposed,
  coalesce(p.display_name, '')::text as actor,
  r.people,
  r.quotes,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.profiles p on p.id = r.actor_id
where r.place <= sqlc.arg(size)::integer
order by w.name, w.id, j.name, r.project_id, r.place;

-- name: ListMovedHypotheses :many
-- The hypotheses for which evidence was found or rejected, the largest changes of the balance first: the
-- first few of each project, with the number of all of them.
with changed as (
  select e.entity_id,
    bool_or(e.verb = 'created') as is_new
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb in ('created', 'rejected')
  group by e.entity_id
), moved as (
  select eh.project_id,
    eh.hypothesis_id,
    count(*) filter (where c.is_new and eh.stance = 'supports')::integer as supports,
    count(*) filter (where c.is_new and eh.stance = 'contradicts')::integer as contradicts,
    count(*) filter (where c.is_new and eh.stance = 'neutral')::integer as neutral,
    count(*) filter (where not c.is_new and eh.stance <> 'neutral')::integer as withdrawn
  from changed c
  join public.evidence ev on ev.id = c.entity_id and c.is_new = (ev.review <> 'rejected')
  join public.evidence_hypotheses eh on eh.evidence_id = ev.id
  group by eh.project_id, eh.hypothesis_id
), ranked as (
  select m.*,
    h.statement,
    row_number() over (
      partition by m.project_id
      order by m.supports + m.contradicts + m.withdrawn desc, m.neutral desc, h.importance, h.created_at, h.id
    ) as place,
    (count(*) over (partition by m.project_id))::integer as total
  from moved m
  join public.hypotheses h on h.id = m.hypothesis_id
  where m.supports + m.contradicts + m.neutral + m.withdrawn > 0
)
select r.project_id,
  r.hypothesis_id,
  r.statement,
  r.supports,
  r.contradicts,
  r.neutral,
  r.withdrawn,
  r.total,
  coalesce(b.supports, 0)::integer as all_supports,
  coalesce(b.contradicts, 0)::integer as all_contradicts,
  coalesce(b.supports + b.contradicts + b.neutral, 0)::integer as all_quotes,
  coalesce(b.accepted, 0)::integer as accepted
from ranked r
left join lateral (
  select x.supports, x.contradicts, x.neutral, x.accepted
  from private.hypothesis_balances() as x (
    hypothesis_id, project_id, supports, contradicts, neutral, suggested, rejected, accepted
  )
  where x.hypothesis_id = r.hypothesis_id
) b on true
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListNewQuotes :many
-- The strongest new quotes of the given hypotheses: the best quote of each stance comes before the second
-- best of any.
with new_evidence as (
  select distinct e.entity_id
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb = 'created'
), by_stance as (
  select eh.hypothesis_id,
    eh.stance,
    eh.evidence_id,
    row_number() over (
      partition by eh.hypothesis_id, eh.stance
      order by eh.strength desc, ev.confidence desc, ev.created_at, ev.id
    ) as place
  from new_evidence n
  join public.evidence ev on ev.id = n.entity_id and ev.review <> 'rejected'
  join public.evidence_hypotheses eh on eh.evidence_id = ev.id
  where eh.hypothesis_id = any (sqlc.arg(hypotheses)::uuid[])
), ranked as (
  select s.*,
    row_number() over (
      partition by s.hypothesis_id
      order by s.stance = 'neutral', s.place, s.stance
    ) as turn
  from by_stance s
)
select r.hypothesis_id,
  r.stance,
  ev.id,
  ev.quote,
  ev.speaker,
  ev.speaker_confirmed,
  coalesce(ev.asked_kind, '')::text as asked_kind,
  ev.start_ms,
  ev.origin,
  ev.import_id,
  coalesce(i.title, '')::text as import_title
from ranked r
join public.evidence ev on ev.id = r.evidence_id
left join public.imports i on i.id = ev.import_id
where r.turn <= sqlc.arg(size)::integer
order by r.hypothesis_id, r.turn;

-- name: ListUnlinkedEvidence :many
-- New evidence that is linked to neither a hypothesis nor a theme.
with new_evidence as (
  select distinct e.entity_id
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb = 'created'
), ranked as (
  select ev.project_id,
    ev.id,
    ev.quote,
    ev.speaker,
    ev.speaker_confirmed,
    ev.asked_kind,
    ev.start_ms,
    ev.origin,
    ev.import_id,
    row_number() over (
      partition by ev.project_id
      order by ev.confidence desc, ev.created_at, ev.id
    ) as place,
    (count(*) over (partition by ev.project_id))::integer as total
  from new_evidence n
  join public.evidence ev on ev.id = n.entity_id
  where ev.review <> 'rejected'
    and not exists (select from public.evidence_hypotheses eh where eh.evidence_id = ev.id)
    and not exists (
      select from public.evidence_themes l where l.evidence_id = ev.id and l.review <> 'rejected')
)
select r.project_id,
  r.id,
  r.quote,
  r.speaker,
  r.speaker_confirmed,
  coalesce(r.asked_kind, '')::text as asked_kind,
  r.start_ms,
  r.origin,
  r.import_id,
  coalesce(i.title, '')::text as import_title,
  r.total
from ranked r
left join public.imports i on i.id = r.import_id
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListVerdicts :many
-- Hypotheses whose status people changed, from the first status of the period to the last, unless both are
-- the same.
with changed as (
  select e.entity_id,
    (array_agg(e.detail ->> 'from' order by e.occurred_at, e.created_at))[1] as before,
    (array_agg(e.detail ->> 'to' order by e.occurred_at desc, e.created_at desc))[1] as after,
    (array_agg(e.actor_id order by e.occurred_at desc, e.created_at desc))[1] as actor_id,
    max(e.occurred_at) as at
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'hypothesis'
    and e.verb = 'status_changed'
  group by e.entity_id
), ranked as (
  select h.project_id,
    h.id,
    h.statement,
    c.before,
    c.after,
    c.actor_id,
    case when h.status::text = c.after then h.decision_reason else '' end as decision_reason,
    row_number() over (
      partition by h.project_id
      order by h.importance, c.at desc, h.id
    ) as place,
    (count(*) over (partition by h.project_id))::integer as total
  from changed c
  join public.hypotheses h on h.id = c.entity_id
  where c.before is distinct from c.after
)
select r.project_id,
  r.id,
  r.statement,
  coalesce(r.before, '')::text as before,
  coalesce(r.after, '')::text as after,
  r.decision_reason::text as decision_reason,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.actor_id
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListEndedImports :many
-- Interviews that were read or could not be read, each with its last end.
with ended as (
  select distinct on (e.entity_id)
    e.entity_id,
    e.verb,
    e.occurred_at
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'import'
    and e.verb in ('parsed', 'failed', 'timed_out', 'terminated')
  order by e.entity_id, e.occurred_at desc, e.created_at desc
), ranked as (
  select i.project_id,
    i.id,
    i.title,
    n.verb,
    i.evidence_count,
    i.coverage,
    coalesce(i.error_message, '') as error_message,
    row_number() over (
      partition by i.project_id
      order by n.verb = 'parsed', n.occurred_at desc, i.id
    ) as place,
    (count(*) over (partition by i.project_id))::integer as total
  from ended n
  join public.imports i on i.id = n.entity_id
)
select r.project_id,
  r.id,
  r.title,
  r.verb,
  r.evidence_count,
  r.coverage,
  r.error_message::text as error_message,
  r.total
from ranked r
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListAnsweredQuestions :many
-- Questions that were answered, or added with their answer, and are answered still.
with answered as (
  select e.entity_id,
    max(e.occurred_at) as at,
    (array_agg(e.actor_id order by e.occurred_at desc, e.created_at desc))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'question'
    and (e.detail ->> 'to' = 'answered' or e.verb = 'created')
  group by e.entity_id
), ranked as (
  select q.project_id,
    q.id,
    q.text,
    q.answer_evidence_id,
    a.actor_id,
    row_number() over (
      partition by q.project_id
      order by q.priority, a.at desc, q.id
    ) as place,
    (count(*) over (partition by q.project_id))::integer as total
  from answered a
  join public.questions q on q.id = a.entity_id and q.status = 'answered'
)
select r.project_id,
  r.id,
  r.text,
  coalesce(p.display_name, '')::text as actor,
  coalesce(ev.quote, '')::text as quote,
  coalesce(ev.speaker, '')::text as speaker,
  coalesce(not ev.speaker_confirmed, false)::boolean as unconfirmed,
  coalesce(ev.asked_kind, '')::text as asked,
  r.total
from ranked r
left join public.evidence ev on ev.id = r.answer_evidence_id
left join public.profiles p on p.id = r.actor_id
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListFinishedAnswers :many
-- What others asked and the interviews answered, those that most people answer first. The service finishes
-- answers, so who asked counts as who acted.
with finished as (
  select e.entity_id,
    max(e.occurred_at) as at
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.entity_type = 'answer'
    and e.verb = 'finished'
  group by e.entity_id
), ranked as (
  select a.project_id,
    a.id,
    a.question,
    a.result,
    a.people_count,
    a.created_by,
    row_number() over (
      partition by a.project_id
      order by a.people_count desc, f.at desc, a.id
    ) as place,
    (count(*) over (partition by a.project_id))::integer as total
  from finished f
  join public.answers a on a.id = f.entity_id
  where a.status = 'answered' and a.created_by is distinct from (select auth.uid())
)
select r.project_id,
  r.id,
  r.question,
  coalesce(r.result::text, '')::text as result,
  r.people_count as people,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.created_by
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;

-- name: ListNewHypotheses :many
-- Hypotheses that were added, the most important first.
with added as (
  select e.entity_id,
    max(e.occurred_at) as at,
    (array_agg(e.actor_id))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= sqlc.arg(since)
    and e.occurred_at < sqlc.arg(until)
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'hypothesis'
    and e.verb = 'created'
  group by e.entity_id
), ranked as (
  select h.project_id,
    h.id,
    h.statement,
    a.actor_id,
    row_number() over (
      partition by h.project_id
      order by h.importance, a.at, h.id
    ) as place,
    (count(*) over (partition by h.project_id))::integer as total
  from added a
  join public.hypotheses h on h.id = a.entity_id
)
select r.project_id,
  r.id,
  r.statement,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.actor_id
where r.place <= sqlc.arg(size)::integer
order by r.project_id, r.place;
