-- Who sees what: a calendar's owner and its members.
create table if not exists cuecard.calendar (
    id       uuid primary key default gen_random_uuid(),
    owner_id text not null check (owner_id <> ''),
    kind     text not null default 'personal' check (kind in ('personal', 'shared')),
    name     text not null default ''
);
create index if not exists calendar_owner on cuecard.calendar (owner_id);
comment on table cuecard.calendar is 'A list of events; its kind decides which of a device''s switches governs it.';

create table if not exists cuecard.calendar_member (
    calendar_id uuid not null references cuecard.calendar on delete cascade,
    user_id     text not null check (user_id <> ''),
    primary key (calendar_id, user_id)
);
create index if not exists calendar_member_user on cuecard.calendar_member (user_id);
comment on table cuecard.calendar_member is 'Who sees a calendar beside its owner.';

-- Security definer, so that the policies below do not ask each other in a circle.
create or replace function cuecard.my_calendars() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
    select c.id from cuecard.calendar c where c.owner_id = cuecard.current_user_id()
    union
    select m.calendar_id from cuecard.calendar_member m where m.user_id = cuecard.current_user_id()
$$;
comment on function cuecard.my_calendars is 'The calendars that the signed-in user owns or is a member of.';
revoke execute on function cuecard.my_calendars from public;
grant execute on function cuecard.my_calendars to authenticated;

alter table cuecard.calendar enable row level security;
drop policy if exists backend on cuecard.calendar;
create policy backend on cuecard.calendar to service_role using (true) with check (true);
drop policy if exists mine on cuecard.calendar;
create policy mine on cuecard.calendar for select to authenticated
    using (id in (select cuecard.my_calendars()));
grant select, insert, update, delete on cuecard.calendar to service_role;
grant select on cuecard.calendar to authenticated;

alter table cuecard.calendar_member enable row level security;
drop policy if exists backend on cuecard.calendar_member;
create policy backend on cuecard.calendar_member to service_role using (true) with check (true);
drop policy if exists mine on cuecard.calendar_member;
create policy mine on cuecard.calendar_member for select to authenticated
    using (user_id = (select cuecard.current_user_id()));
grant select, insert, update, delete on cuecard.calendar_member to service_role;
grant select on cuecard.calendar_member to authenticated;
