-- API: worker
create or replace function cuecard.reschedule(
    p_tick uuid, p_devices uuid[], p_revisions bigint[], p_next_due timestamptz[],
    p_wall timestamptz default clock_timestamp()
) returns integer
language plpgsql security definer
set search_path = ''
set lock_timeout = '5s'
as $$
declare
    moved integer;
begin
    perform from cuecard.device d where d.id = any (p_devices) order by d.id for update;
    -- The lease ends for all of them; the new time holds only under it, and where nothing changed since the claim.
    update cuecard.device d
    set claimed_until = null,
        planned_at = case when d.revision = r.revision and d.claimed_until > p_wall
            then (select t.now from cuecard.tick t where t.id = p_tick) else d.planned_at end,
        next_due_at = case when d.revision = r.revision and d.claimed_until > p_wall then r.next_due else d.next_due_at end
    from unnest(p_devices, p_revisions, p_next_due) as r (device_id, revision, next_due)
    where d.id = r.device_id and d.claimed_tick = p_tick;
    get diagnostics moved = row_count;
    -- Logged out and nothing left to take down: the last tokens go.
    update cuecard.device d set wake_token = null, expo_token = null
    where d.id = any (p_devices) and d.unregistered_at is not null and (d.wake_token is not null or d.expo_token is not null)
      and not exists (select from cuecard.run r where r.device_id = d.id and cuecard.is_live(r.state));
    return moved;
end
$$;
comment on function cuecard.reschedule is
    'Ends the lease and writes when each device is due next; one that changed since the claim stays due.';
revoke execute on function cuecard.reschedule from public;
grant execute on function cuecard.reschedule to cuecard_worker;
