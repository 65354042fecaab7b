-- One row a pass.
create table if not exists cuecard.tick (
    id          uuid primary key,
    worker      text not null,
    now         timestamptz not null,
    started_at  timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    summary     jsonb
);
create index if not exists tick_age on cuecard.tick (started_at);
comment on table cuecard.tick is 'One row a pass: its decision time, who made it and what it did. Not finished: killed or still at work.';
alter table cuecard.tick enable row level security;
drop policy if exists backend on cuecard.tick;
create policy backend on cuecard.tick for select to service_role using (true);
grant select on cuecard.tick to service_role;
