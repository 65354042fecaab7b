-- API: private
create or replace function cuecard.learn_environments(p_answered uuid[], p_outcomes jsonb, p_wall timestamptz) returns void
language plpgsql
set search_path = ''
as $$
declare
    lesson record;
begin
    for lesson in
        select a.device_id, a.event, o.outcome, o.environment, o.start_token, coalesce(o.try_other, false) as try_other, o.reason
        from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, outcome text, environment text, start_token text,
            try_other boolean, reason text)
        join cuecard.attempt a on a.id = o.attempt_id
        where o.attempt_id = any (p_answered) and o.environment is not null
          and (o.outcome = 'accepted' or o.reason = 'BadDeviceToken' and a.event = 'start')
        order by a.device_id
    loop
        if lesson.outcome = 'accepted' then
            -- Only the token that was tried proves where it belongs; the app may have told another one meanwhile.
            update cuecard.device d set
                apns_environment = lesson.environment,
                told_environment = coalesce(d.told_environment, d.apns_environment),
                environment_confirmed_at = p_wall,
                is_trying_other = false
            where d.id = lesson.device_id
              and (d.environment_confirmed_at is null and d.apns_environment = lesson.environment
                   or d.is_trying_other and d.apns_environment <> lesson.environment
                      and d.tried_token = lesson.start_token and d.push_to_start_token = lesson.start_token);
        else
            -- The other environment's turn, once; or its answer, after which the token is what this answer makes of it.
            update cuecard.device d set
                tried_token = lesson.start_token,
                is_trying_other = lesson.try_other
            where d.id = lesson.device_id and d.push_to_start_token = lesson.start_token
              and (lesson.try_other or d.is_trying_other);
        end if;
    end loop;
end
$$;
comment on function cuecard.learn_environments is
    'What answers say of a device''s environment: confirmed, to be tried in the other one once, or mended.';
revoke execute on function cuecard.learn_environments from public;
