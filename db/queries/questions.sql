-- name: SuggestQuestion :execrows
-- Changes nothing if the project has a question with the same text.
insert into public.questions (id, workspace_id, project_id, hypothesis_id, text, origin)
select sqlc.arg(id)::uuid, h.workspace_id, h.project_id, h.id, sqlc.arg(text)::text, 'ai'
from public.hypotheses h
where h.id = sqlc.arg(hypothesis_id)
  and not exists (
    select
    from public.questions q
    where q.project_id = h.project_id and private.fold(btrim(q.text)) = private.fold(btrim(sqlc.arg(text)))
  )
on conflict (id) do nothing;
