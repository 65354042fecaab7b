-- API: private
create or replace function cuecard.judge_lanes(p_answered uuid[], p_outcomes jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
    -- fewer failures than these may be a coincidence, and are no flood
    fewest constant integer := 5;
    verdict record;
begin
    -- In order, as everyone who waits for lanes locks them.
    for verdict in
        select o.environment, o.bundle_id,
               -- a key with which others got through is not at fault
               max(o.pause_until) filter (where not o.is_served) as until, max(o.spare_tokens_until) as spares,
               min(o.reason) filter (where o.pause_until is not null and not o.is_served) as reason,
               bool_and(coalesce(o.lane_fault, false)) as is_failing, count(*) as pushes
        from (
            select push.*, bool_or(push.outcome = 'accepted') over (partition by push.environment, push.bundle_id) as is_served
            from jsonb_to_recordset(p_outcomes) as push (attempt_id uuid, environment text, bundle_id text, outcome text,
                pause_until timestamptz, spare_tokens_until timestamptz, reason text, lane_fault boolean)
            where push.attempt_id = any (p_answered) and push.environment is not null) o
        group by o.environment, o.bundle_id order by o.environment, o.bundle_id
    loop
        -- A fault of the key stops its lane, not its devices' tokens; and what comes after is tried by a few.
        update cuecard.lane l set
            paused_until = greatest(l.paused_until, verdict.until),
            spares_tokens_until = greatest(l.spares_tokens_until, verdict.spares),
            pause_reason = coalesce(verdict.reason, l.pause_reason),
            probe_at = case when verdict.until is not null then greatest(l.paused_until, verdict.until)
                            when verdict.is_failing then p_now + interval '1 min' end
        where l.apns_environment = verdict.environment and l.bundle_id = verdict.bundle_id
          and (verdict.until is not null or verdict.spares is not null
               or verdict.is_failing and (l.probe_at is not null or verdict.pushes >= fewest)
               or not verdict.is_failing and l.probe_at is not null);
    end loop;
end
$$;
comment on function cuecard.judge_lanes is
    'Stops the lanes whose key was refused, has those probed where every push of a batch failed, and opens what works.';
revoke execute on function cuecard.judge_lanes from public;
