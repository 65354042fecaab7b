-- What changed and whose devices must be planned again. A write appends; the tick fans out. Appending takes no lock
-- that another writer waits for.
create table if not exists cuecard.change (
    id          bigint generated always as identity primary key,
    calendar_id uuid,
    event_id    uuid,
    user_id     text,
    bundle_id   text,
    device_id   uuid,
    -- how far it has been fanned out: the first one still to come
    from_device uuid not null default '00000000-0000-0000-0000-000000000000',
    from_user   text not null default '',
    not_before  timestamptz,
    created_at  timestamptz not null default clock_timestamp(),
    constraint names_one_thing check (num_nonnulls(calendar_id, event_id, user_id, bundle_id, device_id) = 1)
);
comment on table cuecard.change is
    'Changes not yet fanned out to devices; each row names one calendar, event, user, app or device.';
comment on column cuecard.change.not_before is 'Set where somebody held the device''s row; it is tried again then.';
alter table cuecard.change enable row level security;

create or replace function cuecard.calendar_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if tg_op in ('INSERT', 'UPDATE') then
        insert into cuecard.change (calendar_id) select id from new_rows;
    end if;
    if tg_op in ('UPDATE', 'DELETE') then
        insert into cuecard.change (user_id)
        select distinct o.owner_id from old_rows o
        where not exists (select from cuecard.calendar c where c.id = o.id and c.owner_id = o.owner_id);
    end if;
    return null;
end
$$;

create or replace function cuecard.calendar_member_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        insert into cuecard.change (user_id) select distinct user_id from new_rows;
    elsif tg_op = 'DELETE' then
        insert into cuecard.change (user_id) select distinct user_id from old_rows;
    else
        insert into cuecard.change (user_id) select user_id from old_rows union select user_id from new_rows;
    end if;
    return null;
end
$$;

-- Old and new calendar; and the event itself where a device shows it, which may see neither any more.
create or replace function cuecard.event_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if tg_op in ('UPDATE', 'DELETE') then
        insert into cuecard.change (calendar_id) select distinct calendar_id from old_rows;
        insert into cuecard.change (event_id)
        select distinct o.id from old_rows o
        where exists (select from cuecard.run r where r.event_id = o.id
                      and r.state in ('claimed', 'accepted', 'confirmed', 'ending', 'unknown'));
    end if;
    if tg_op = 'INSERT' then
        insert into cuecard.change (calendar_id) select distinct calendar_id from new_rows;
    elsif tg_op = 'UPDATE' then
        insert into cuecard.change (calendar_id)
        select calendar_id from new_rows except select calendar_id from old_rows;
    end if;
    return null;
end
$$;

-- Where the event itself goes, its own trigger has said so.
create or replace function cuecard.event_override_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        insert into cuecard.change (calendar_id)
        select distinct calendar_id from cuecard.event where id in (select event_id from new_rows);
    elsif tg_op = 'DELETE' then
        insert into cuecard.change (calendar_id)
        select distinct calendar_id from cuecard.event where id in (select event_id from old_rows);
    else
        insert into cuecard.change (calendar_id)
        select distinct calendar_id from cuecard.event
        where id in (select event_id from old_rows union all select event_id from new_rows);
    end if;
    return null;
end
$$;

create or replace function cuecard.app_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        insert into cuecard.change (bundle_id) select distinct bundle_id from new_rows;
    elsif tg_op = 'DELETE' then
        insert into cuecard.change (bundle_id) select distinct bundle_id from old_rows;
    else
        insert into cuecard.change (bundle_id) select bundle_id from old_rows union select bundle_id from new_rows;
    end if;
    return null;
end
$$;

-- A backend that empties a table in order to fill it again has changed everything that was in it.
create or replace function cuecard.everything_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    insert into cuecard.change (bundle_id) select distinct bundle_id from cuecard.lane;
    return null;
end
$$;

do $$
declare
    name text;
begin
    foreach name in array array['calendar', 'calendar_member', 'event', 'event_override', 'app'] loop
        execute format('create or replace trigger %1$s_inserted after insert on cuecard.%1$I
            referencing new table as new_rows for each statement execute function cuecard.%2$I()', name, name || '_changed');
        execute format('create or replace trigger %1$s_updated after update on cuecard.%1$I
            referencing old table as old_rows new table as new_rows
            for each statement execute function cuecard.%2$I()', name, name || '_changed');
        execute format('create or replace trigger %1$s_deleted after delete on cuecard.%1$I
            referencing old table as old_rows for each statement execute function cuecard.%2$I()', name, name || '_changed');
        execute format('create or replace trigger %1$s_truncated before truncate on cuecard.%1$I
            for each statement execute function cuecard.everything_changed()', name);
    end loop;
end
$$;

-- A device that changes in anything but its bookkeeping must be planned again.
create or replace function cuecard.device_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if (new.user_id, new.bundle_id, new.apns_environment, new.push_to_start_token, new.wake_token, new.expo_token,
        new.time_zone, new.locale, new.shows_personal, new.shows_shared, new.live_activities_enabled, new.unregistered_at)
       is distinct from
       (old.user_id, old.bundle_id, old.apns_environment, old.push_to_start_token, old.wake_token, old.expo_token,
        old.time_zone, old.locale, old.shows_personal, old.shows_shared, old.live_activities_enabled, old.unregistered_at)
    then
        new.revision := old.revision + 1;
        new.next_due_at := '-infinity';
    end if;
    return new;
end
$$;
create or replace trigger device_changed before update on cuecard.device
    for each row execute function cuecard.device_changed();

-- A lane exists as soon as a device does, however the device came to be.
create or replace function cuecard.device_opens_lane() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    insert into cuecard.lane (apns_environment, bundle_id) values (new.apns_environment, new.bundle_id)
    on conflict do nothing;
    return null;
end
$$;
create or replace trigger device_opens_lane after insert or update of apns_environment, bundle_id on cuecard.device
    for each row execute function cuecard.device_opens_lane();

revoke execute on function cuecard.calendar_changed, cuecard.calendar_member_changed, cuecard.event_changed,
    cuecard.event_override_changed, cuecard.app_changed, cuecard.everything_changed, cuecard.device_changed,
    cuecard.device_opens_lane from public;
