-- API: private
create or replace function cuecard.registration(device_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
    d cuecard.device;
    why text;
begin
    select * into d from cuecard.device r where r.id = registration.device_id;
    why := case
        when not d.live_activities_enabled then 'live_activities_off'
        when d.push_to_start_token is null then 'no_start_token'
        when exists (
            -- ticks come by, and for ten minutes none had a key for this environment and app
            select from cuecard.lane l
            where l.apns_environment = d.apns_environment and l.bundle_id = d.bundle_id
              and exists (select from cuecard.tick t
                          where t.started_at > coalesce(l.served_at + interval '10 min', l.created_at))
        ) then 'no_key'
    end;
    return jsonb_build_object(
        'server_starts', why is null,
        'reason', why,
        'runs', coalesce((
            select jsonb_agg(jsonb_build_object('run_id', r.id, 'event_id', r.event_id,
                'occurrence', cuecard.local_time(r.occurrence), 'state', r.state) order by r.created_at, r.id)
            from cuecard.run r
            where r.device_id = d.id and r.user_id = d.user_id and cuecard.is_live(r.state)), '[]'));
end
$$;
comment on function cuecard.registration is
    'What a registration answers: whether the server starts cards here (else why not), and the live runs.';
revoke execute on function cuecard.registration from public;
