-- API: worker
create or replace function cuecard.peek_due(
    p_now timestamptz, p_environments text[], p_bundles text[], p_after uuid, p_limit integer
) returns table (device_id uuid, revision bigint)
language plpgsql stable security definer
set search_path = ''
as $$
begin
    -- plpgsql plans with p_now itself, and so sees that few devices are due; a plan for any time would read them all.
    return query
    with lane as materialized (
        select l.apns_environment, l.bundle_id from cuecard.lane l
        where coalesce(greatest(l.paused_until, l.probe_at), '-infinity') <= p_now and cuecard.has_key(l, p_environments, p_bundles)
    ), due as materialized (
        select d.id, d.revision from lane join cuecard.device d using (apns_environment, bundle_id)
        where d.next_due_at <= p_now and (p_after is null or d.id > p_after)
        order by d.id limit p_limit
    ), ahead as materialized (
        -- begin_tick voids plans of the future
        select d.id, d.revision from lane join cuecard.device d using (apns_environment, bundle_id)
        where d.planned_at > p_now + interval '5 min' and (p_after is null or d.id > p_after)
        order by d.id limit p_limit
    ), changed as materialized (
        select touched.id from cuecard.change c
        cross join lateral (
            select unnest(cuecard.changed_devices(c, greatest(c.from_device, p_after), p_limit + 1))
            union all
            (select d.id from cuecard.device d
             where d.user_id = any (cuecard.calendar_people(c.calendar_id, c.from_user, null))
               and (p_after is null or d.id > p_after) order by d.id limit p_limit)) touched (id)
    )
    select d.id, d.revision from due d
    union
    select d.id, d.revision from ahead d
    union
    select d.id, d.revision from lane join cuecard.device d using (apns_environment, bundle_id)
    where d.id in (select id from changed) and (p_after is null or d.id > p_after)
    order by 1 limit p_limit;
end
$$;
comment on function cuecard.peek_due is 'What a tick would claim, changes not yet fanned out included; nothing is written.';
revoke execute on function cuecard.peek_due from public;
grant execute on function cuecard.peek_due to cuecard_worker;
