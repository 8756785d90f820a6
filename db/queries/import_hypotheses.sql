-- name: ChooseHypotheses :exec
-- The hypotheses of the latest request, with their current statements. Results for other hypotheses stay.
insert into public.import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement)
select i.id, h.id, i.workspace_id, i.project_id, h.statement
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(i.requested_hypotheses)
where i.id = sqlc.arg(import_id)
on conflict (import_id, hypothesis_id) do update set
  statement = excluded.statement,
  result = 'pending',
  supports_count = 0,
  contradicts_count = 0,
  neutral_count = 0;

-- name: ListChosenHypotheses :many
select ih.*
from public.import_hypotheses ih
join public.imports i on i.id = ih.import_id
where ih.import_id = sqlc.arg(import_id) and ih.hypothesis_id = any(i.requested_hypotheses)
order by ih.hypothesis_id;

-- name: UpdateHypothesisResults :exec
-- The counts and the result of every hypothesis of an import, from the evidence that people have not
-- rejected. Without evidence the result is nothing_found if the parse is complete, and otherwise pending.
update public.import_hypotheses ih set
  supports_count = c.supports,
  contradicts_count = c.contradicts,
  neutral_count = c.neutral,
  result = case
    when c.supports > 0 and c.contradicts > 0 then 'mixed'
    when c.supports > 0 then 'supports'
    when c.contradicts > 0 then 'contradicts'
    when c.neutral > 0 then 'mixed'
    when sqlc.arg(complete)::boolean then 'nothing_found'
    else 'pending'
  end::public.hypothesis_result
from (
  select
    x.hypothesis_id,
    count(*) filter (where eh.stance = 'supports') as supports,
    count(*) filter (where eh.stance = 'contradicts') as contradicts,
    count(*) filter (where eh.stance = 'neutral') as neutral
  from public.import_hypotheses x
  left join (
    public.evidence_hypotheses eh
    join public.evidence e on e.id = eh.evidence_id and e.review <> 'rejected'
  ) on eh.hypothesis_id = x.hypothesis_id and e.import_id = x.import_id
  where x.import_id = sqlc.arg(import_id)
  group by x.hypothesis_id
) c
where ih.import_id = sqlc.arg(import_id) and ih.hypothesis_id = c.hypothesis_id;

-- name: DeleteUnchosenHypotheses :exec
-- Hypotheses of an earlier request that never got a result.
delete from public.import_hypotheses ih
using public.imports i
where i.id = sqlc.arg(import_id)
  and ih.import_id = i.id
  and ih.result = 'pending'
  and not ih.hypothesis_id = any(i.requested_hypotheses);
