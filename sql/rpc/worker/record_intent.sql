-- API: worker
create or replace function cuecard.record_intent(
    p_tick uuid, p_now timestamptz, p_steps jsonb, p_wall timestamptz default clock_timestamp()
) returns setof uuid
language plpgsql security definer
set search_path = ''
set lock_timeout = '5s'
as $$
declare
    held uuid[];
begin
    -- Only devices that this tick still holds and that nobody changed since: all others are planned anew.
    select coalesce(array_agg(locked.id), '{}') into held from (
        select d.id from cuecard.device d
        join (select distinct s.device_id, s.revision from jsonb_to_recordset(p_steps) as s (device_id uuid, revision bigint)) s
          on s.device_id = d.id and s.revision = d.revision
        where d.claimed_tick = p_tick and d.claimed_until > p_wall
        order by d.id for update of d) locked;

    perform cuecard.apply_settlements(held, p_steps, p_wall);
    return query
    with step as (
        select s.* from jsonb_to_recordset(p_steps) as s (device_id uuid, action text, run_id uuid, attempt_id uuid,
            event_id uuid, occurrence timestamp, generation integer, reason text, started_at timestamptz,
            start_expires_at timestamptz, closes_at timestamptz, last_timestamp bigint, content jsonb,
            content_key text, phase text, stale_at timestamptz, cause text)
        where s.device_id = any (held) and s.attempt_id is not null
    ), started as (
        -- The key is the last word on "one start": whoever meets a row there does not start.
        insert into cuecard.run (id, device_id, user_id, event_id, occurrence, generation, state, reason,
            started_at, start_expires_at, closes_at, last_timestamp, content, content_key, phase, stale_at)
        select s.run_id, s.device_id, d.user_id, s.event_id, s.occurrence, s.generation, 'claimed', s.reason,
               s.started_at, s.start_expires_at, s.closes_at, s.last_timestamp, s.content, s.content_key, s.phase, s.stale_at
        from step s join cuecard.device d on d.id = s.device_id
        where s.action = 'start'
        on conflict do nothing
        returning id
    ), restarted as (
        -- Again only where APNs is known not to have processed it.
        update cuecard.run r set
            state = 'claimed', reason = s.reason, started_at = s.started_at, start_expires_at = s.start_expires_at,
            closes_at = s.closes_at, last_timestamp = s.last_timestamp, content = s.content,
            content_key = s.content_key, phase = s.phase, stale_at = s.stale_at, retry_at = null, settled_at = null
        from step s
        where s.action = 'start' and r.id = s.run_id and r.device_id = s.device_id and r.state = 'failed'
        returning r.id
    ), pushed as (
        update cuecard.run r set
            last_timestamp = s.last_timestamp,
            closes_at = coalesce(s.closes_at, r.closes_at),
            state = case when s.action = 'end' and cuecard.is_live(r.state) then 'ending' else r.state end,
            reason = case when s.action = 'end' and cuecard.is_live(r.state) then s.reason else r.reason end,
            end_sent_at = case when s.action = 'end' then p_now else r.end_sent_at end,
            retry_at = null
        from step s
        where s.action in ('update', 'end') and r.id = s.run_id and r.device_id = s.device_id
          -- the payload holds the timestamp, and a phone drops what is not newer
          and s.last_timestamp > coalesce(r.last_timestamp, 0)
        returning r.id
    )
    insert into cuecard.attempt (id, tick_id, device_id, run_id, event, cause, decided_at, intended_at)
    select s.attempt_id, p_tick, s.device_id, s.run_id, s.action, s.cause, p_now, p_wall
    from step s
    where s.action = 'wake'
       or s.run_id in (select id from started union all select id from restarted union all select id from pushed)
    returning id;
end
$$;
comment on function cuecard.record_intent is
    'Commits what is about to be sent, and what needs no push. Answers the attempts that may go out.';
revoke execute on function cuecard.record_intent from public;
grant execute on function cuecard.record_intent to cuecard_worker;
