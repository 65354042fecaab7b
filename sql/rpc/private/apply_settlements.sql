-- API: private
create or replace function cuecard.apply_settlements(p_held uuid[], p_now timestamptz, p_steps jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
    update cuecard.run r set occurrence = s.occurrence, generation = s.generation
    from jsonb_to_recordset(p_steps) as s (device_id uuid, action text, run_id uuid, occurrence timestamp, generation integer)
    where s.action = 'rekey' and s.device_id = any (p_held) and r.id = s.run_id and r.device_id = s.device_id;

    update cuecard.run r set
        state = s.state,
        reason = s.reason,
        started_at = coalesce(r.started_at, s.started_at),
        closes_at = coalesce(s.closes_at, r.closes_at),
        gone_at = case when s.gone then coalesce(r.gone_at, p_now) else r.gone_at end,
        settled_at = case when cuecard.is_live(s.state) then null else coalesce(r.settled_at, p_now) end,
        retry_at = case when s.state = r.state then r.retry_at end
    from jsonb_to_recordset(p_steps) as s (device_id uuid, action text, run_id uuid, state text, reason text,
        started_at timestamptz, closes_at timestamptz, gone boolean)
    where s.action = 'settle' and s.device_id = any (p_held) and r.id = s.run_id and r.device_id = s.device_id;
end
$$;
comment on function cuecard.apply_settlements is 'The steps of a plan that only change the ledger.';
revoke execute on function cuecard.apply_settlements from public;
