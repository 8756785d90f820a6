-- +goose Up
-- Bounces and complaints that a mail relay reports after it accepted a mail.

alter table private.mail_refusals
  add column bounces integer not null default 0,
  add column bounced_at timestamptz,
  add column suppressed_by text
    constraint mail_refusals_suppressed_by_check check (suppressed_by in ('refusals', 'bounces', 'hard_bounce', 'complaint'));
update private.mail_refusals
set suppressed_by = 'refusals'
where suppressed_at is not null;
comment on column private.mail_refusals.code is
  'The SMTP reply code of the last refusal or bounce; 0 if a relay reported none.';
comment on column private.mail_refusals.bounces is
  'Permanent bounces that are not about the address itself, such as those of a full mailbox.';

-- users_email_key is the index of the others.
create index users_sso_email_idx on auth.users (lower(email)) where is_sso_user;
