-- One install of one app for one user. Apps write it through the RPCs, the worker through its functions.
create table if not exists cuecard.device (
    id                      uuid primary key,
    user_id                 text not null,
    bundle_id               text not null,
    apns_environment        text not null check (apns_environment in ('sandbox', 'production')),
    push_to_start_token     text,
    wake_token              text,
    expo_token              text,
    time_zone               text not null default 'UTC',
    locale                  text not null default 'en',
    shows_personal          boolean not null default true,
    shows_shared            boolean not null default true,
    live_activities_enabled boolean not null default true,
    frequent_pushes_enabled boolean not null default false,
    os_version              text,
    app_version             text,
    registered_at           timestamptz not null default clock_timestamp(),
    wake_registered_at      timestamptz not null default clock_timestamp(),
    expo_registered_at      timestamptz not null default clock_timestamp(),
    expo_paused_until       timestamptz,
    last_seen               timestamptz not null default clock_timestamp(),
    unregistered_at         timestamptz,
    suspect_since           timestamptz,
    told_environment        text,
    environment_confirmed_at timestamptz,
    tried_token             text,
    is_trying_other         boolean not null default false,
    -- when the tick must look again; a hint, not a promise. Null: nothing to look for.
    next_due_at             timestamptz default '-infinity',
    -- the decision time of the plan that wrote it: a plan of the future, made by a clock that was ahead, is void
    planned_at              timestamptz,
    -- every change that could alter the plan moves it on, so that a tick never reschedules over one
    revision                bigint not null default 0,
    claimed_tick            uuid,
    claimed_revision        bigint,
    claimed_until           timestamptz
) with (fillfactor = 70);
create index if not exists device_due on cuecard.device (apns_environment, bundle_id, next_due_at)
    where next_due_at is not null;
create index if not exists device_planned on cuecard.device (planned_at) where planned_at is not null;
create index if not exists device_user on cuecard.device (user_id, id);
create index if not exists device_app on cuecard.device (bundle_id, id);
create index if not exists device_start_token on cuecard.device (push_to_start_token) where push_to_start_token is not null;
create index if not exists device_wake_token on cuecard.device (wake_token) where wake_token is not null;
create index if not exists device_expo_token on cuecard.device (expo_token) where expo_token is not null;
comment on table cuecard.device is 'One install of one app for one user: tokens, environment, zone, locale, wishes.';
comment on column cuecard.device.registered_at is 'When the start token was last told, by the wall clock; a 410 is held against it.';
comment on column cuecard.device.wake_registered_at is 'The same for the wake token.';
comment on column cuecard.device.expo_registered_at is 'The same for the Expo token; a receipt is held against it.';
comment on column cuecard.device.expo_paused_until is
    'Expo took the token for another project''s: it is left alone until then, by the decision clock.';
comment on column cuecard.device.told_environment is
    'What the app said last; apns_environment differs from it where APNs knew better.';
comment on column cuecard.device.environment_confirmed_at is 'When APNs first took a push in apns_environment; null: in doubt.';
comment on column cuecard.device.tried_token is 'The last start token that was, or is, tried in the other environment: once each.';
comment on column cuecard.device.is_trying_other is 'The next start with tried_token goes to the other environment.';
comment on column cuecard.device.suspect_since is
    'Three starts in a row were accepted without a word from the app: the start token may be one that reaches nobody.';

alter table cuecard.device enable row level security;
drop policy if exists mine on cuecard.device;
create policy mine on cuecard.device for select to authenticated using (user_id = (select cuecard.current_user_id()));
drop policy if exists backend on cuecard.device;
create policy backend on cuecard.device for select to service_role using (true);
grant select (id, user_id, bundle_id, apns_environment, time_zone, locale, shows_personal, shows_shared,
    live_activities_enabled, frequent_pushes_enabled, os_version, app_version, registered_at, last_seen,
    unregistered_at) on cuecard.device to authenticated, service_role;
grant select (suspect_since) on cuecard.device to service_role;

-- The (environment, bundle) pairs that devices have registered for: what a worker's keys are held against.
create table if not exists cuecard.lane (
    apns_environment text not null,
    bundle_id        text not null,
    created_at       timestamptz not null default clock_timestamp(),
    served_at        timestamptz,
    paused_until     timestamptz,
    pause_reason     text,
    probe_at         timestamptz,
    primary key (apns_environment, bundle_id)
);
comment on table cuecard.lane is 'Where pushes go: one row an environment and app, with its breaker.';
comment on column cuecard.lane.served_at is 'When a tick last came by with a key for it; null: never.';
comment on column cuecard.lane.paused_until is 'A credential fault stops the lane until then, by the decision clock.';
comment on column cuecard.lane.probe_at is
    'Not null: the last pushes all failed for the lane''s own fault; from then on a few devices try it, until one push gets through.';
alter table cuecard.lane enable row level security;

-- pg_timezone_names reads a thousand files with each look; this is its copy. A name that is not here is looked up there.
create table if not exists cuecard.time_zone (name text primary key);
insert into cuecard.time_zone select name from pg_catalog.pg_timezone_names on conflict do nothing;
comment on table cuecard.time_zone is 'The time zones that Postgres knew when the schema was made.';
alter table cuecard.time_zone enable row level security;
