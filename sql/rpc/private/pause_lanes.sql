-- API: private
create or replace function cuecard.pause_lanes(p_answered uuid[], p_outcomes jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
    fault record;
begin
    -- A fault of the key stops its lane, not its devices' tokens. In order, as everyone who waits for lanes locks them.
    for fault in
        select o.environment, o.bundle_id, max(o.pause_until) as until, min(o.reason) as reason
        from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, environment text, bundle_id text,
            pause_until timestamptz, reason text)
        where o.attempt_id = any (p_answered) and o.pause_until is not null
        group by o.environment, o.bundle_id order by o.environment, o.bundle_id
    loop
        update cuecard.lane l set paused_until = greatest(l.paused_until, fault.until), pause_reason = fault.reason
        where l.apns_environment = fault.environment and l.bundle_id = fault.bundle_id;
    end loop;
end
$$;
comment on function cuecard.pause_lanes is 'Stops the lanes whose key was refused.';
revoke execute on function cuecard.pause_lanes from public;
