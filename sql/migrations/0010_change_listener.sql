-- Who listens for changes. NOTIFY makes the commits of a whole cluster wait for one another, so that writers announce
-- a change only while somebody listens.
create table if not exists cuecard.change_listener (
    is_only_row boolean primary key default true check (is_only_row),
    listens_until timestamptz not null
);
comment on table cuecard.change_listener is 'Until when, by the wall clock, changes are announced on the channel cuecard.';
alter table cuecard.change_listener enable row level security;

-- Postgres sends equal notifications of one transaction once. A statement that queued nothing, as a tick's own mostly do,
-- announces nothing, or each tick would call for the next; nor does what the tick put back for later.
create or replace function cuecard.change_announced() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
    if exists (select from new_rows where not_before is null)
       and exists (select from cuecard.change_listener where listens_until > clock_timestamp())
    then
        perform pg_catalog.pg_notify('cuecard', 'change');
    end if;
    return null;
end
$$;
create or replace trigger change_announced after insert on cuecard.change
    referencing new table as new_rows for each statement execute function cuecard.change_announced();
revoke execute on function cuecard.change_announced from public;
