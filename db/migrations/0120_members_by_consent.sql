-- +goose Up
-- Nobody becomes a member without consent: clients invite, and the invited user accepts. service_role can
-- still add members.

drop policy add on public.workspace_members;
revoke insert on public.workspace_members from authenticated;

comment on table public.workspace_members is
  'Who belongs to a workspace. Users join by accepting an invitation. Owners manage everybody; admins manage '
  'editors and viewers; anyone may leave.';
