-- The ledger: one row a card. Nothing here refers to event or device, since it outlives both.
create table if not exists cuecard.run (
    id                  uuid primary key default gen_random_uuid(),
    device_id           uuid not null,
    user_id             text not null,
    event_id            uuid not null,
    occurrence          timestamp not null
        constraint occurrence_is_a_date check (occurrence between '0001-01-01' and '9999-12-31'),
    generation          integer not null default 1 check (generation >= 1),
    state               text not null check (state in
        ('claimed', 'accepted', 'confirmed', 'ending', 'ended', 'dismissed', 'failed', 'unknown')),
    reason              text,
    activity_id         text,
    update_token        text,
    update_token_at     timestamptz,
    -- what the phone was last told
    content             jsonb,
    content_key         text,
    phase               text,
    stale_at            timestamptz,
    last_timestamp      bigint,
    -- by the decision clock
    started_at          timestamptz,
    start_expires_at    timestamptz,
    closes_at           timestamptz,
    end_sent_at         timestamptz,
    retry_at            timestamptz,
    failures            integer not null default 0,
    -- what the app said
    confirmed_at        timestamptz,
    missing_at          timestamptz,
    opened_at           timestamptz,
    -- when the card was known to have left the phone; null: not known
    gone_at             timestamptz,
    created_at          timestamptz not null default clock_timestamp(),
    settled_at          timestamptz,
    unique (device_id, event_id, occurrence, generation)
) with (fillfactor = 70);
create index if not exists run_live on cuecard.run (event_id, device_id)
    where state in ('claimed', 'accepted', 'confirmed', 'ending', 'unknown');
create index if not exists run_user on cuecard.run (user_id);
create index if not exists run_age on cuecard.run (settled_at) where settled_at is not null;
create index if not exists run_activity on cuecard.run (device_id, activity_id) where activity_id is not null;
comment on table cuecard.run is 'One card on one device for one occurrence; generation counts its cards.';
comment on column cuecard.run.state is
    'claimed: about to be sent. accepted: APNs took it, which is not "shown". confirmed: the app said so.'
    ' ending: an end or a wake is owed. unknown: no answer came, so no second start goes out.';
comment on column cuecard.run.update_token is 'The running activity''s token. On a settled run: an end is still owed to it.';

alter table cuecard.run enable row level security;
drop policy if exists mine on cuecard.run;
create policy mine on cuecard.run for select to authenticated using (user_id = (select cuecard.current_user_id()));
drop policy if exists backend on cuecard.run;
create policy backend on cuecard.run for select to service_role using (true);
grant select (id, device_id, user_id, event_id, occurrence, generation, state, reason, activity_id, content, phase,
    stale_at, started_at, confirmed_at, created_at, settled_at) on cuecard.run to authenticated, service_role;

-- Each push, written before it is sent.
create table if not exists cuecard.attempt (
    id          uuid primary key,  -- the apns-id
    tick_id     uuid not null,
    device_id   uuid not null,
    run_id      uuid,
    event       text not null check (event in ('start', 'update', 'end', 'wake')),
    cause       text,              -- for a wake: what it is owed for, take_down or update
    outcome     text not null default 'intended'
        check (outcome in ('intended', 'accepted', 'rejected', 'unprocessed', 'unknown')),
    status      integer,
    reason      text,
    decided_at  timestamptz not null,
    intended_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    -- of a wake that Expo took: what it knows later, looked up once
    receipt_id     text,
    receipt_at     timestamptz,
    receipt_reason text
);
create index if not exists attempt_device on cuecard.attempt (device_id, decided_at);
create index if not exists attempt_run on cuecard.attempt (run_id);
create index if not exists attempt_age on cuecard.attempt (intended_at);
create index if not exists attempt_receipt on cuecard.attempt (answered_at) where receipt_id is not null and receipt_at is null;
comment on column cuecard.attempt.receipt_reason is 'What Expo said then: ok, or its word for the refusal; null: it knew nothing.';
comment on table cuecard.attempt is 'Each push: its apns-id, what it was for, and what became of it.';
alter table cuecard.attempt enable row level security;
drop policy if exists backend on cuecard.attempt;
create policy backend on cuecard.attempt for select to service_role using (true);
grant select on cuecard.attempt to service_role;
