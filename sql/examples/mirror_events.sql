-- An app that keeps its own events mirrors them into Cuecard with triggers; nothing else of the app changes.
--
-- Here the app has "Calendars" and "Events" in the schema public, with names of its own and a soft delete. Take the
-- parts that are between >> and << and put your own names in. Apply again after a change: it is safe to run twice.

-- >> the app's own tables (yours exist already)
create table if not exists public."Calendars" (
    "calendarId" uuid primary key default gen_random_uuid(),
    "ownerId"    text not null,
    "isFamily"   boolean not null default false,
    "label"      text not null default ''
);
create table if not exists public."Events" (
    "eventId"    uuid primary key default gen_random_uuid(),
    "calendarId" uuid not null references public."Calendars" on delete cascade,
    "name"       text not null,
    "place"      text,
    "startLocal" timestamp not null,
    "minutes"    integer not null default 60,
    "timeZone"   text,
    "wholeDay"   boolean not null default false,
    "repeat"     text,                       -- an RRULE
    "skipped"    timestamp[] not null default '{}',
    "color"      text,
    "removedAt"  timestamptz                 -- soft delete
);
-- <<

create or replace function public.mirror_calendar() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    if tg_op = 'DELETE' then
        delete from cuecard.calendar where id = old."calendarId";
        return null;
    end if;
    insert into cuecard.calendar (id, owner_id, kind, name)
    values (new."calendarId", new."ownerId", case when new."isFamily" then 'shared' else 'personal' end, new."label")
    on conflict (id) do update set owner_id = excluded.owner_id, kind = excluded.kind, name = excluded.name;
    return null;
end
$$;

create or replace function public.mirror_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    if tg_op = 'DELETE' then
        delete from cuecard.event where id = old."eventId";
        return null;
    end if;
    insert into cuecard.event (id, calendar_id, title, location, starts_at, duration, time_zone, all_day, rrule, exdates,
        details, deleted_at)
    values (new."eventId", new."calendarId", new."name", new."place", new."startLocal",
        make_interval(mins => new."minutes"), new."timeZone", new."wholeDay", new."repeat", new."skipped",
        jsonb_build_object('color', new."color"), new."removedAt")
    on conflict (id) do update set calendar_id = excluded.calendar_id, title = excluded.title,
        location = excluded.location, starts_at = excluded.starts_at, duration = excluded.duration,
        time_zone = excluded.time_zone, all_day = excluded.all_day, rrule = excluded.rrule,
        exdates = excluded.exdates, details = excluded.details, deleted_at = excluded.deleted_at;
    return null;
end
$$;
revoke execute on function public.mirror_calendar, public.mirror_event from public;

create or replace trigger mirror_calendar after insert or update or delete on public."Calendars"
    for each row execute function public.mirror_calendar();
create or replace trigger mirror_event after insert or update or delete on public."Events"
    for each row execute function public.mirror_event();

-- What is there already: an update that changes nothing fires the triggers once for each row.
update public."Calendars" set "calendarId" = "calendarId";
update public."Events" set "eventId" = "eventId";
