-- API: private
create or replace function cuecard.apply_settlements(p_held uuid[], p_steps jsonb, p_wall timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
    step record;
begin
    -- One after another, as the plan has them, each at the next free generation of its new occurrence: several keep
    -- their order, and a settled card that the plan did not see keeps its place.
    for step in
        select s.value ->> 'run_id' as run_id, s.value ->> 'device_id' as device_id, s.value ->> 'occurrence' as occurrence
        from jsonb_array_elements(p_steps) with ordinality s (value, position)
        where s.value ->> 'action' = 'rekey' and (s.value ->> 'device_id')::uuid = any (p_held)
        order by s.position
    loop
        update cuecard.run r set
            occurrence = step.occurrence::timestamp,
            generation = 1 + coalesce((
                select max(t.generation) from cuecard.run t
                where t.device_id = r.device_id and t.event_id = r.event_id and t.occurrence = step.occurrence::timestamp), 0)
        where r.id = step.run_id::uuid and r.device_id = step.device_id::uuid and r.occurrence <> step.occurrence::timestamp;
    end loop;

    update cuecard.run r set
        state = s.state,
        reason = s.reason,
        started_at = coalesce(r.started_at, s.started_at),
        closes_at = coalesce(s.closes_at, r.closes_at),
        gone_at = case when s.gone then coalesce(r.gone_at, p_wall) else r.gone_at end,
        -- nothing is owed to a card that is gone
        update_token = case when s.gone then null else r.update_token end,
        settled_at = case when cuecard.is_live(s.state) then null else coalesce(r.settled_at, p_wall) end,
        retry_at = case when s.state = r.state then r.retry_at end
    from jsonb_to_recordset(p_steps) as s (device_id uuid, action text, run_id uuid, state text, reason text,
        started_at timestamptz, closes_at timestamptz, gone boolean)
    where s.action = 'settle' and s.device_id = any (p_held) and r.id = s.run_id and r.device_id = s.device_id;
end
$$;
comment on function cuecard.apply_settlements is 'The steps of a plan that only change the ledger.';
revoke execute on function cuecard.apply_settlements from public;
