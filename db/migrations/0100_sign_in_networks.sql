-- +goose Up
-- Where accounts have signed in. Wrong passwords from elsewhere do not keep an owner out of these networks.
create table auth.sign_in_networks (
  user_id uuid not null constraint sign_in_networks_user_id_fkey references auth.users (id) on delete cascade,
  network text not null,
  signed_in_at timestamptz not null default now(),
  constraint sign_in_networks_pkey primary key (user_id, network)
);
comment on table auth.sign_in_networks is 'The networks from which users signed in during the last 90 days.';
comment on column auth.sign_in_networks.network is 'Of IPv4 the /24, of IPv6 the /64.';
grant select, insert, update, delete on auth.sign_in_networks to service_role;
