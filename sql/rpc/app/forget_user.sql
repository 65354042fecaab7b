-- API: backend
create or replace function cuecard.forget_user(user_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
    person constant text := forget_user.user_id;
    devices uuid[];
begin
    -- Device first, then its runs, as everyone locks them.
    perform from cuecard.device d where d.user_id = person order by d.id for update;
    devices := array(select d.id from cuecard.device d where d.user_id = person);
    delete from cuecard.attempt a
    where a.device_id = any (devices) or a.run_id in (select r.id from cuecard.run r where r.user_id = person);
    delete from cuecard.run r where r.user_id = person or r.device_id = any (devices);
    delete from cuecard.device d where d.id = any (devices);
    delete from cuecard.calendar_member m where m.user_id = person;
    delete from cuecard.calendar c where c.owner_id = person;
    -- what the deletions above wrote of them
    delete from cuecard.change c where c.user_id = person;
end
$$;
comment on function cuecard.forget_user is
    'Erases a person: devices, cards, calendars with their events, memberships. Cards on screens are not ended: unregister first.';
revoke execute on function cuecard.forget_user from public;
grant execute on function cuecard.forget_user to service_role;
