-- Calls the worker's /tick once a minute from pg_cron through pg_net. Safe to run again.
--
-- Before it: create extension pg_cron; create extension pg_net; and tell it where the worker is, on Supabase with
--     select vault.create_secret('https://worker.example.com/tick', 'cuecard_tick_url');
--     select vault.create_secret('the CRON_SECRET', 'cuecard_cron_secret');
-- or elsewhere, once this file has run, with
--     insert into cuecard.cron_setting values ('cuecard_tick_url', '…'), ('cuecard_cron_secret', '…');
-- The job's text holds neither.

create table if not exists cuecard.cron_setting (
    name  text primary key check (name in ('cuecard_tick_url', 'cuecard_cron_secret')),
    value text not null check (value <> '')
);
comment on table cuecard.cron_setting is 'Where call_tick finds the worker, where there is no Vault.';
alter table cuecard.cron_setting enable row level security;

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

create or replace function cuecard.call_tick() returns bigint
language plpgsql
set search_path = ''
as $$
begin
    -- pg_net's own limit of 5 s would give up on a worker that answers when it is done (TICK_RESPONSE_SECONDS=wait).
    return net.http_post(
        url => cuecard.cron_value('cuecard_tick_url'),
        headers => jsonb_build_object('Authorization', 'Bearer ' || cuecard.cron_value('cuecard_cron_secret'),
                                      'Content-Type', 'application/json'),
        body => '{}'::jsonb,
        timeout_milliseconds => 60000);
end
$$;
comment on function cuecard.call_tick is 'Asks the worker for a tick, without waiting for it; the answer is in net._http_response.';
revoke execute on function cuecard.call_tick from public;

-- The same name again replaces the job. Calls may overlap: the worker's claims see to that.
select cron.schedule('cuecard-tick', '* * * * *', 'select cuecard.call_tick()');
