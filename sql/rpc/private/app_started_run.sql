-- API: private
create or replace function cuecard.app_started_run(
    device_id uuid, event_id uuid, occurrence timestamp, activity_id text
) returns cuecard.run
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
    who constant text := cuecard.signed_in_user();
    start constant timestamp := date_trunc('second', app_started_run.occurrence);
    card cuecard.run;
begin
    if app_started_run.device_id is null or app_started_run.event_id is null or start is null then
        raise exception 'neither run_id nor device_id, event_id and occurrence'
            using errcode = '22004',
                hint = 'Send run_id for a card that the server started, the other three for one that the app started.';
    end if;
    if start not between '0001-01-01' and '9999-12-31' then
        raise exception 'occurrence is no date'
            using errcode = '22008', hint = 'Send the occurrence''s original local start, such as 2026-03-01T09:00:00.';
    end if;
    -- The device's row is the lock under which its runs are made, here as in the tick.
    perform from cuecard.device d where d.id = app_started_run.device_id and d.user_id = who for update;
    if not found then
        raise exception 'you have no device with this id'
            using errcode = '42501', hint = 'Register the device first, with this account.';
    end if;
    select r.* into card from cuecard.run r
    where r.device_id = app_started_run.device_id and r.event_id = app_started_run.event_id
      and (r.activity_id = app_started_run.activity_id
           or r.occurrence = start and r.user_id = who and cuecard.is_live(r.state))
    order by r.activity_id = app_started_run.activity_id desc nulls last, r.generation desc limit 1 for update;
    if card.id is null then
        insert into cuecard.run (device_id, user_id, event_id, occurrence, generation, state, reason)
        select app_started_run.device_id, who, app_started_run.event_id, start,
               coalesce(max(r.generation), 0) + 1, 'confirmed', 'app_started'
        from cuecard.run r
        where r.device_id = app_started_run.device_id and r.event_id = app_started_run.event_id
          and r.occurrence = start
        returning * into card;
    end if;
    return card;
end
$$;
comment on function cuecard.app_started_run is 'The run of a card that the app started itself: the live one there is, or a new one.';
revoke execute on function cuecard.app_started_run from public;
