-- API: worker
create or replace function cuecard.unserved_lanes(p_now timestamptz, p_environments text[], p_bundles text[])
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
    -- plpgsql plans with p_now itself, and so sees that few devices are due.
    return (
        with lane as (
            select shut.*, due.devices
            from (
                select l.*, cuecard.has_key(l, p_environments, p_bundles) as has_key from cuecard.lane l) shut
            -- Up to a thousand are counted.
            cross join lateral (
                select count(*) as devices from (
                    select from cuecard.device d
                    where d.apns_environment = shut.apns_environment and d.bundle_id = shut.bundle_id
                      and d.next_due_at <= p_now
                    limit 1000) counted) due
            where (not shut.has_key or shut.paused_until > p_now or shut.probe_at is not null) and due.devices > 0
        )
        select jsonb_build_object(
            'keyless', coalesce(jsonb_agg(jsonb_build_object(
                'environment', apns_environment, 'bundle_id', bundle_id, 'devices', devices)) filter (where not has_key), '[]'),
            'paused', coalesce(jsonb_agg(jsonb_build_object(
                'environment', apns_environment, 'bundle_id', bundle_id,
                'reason', case when paused_until > p_now then coalesce(pause_reason, '') else 'the last pushes all failed' end,
                -- 'infinity', by which somebody stops a lane for good, is no number
                'until', extract(epoch from least(greatest(paused_until, probe_at), p_now + interval '10 years'))))
                filter (where has_key), '[]'))
        from lane);
end
$$;
comment on function cuecard.unserved_lanes is
    'The lanes whose due devices get nothing now: keyless (environment, bundle_id, devices), of which this worker has no key,'
    ' and paused (environment, bundle_id, reason, until), which wait after a refused key, or are tried with five devices a tick.';
revoke execute on function cuecard.unserved_lanes from public;
grant execute on function cuecard.unserved_lanes to cuecard_worker;
