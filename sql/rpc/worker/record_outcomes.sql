-- API: worker
create or replace function cuecard.record_outcomes(
    p_now timestamptz, p_outcomes jsonb, p_wall timestamptz default clock_timestamp()
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
    update cuecard.attempt a set outcome = o.outcome, status = o.status, reason = o.reason, answered_at = p_wall
    from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, outcome text, status integer, reason text)
    where a.id = o.attempt_id;

    perform from cuecard.device d
    where d.id in (select o.device_id from jsonb_to_recordset(p_outcomes) as o (device_id uuid))
    order by d.id for update;

    -- The app's word, or a newer decision, may have come meanwhile: an answer moves only the state that it answers.
    update cuecard.run r set
        state = case when r.state = any (o.from_states) then o.to_state else r.state end,
        reason = case when r.state = any (o.from_states) then coalesce(o.run_reason, r.reason) else r.reason end,
        gone_at = case when o.gone then coalesce(r.gone_at, p_now) else r.gone_at end,
        settled_at = case when r.state = any (o.from_states) and not cuecard.is_live(o.to_state)
                          then coalesce(r.settled_at, p_now) else r.settled_at end,
        update_token = case when r.update_token = o.spent_update_token
                             and (o.dead_since is null or r.update_token_at <= o.dead_since) then null else r.update_token end,
        content = coalesce(o.content, r.content),
        content_key = coalesce(o.content_key, r.content_key),
        phase = coalesce(o.phase, r.phase),
        stale_at = coalesce(o.stale_at, r.stale_at),
        retry_at = o.retry_at,
        failures = case when o.outcome = 'accepted' then 0 else r.failures + 1 end
    from jsonb_to_recordset(p_outcomes) as o (run_id uuid, outcome text, from_states text[], to_state text,
        run_reason text, gone boolean, spent_update_token text, dead_since timestamptz, content jsonb,
        content_key text, phase text, stale_at timestamptz, retry_at timestamptz)
    where r.id = o.run_id;

    -- Compare and delete: a token told since, or told again after Apple's time, stays.
    update cuecard.device d set
        push_to_start_token = case when d.push_to_start_token = o.dead_start_token
            and (o.dead_since is null or d.registered_at <= o.dead_since) then null else d.push_to_start_token end,
        wake_token = case when d.wake_token = o.dead_wake_token
            and (o.dead_since is null or d.registered_at <= o.dead_since) then null else d.wake_token end
    from jsonb_to_recordset(p_outcomes) as o (device_id uuid, dead_start_token text, dead_wake_token text,
        dead_since timestamptz)
    where d.id = o.device_id and (o.dead_start_token is not null or o.dead_wake_token is not null);

    -- A fault of the key stops its lane, not its devices' tokens.
    update cuecard.lane l set paused_until = greatest(l.paused_until, o.pause_until), pause_reason = o.reason
    from jsonb_to_recordset(p_outcomes) as o (environment text, bundle_id text, pause_until timestamptz, reason text)
    where o.pause_until is not null and l.apns_environment = o.environment and l.bundle_id = o.bundle_id;

    -- Whatever was not accepted changes the plan: when to try again, or what else to do.
    update cuecard.device d set next_due_at = '-infinity', revision = d.revision + 1
    where d.id in (select o.device_id from jsonb_to_recordset(p_outcomes) as o (device_id uuid, outcome text)
                   where o.outcome <> 'accepted');
end
$$;
comment on function cuecard.record_outcomes is
    'Records what APNs said of each attempt and what follows for its run, its token and its lane.';
revoke execute on function cuecard.record_outcomes from public;
grant execute on function cuecard.record_outcomes to cuecard_worker;
