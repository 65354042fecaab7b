-- The calendar's rows. A rule or zone that the worker cannot read is not refused here, where it would fail the
-- app's own write: the tick skips that event alone and says why.
create table if not exists cuecard.event (
    id          uuid primary key default gen_random_uuid(),
    calendar_id uuid not null references cuecard.calendar on delete cascade,
    title       text default '',
    location    text,
    starts_at   timestamp not null
        constraint starts_at_is_a_date check (starts_at between '0001-01-01' and '9999-12-31'),
    duration    interval not null default '0'
        constraint duration_is_sane check (duration between '0' and '100 years'),
    time_zone   text,
    all_day     boolean not null default false,
    rrule       text,
    rdates      timestamp[] default '{}'
        constraint rdates_are_dates check (timestamp '0001-01-01' <= all (rdates) and timestamp '9999-12-31' >= all (rdates)),
    exdates     timestamp[] default '{}'
        constraint exdates_are_dates check (timestamp '0001-01-01' <= all (exdates) and timestamp '9999-12-31' >= all (exdates)),
    lead        interval
        constraint lead_is_sane check (lead between '0' and '31 days'),
    details     jsonb default '{}',
    deleted_at  timestamptz
);
create index if not exists event_calendar on cuecard.event (calendar_id) where deleted_at is null;
comment on table cuecard.event is 'One event: a local start, a duration, a zone or none, perhaps a rule.';
comment on column cuecard.event.time_zone is 'IANA name; null: floating, each device''s own zone.';
comment on column cuecard.event.rrule is 'RFC 5545 RRULE value, with RFC 7529 RSCALE and SKIP; null: once.';
comment on column cuecard.event.lead is 'How long before its start this event''s card appears; null: the app''s.';
comment on column cuecard.event.deleted_at is 'Not null means deleted, whatever the time.';

alter table cuecard.event enable row level security;
drop policy if exists backend on cuecard.event;
create policy backend on cuecard.event to service_role using (true) with check (true);
drop policy if exists mine on cuecard.event;
create policy mine on cuecard.event for select to authenticated
    using (calendar_id in (select cuecard.my_calendars()));
grant select, insert, update, delete on cuecard.event to service_role;
grant select on cuecard.event to authenticated;

create table if not exists cuecard.event_override (
    event_id   uuid not null references cuecard.event on delete cascade,
    occurrence timestamp not null
        constraint occurrence_is_a_date check (occurrence between '0001-01-01' and '9999-12-31'),
    cancelled  boolean not null default false,
    starts_at  timestamp
        constraint starts_at_is_a_date check (starts_at between '0001-01-01' and '9999-12-31'),
    duration   interval
        constraint duration_is_sane check (duration between '0' and '100 years'),
    title      text,
    location   text,
    details    jsonb,
    primary key (event_id, occurrence)
);
comment on table cuecard.event_override is
    'One moved, changed or cancelled occurrence, by its original local start; null columns keep the event''s.';

alter table cuecard.event_override enable row level security;
drop policy if exists backend on cuecard.event_override;
create policy backend on cuecard.event_override to service_role using (true) with check (true);
drop policy if exists mine on cuecard.event_override;
create policy mine on cuecard.event_override for select to authenticated
    using (event_id in (select id from cuecard.event));
grant select, insert, update, delete on cuecard.event_override to service_role;
grant select on cuecard.event_override to authenticated;
