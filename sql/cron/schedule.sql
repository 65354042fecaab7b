-- Calls the worker's /tick once a minute from pg_cron, where there is anything to do. Safe to run again: one job.
--
-- Run it as the owner of the schema cuecard, after `create extension pg_cron` and `cuecard migrate`.
--
-- With pg_net (`create extension pg_net`) the call is a POST. Tell it where the worker is, on Supabase with
--     select vault.create_secret('https://worker.example.com/tick', 'cuecard_tick_url');
--     select vault.create_secret('the CRON_SECRET', 'cuecard_cron_secret');
-- or elsewhere, once this file has run, with
--     insert into cuecard.cron_setting values ('cuecard_tick_url', '…'), ('cuecard_cron_secret', '…');
-- The job's text and its history hold neither. A new secret is `vault.update_secret`, or an update of that table.
--
-- Without pg_net the call is NOTIFY on the channel cuecard, which holds no secret: `cuecard serve --listen-changes`
-- ticks when it hears it.
--
-- Where pg_cron lives in another database (cron.database_name), leave the last statement out and run there
--     select cron.schedule_in_database('cuecard-tick', '* * * * *', 'select cuecard.call_tick()', 'this database');
-- From pg_cron 1.5 on the schedule may also be '30 seconds'. `select cuecard.call_tick()` by hand says what it did.

create table if not exists cuecard.cron_setting (
    name  text primary key check (name in ('cuecard_tick_url', 'cuecard_cron_secret')),
    value text not null check (value <> '')
);
comment on table cuecard.cron_setting is 'Where call_tick finds the worker, where there is no Vault; for its owner alone.';
alter table cuecard.cron_setting enable row level security;
revoke all on cuecard.cron_setting from public, anon, authenticated, service_role, cuecard_worker;

-- pg_net keeps every program's answers in one table; by these numbers `cuecard doctor` knows the worker's.
create table if not exists cuecard.cron_call (
    request   bigint primary key,
    called_at timestamptz not null default clock_timestamp()
);
comment on table cuecard.cron_call is 'The calls of the last day, by pg_net''s number; for its owner alone.';
alter table cuecard.cron_call enable row level security;
revoke all on cuecard.cron_call from public, anon, authenticated, service_role, cuecard_worker;

create or replace function cuecard.cron_value(name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
    found text;
begin
    if to_regclass('vault.decrypted_secrets') is not null then
        execute 'select s.decrypted_secret from vault.decrypted_secrets s where s.name = $1' into found using cron_value.name;
    end if;
    found := coalesce(found, (select s.value from cuecard.cron_setting s where s.name = cron_value.name));
    if found is null then
        raise exception '% is not set', cron_value.name
            using errcode = '55000', hint = 'Put it into Vault or into cuecard.cron_setting, as the head of schedule.sql says.';
    end if;
    return found;
end
$$;
comment on function cuecard.cron_value is 'A setting of call_tick, from Vault or from cuecard.cron_setting.';
revoke execute on function cuecard.cron_value from public;

create or replace function cuecard.call_tick(
    p_prunes boolean default extract(minute from clock_timestamp()) = 0
) returns text
language plpgsql
set search_path = ''
as $$
declare
    number bigint;
begin
    -- pg_cron keeps a row a run for ever; once an hour, for nothing indexes them. Other jobs' rows are not ours.
    if p_prunes and to_regclass('cron.job_run_details') is not null then
        delete from cron.job_run_details d
        where d.command = 'select cuecard.call_tick()' and d.end_time < now() - interval '1 day';
    end if;
    if p_prunes then
        delete from cuecard.cron_call where called_at < now() - interval '1 day';
    end if;
    if not cuecard.is_work_due() then
        return 'nothing is due';
    end if;
    if not exists (
        select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'net' and p.proname = 'http_post')
    then
        perform pg_catalog.pg_notify('cuecard', 'due');
        return 'told whoever listens';
    end if;
    -- pg_net's own limit of 5 s would give up on a worker that answers when it is done (TICK_RESPONSE_SECONDS=wait).
    select net.http_post(
        url => cuecard.cron_value('cuecard_tick_url'),
        headers => jsonb_build_object('Authorization', 'Bearer ' || cuecard.cron_value('cuecard_cron_secret'),
                                      'Content-Type', 'application/json'),
        body => '{}'::jsonb,
        timeout_milliseconds => 60000) into number;
    -- pg_net counts from one again where it was installed anew.
    insert into cuecard.cron_call values (number) on conflict (request) do update set called_at = excluded.called_at;
    return 'asked the worker, request ' || number;
end
$$;
comment on function cuecard.call_tick is
    'Asks the worker for a tick where there is work, without waiting for it; the answer is in net._http_response.';
revoke execute on function cuecard.call_tick from public;

-- pg_cron holds one job of a name for each role; whoever sees another role's has the right to replace it.
select cron.unschedule(jobid) from cron.job where jobname = 'cuecard-tick' and username <> current_user;
-- The same name again replaces the job. Calls may overlap: the worker's claims see to that.
select cron.schedule('cuecard-tick', '* * * * *', 'select cuecard.call_tick()');
