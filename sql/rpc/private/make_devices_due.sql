-- API: private
create or replace function cuecard.make_devices_due(devices uuid[], p_wall timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
    begin
        -- In device order, as everyone locks them.
        perform from cuecard.device d where d.id = any (devices) order by d.id for update;
    exception when lock_not_available then
        null;  -- somebody sits on one of them; the others do not wait for it
    end;
    with free as materialized (
        select d.id from cuecard.device d where d.id = any (devices) order by d.id for update skip locked
    ), due as (
        -- Never a time: only a plan knows one.
        update cuecard.device d set next_due_at = '-infinity', revision = d.revision + 1 from free where d.id = free.id
    )
    insert into cuecard.change (device_id, not_before)
    select d.id, p_wall + interval '30 s' from cuecard.device d
    where d.id = any (devices) and d.id not in (select id from free);
end
$$;
comment on function cuecard.make_devices_due is
    'These devices must be planned again; one that somebody holds gets a change of its own, for half a minute later.';
revoke execute on function cuecard.make_devices_due from public;
