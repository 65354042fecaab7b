-- API: private
create or replace function cuecard.apply_outcomes_to_runs(
    p_answered uuid[], p_outcomes jsonb, p_now timestamptz, p_wall timestamptz
) returns void
language sql
set search_path = ''
as $$
    with answer as (
        select o.*, r.id as run, r.state,
            -- The answer was about this token: one that came or was told again since has not been answered.
            o.spent_update_token is null
                or o.spent_update_token = r.update_token
                   and (o.dead_since is null or r.update_token_at <= o.dead_since) as about_token,
            -- Nothing newer was sent: what a worker recorded that was asleep for long does not undo it.
            o.last_timestamp is not distinct from r.last_timestamp as newest,
            -- APNs called a token dead that was told since.
            o.spent_update_token = r.update_token and r.update_token_at > o.dead_since
                or o.dead_start_token = d.push_to_start_token and d.registered_at > o.dead_since as revived
        from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, run_id uuid, outcome text, from_states text[],
            to_state text, run_reason text, gone boolean, spent_update_token text, dead_start_token text,
            dead_since timestamptz, last_timestamp bigint, content jsonb, content_key text, phase text,
            stale_at timestamptz, retry_at timestamptz)
        join cuecard.run r on r.id = o.run_id
        left join cuecard.device d on d.id = r.device_id
        where o.attempt_id = any (p_answered)
    ), verdict as (
        -- The app's word, or a newer decision, may have come meanwhile: an answer moves only the state that it answers.
        select *, about_token and state = any (from_states) as moves from answer
    )
    update cuecard.run r set
        state = case when v.moves then v.to_state else r.state end,
        reason = case when v.moves then coalesce(v.run_reason, r.reason) else r.reason end,
        gone_at = case when v.gone and v.about_token then coalesce(r.gone_at, p_wall) else r.gone_at end,
        settled_at = case when v.moves and not cuecard.is_live(v.to_state) then coalesce(r.settled_at, p_wall) else r.settled_at end,
        update_token = case when v.spent_update_token is not null and v.about_token then null else r.update_token end,
        content = case when v.newest then coalesce(v.content, r.content) else r.content end,
        content_key = case when v.newest then coalesce(v.content_key, r.content_key) else r.content_key end,
        phase = case when v.newest then coalesce(v.phase, r.phase) else r.phase end,
        stale_at = case when v.newest then coalesce(v.stale_at, r.stale_at) else r.stale_at end,
        -- a revived token is tried again, but not at once and again and again
        retry_at = case when not v.newest then r.retry_at
                        when v.revived then coalesce(v.retry_at, p_now + interval '15 min') else v.retry_at end,
        failures = case when not v.newest then r.failures when v.outcome = 'accepted' then 0 else r.failures + 1 end
    from verdict v where r.id = v.run
$$;
comment on function cuecard.apply_outcomes_to_runs is 'What APNs'' answers mean for their runs.';
revoke execute on function cuecard.apply_outcomes_to_runs from public;
