-- API: worker
create or replace function cuecard.claim_due(
    p_tick uuid, p_now timestamptz, p_environments text[], p_bundles text[], p_limit integer, p_lease_seconds integer,
    p_wall timestamptz default clock_timestamp()
) returns table (device_id uuid, revision bigint)
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
#variable_conflict use_column
declare
    lane cuecard.lane;
    claimed integer;
    remaining integer := p_limit;
    -- of a lane with nothing but failures: enough to learn whether it is well again
    trickle constant integer := 5;
begin
    for lane in
        select l.* from cuecard.lane l
        where coalesce(greatest(l.paused_until, l.probe_at), '-infinity') <= p_now and cuecard.has_key(l, p_environments, p_bundles)
        -- one app's flood must not always go before the others
        order by random()
    loop
        return query
        -- Materialized, so that the limit is reached once, whatever the join looks like.
        with due as materialized (
            select id from cuecard.device
            where apns_environment = lane.apns_environment and bundle_id = lane.bundle_id and next_due_at <= p_now
              and (claimed_until is null or claimed_until <= p_wall)
              -- a (device, revision) once a tick, whatever went wrong with it
              and (claimed_tick is distinct from p_tick or claimed_revision <> revision)
            order by next_due_at limit case when lane.probe_at is null then remaining else least(remaining, trickle) end
            for update skip locked
        )
        update cuecard.device d
        set claimed_tick = p_tick, claimed_revision = d.revision,
            claimed_until = p_wall + make_interval(secs => p_lease_seconds)
        from due where d.id = due.id
        returning d.id, d.revision;
        get diagnostics claimed = row_count;
        remaining := remaining - claimed;
        exit when remaining <= 0;
    end loop;
end
$$;
comment on function cuecard.claim_due is
    'Takes up to p_limit due devices under a lease, in the lanes that the worker has keys for; a few only where a lane is being probed.';
revoke execute on function cuecard.claim_due from public;
grant execute on function cuecard.claim_due to cuecard_worker;
