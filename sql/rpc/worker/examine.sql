-- API: worker
create or replace function cuecard.examine(p_wall timestamptz default clock_timestamp()) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
    worker constant text := 'cuecard_worker';
    cron jsonb;
    http jsonb;
begin
    -- Extensions may be missing, or closed to the schema's owner.
    if exists (select from pg_extension where extname = 'pg_cron') then
        begin
            execute $q$
                select jsonb_build_object('jobs', coalesce(jsonb_agg(jsonb_build_object(
                    'schedule', j.schedule, 'active', j.active, 'last_start', extract(epoch from r.start_time),
                    'status', r.status, 'message', left(r.return_message, 200)) order by j.jobid), '[]'))
                from cron.job j
                left join lateral (
                    select d.start_time, d.status, d.return_message from cron.job_run_details d
                    where d.jobid = j.jobid order by d.runid desc limit 1) r on true
                where j.jobname = 'cuecard-tick'$q$ into cron;
        exception when others then
            cron := jsonb_build_object('unreadable', sqlerrm);
        end;
    end if;
    -- Other programs call through pg_net too: what they are answered is not ours.
    if to_regclass('net._http_response') is not null and to_regclass('cuecard.cron_call') is not null then
        begin
            execute $q$
                select jsonb_build_object('failed', count(*) filter (where r.timed_out or r.error_msg is not null or r.status_code >= 400),
                    'status', (array_agg(r.status_code order by r.id desc))[1],
                    'error', left((array_agg(r.error_msg order by r.id desc))[1], 200))
                from net._http_response r join cuecard.cron_call c on c.request = r.id
                where c.called_at > now() - interval '10 min'$q$ into http;
        exception when others then
            http := jsonb_build_object('unreadable', sqlerrm);
        end;
    end if;
    return jsonb_build_object(
        'server_version', current_setting('server_version_num')::integer,
        'clock', extract(epoch from clock_timestamp()),
        'migrations', (select coalesce(jsonb_agg(m.name order by m.name), '[]') from cuecard.migration m),
        'missing_roles', (
            select coalesce(jsonb_agg(name), '[]')
            from unnest(array['anon', 'authenticated', 'service_role', 'cuecard_worker']) name
            where not exists (select from pg_roles where rolname = name)),
        'worker_functions', (
            select coalesce(jsonb_agg(p.proname order by p.proname), '[]') from pg_proc p
            where p.pronamespace = 'cuecard'::regnamespace and has_function_privilege(worker, p.oid, 'execute')),
        'worker_tables', (
            select coalesce(jsonb_agg(c.oid::regclass::text order by c.relname), '[]') from pg_class c
            where c.relnamespace = 'cuecard'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
              and has_table_privilege(worker, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')),
        'worker_powers', (
            select coalesce(jsonb_agg(power), '[]') from pg_roles r
            cross join lateral (values ('SUPERUSER', r.rolsuper), ('CREATEROLE', r.rolcreaterole), ('BYPASSRLS', r.rolbypassrls),
                ('membership in the role that owns the schema', not r.rolsuper and pg_has_role(r.oid,
                    (select nspowner from pg_namespace where nspname = 'cuecard'), 'member'))) p (power, has)
            where r.rolname = worker and p.has),
        'open_tables', (
            select coalesce(jsonb_agg(c.relname order by c.relname), '[]') from pg_class c
            where c.relnamespace = 'cuecard'::regnamespace and c.relkind = 'r' and not c.relrowsecurity),
        'cron', cron, 'http', http,
        'call_timeout_ms', (
            select substring(p.prosrc from 'timeout_milliseconds => (\d+)')::integer from pg_proc p
            where p.pronamespace = 'cuecard'::regnamespace and p.proname = 'call_tick'),
        'last_tick', (select extract(epoch from max(t.started_at)) from cuecard.tick t),
        'last_finished_tick', (
            select extract(epoch from t.finished_at) from cuecard.tick t where t.finished_at is not null
            order by t.started_at desc limit 1),
        'oldest_change', (select extract(epoch from min(c.created_at)) from (
            select created_at from cuecard.change order by id limit 1) c),
        'suspects', (select count(*) from cuecard.device d where d.suspect_since is not null),
        'apps', (select coalesce(jsonb_agg(a.bundle_id order by a.bundle_id), '[]') from cuecard.app a),
        'lanes', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'environment', l.apns_environment, 'bundle_id', l.bundle_id, 'devices', device.count, 'overdue', overdue.count,
                'paused_until', extract(epoch from case when l.paused_until > p_wall then least(l.paused_until, p_wall + interval '10 years') end),
                'pause_reason', l.pause_reason, 'is_probed', l.probe_at is not null,
                'spares_tokens', coalesce(l.spares_tokens_until > p_wall, false))
                order by l.apns_environment, l.bundle_id), '[]')
            from cuecard.lane l
            cross join lateral (
                select count(*) from (
                    select from cuecard.device d
                    where d.apns_environment = l.apns_environment and d.bundle_id = l.bundle_id
                      and d.unregistered_at is null limit 1000) counted) device
            cross join lateral (
                select count(*) from (
                    select from cuecard.device d
                    where d.apns_environment = l.apns_environment and d.bundle_id = l.bundle_id
                      and d.next_due_at <= p_wall - interval '3 min'
                      -- a new device is due since ever, and late where no tick came by
                      and (d.next_due_at > '-infinity' or coalesce(l.served_at, l.created_at) < p_wall - interval '3 min')
                      and (d.claimed_until is null or d.claimed_until <= p_wall) limit 1000) counted) overdue));
end
$$;
comment on function cuecard.examine is
    'What `cuecard doctor` has to know of the database: version, migrations, rights, cron job, last tick, lanes; counts end at a thousand.';
revoke execute on function cuecard.examine from public;
grant execute on function cuecard.examine to cuecard_worker;
