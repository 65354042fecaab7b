-- API: private
create or replace function cuecard.calendar_people(calendar_id uuid, from_user text, size integer) returns text[]
language sql stable
set search_path = ''
as $$
    select array(
        (select m.user_id from cuecard.calendar_member m
         where m.calendar_id = calendar_people.calendar_id and m.user_id >= from_user order by m.user_id limit size)
        union
        (select c.owner_id from cuecard.calendar c where c.id = calendar_people.calendar_id and c.owner_id >= from_user)
        order by 1 limit size)
$$;
comment on function cuecard.calendar_people is 'The next so many who see a calendar: its members and its owner, in order.';
revoke execute on function cuecard.calendar_people from public;
