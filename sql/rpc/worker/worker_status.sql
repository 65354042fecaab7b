-- API: worker
create or replace function cuecard.worker_status(
    p_now timestamptz, p_environments text[], p_bundles text[], p_wall timestamptz default clock_timestamp()
) returns jsonb
language sql stable security definer
set search_path = ''
as $$
    with lane as materialized (
        select l.*, coalesce(l.paused_until > p_now, false) as is_paused,
               coalesce(l.served_at, l.created_at) < p_wall - interval '3 min' as is_unserved
        from cuecard.lane l where cuecard.has_key(l, p_environments, p_bundles)
    ), overdue as (
        -- Each look ends at the first device, or at none: the index leads with the lane.
        select l.apns_environment, l.bundle_id, coalesce(l.served_at, l.created_at) as since from lane l
        where l.is_unserved and not l.is_paused and exists (
            select from cuecard.device d
            where d.apns_environment = l.apns_environment and d.bundle_id = l.bundle_id and d.next_due_at <= p_now)
    )
    select jsonb_build_object(
        'overdue', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'environment', apns_environment, 'bundle_id', bundle_id,
                'minutes', floor(extract(epoch from p_wall - since) / 60)::int)), '[]') from overdue),
        'waiting_changes', (
            select count(*) from (
                select from cuecard.change where created_at < p_wall - interval '3 min' limit 1000) waiting
            where exists (select from lane l where l.is_unserved)),
        'paused', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'environment', apns_environment, 'bundle_id', bundle_id, 'reason', pause_reason)), '[]')
            from lane where is_paused),
        'lanes', (select count(*) from lane),
        'last_tick', (select extract(epoch from max(served_at)) from lane));
$$;
comment on function cuecard.worker_status is
    'How things stand for a worker with these keys. overdue: lanes with due devices that no tick came by for three minutes;'
    ' waiting_changes: changes as old, up to a thousand; paused: lanes stopped for a fault; lanes: how many there are;'
    ' last_tick: when a tick last came by one, in Unix seconds.';
revoke execute on function cuecard.worker_status from public;
grant execute on function cuecard.worker_status to cuecard_worker;
