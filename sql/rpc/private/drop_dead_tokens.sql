-- API: private
create or replace function cuecard.drop_dead_tokens(p_answered uuid[], p_outcomes jsonb, p_now timestamptz) returns void
language sql
set search_path = ''
as $$
    -- Compare and delete: a token told since, or told again after Apple's time, stays.
    with dead as (
        select a.device_id, o.* from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, dead_start_token text,
            dead_wake_token text, dead_expo_token text, dead_since timestamptz, environment text, bundle_id text)
        join cuecard.attempt a on a.id = o.attempt_id
        left join cuecard.lane l on (l.apns_environment, l.bundle_id) = (o.environment, o.bundle_id)
        where o.attempt_id = any (p_answered)
          -- but for a token that APNs knows to be dead since then
          and (o.dead_since is not null or coalesce(l.spares_tokens_until <= p_now, true))
          and num_nonnulls(o.dead_start_token, o.dead_wake_token, o.dead_expo_token) > 0
    )
    update cuecard.device d set
        push_to_start_token = case when exists (
            select from dead where dead.device_id = d.id and dead.dead_start_token = d.push_to_start_token
               and (dead.dead_since is null or d.registered_at <= dead.dead_since)) then null else d.push_to_start_token end,
        wake_token = case when exists (
            select from dead where dead.device_id = d.id and dead.dead_wake_token = d.wake_token
               and (dead.dead_since is null or d.wake_registered_at <= dead.dead_since)) then null else d.wake_token end,
        expo_token = case when exists (
            select from dead where dead.device_id = d.id and dead.dead_expo_token = d.expo_token) then null else d.expo_token end
    where d.id in (select device_id from dead);

    -- Expo took it for another project's, which it cannot prove: it is left alone for a day.
    update cuecard.device d set expo_paused_until = o.expo_paused_until
    from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, paused_expo_token text, expo_paused_until timestamptz)
    join cuecard.attempt a on a.id = o.attempt_id
    where o.attempt_id = any (p_answered) and d.id = a.device_id and d.expo_token = o.paused_expo_token
$$;
comment on function cuecard.drop_dead_tokens is 'Clears the device tokens that APNs or Expo called dead.';
revoke execute on function cuecard.drop_dead_tokens from public;
