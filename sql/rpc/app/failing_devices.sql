-- API: backend
create or replace function cuecard.failing_devices(p_days integer default 30, p_least integer default 3)
returns table (
    device_id uuid, user_id text, bundle_id text, apns_environment text, starts bigint, without_token bigint,
    last_start timestamptz, last_seen timestamptz, suspect_since timestamptz
)
language sql stable security definer
set search_path = ''
as $$
    select d.id, d.user_id, d.bundle_id, d.apns_environment, s.starts, s.without_token, s.last_start, d.last_seen,
           d.suspect_since
    from (
        select a.device_id, count(*) as starts, count(*) filter (where r.update_token_at is null) as without_token,
               max(a.intended_at) as last_start
        from cuecard.attempt a
        left join cuecard.run r on r.id = a.run_id
        where a.event = 'start' and a.outcome = 'accepted' and a.intended_at > clock_timestamp() - make_interval(days => p_days)
        group by a.device_id) s
    join cuecard.device d on d.id = s.device_id
    where d.suspect_since is not null or s.starts >= p_least and s.without_token * 2 > s.starts
    order by s.without_token desc, d.id
$$;
comment on function cuecard.failing_devices is
    'Devices whose cards do not show: of at least p_least starts that APNs took in p_days days most never got an update token, or the start token is suspect.';
revoke execute on function cuecard.failing_devices from public;
grant execute on function cuecard.failing_devices to service_role;
