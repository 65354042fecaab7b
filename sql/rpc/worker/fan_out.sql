-- API: worker
create or replace function cuecard.fan_out(p_limit integer, p_wall timestamptz default clock_timestamp()) returns boolean
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
    next cuecard.change;
    devices uuid[];
    people text[];
begin
    select * into next from cuecard.change where not_before is null or not_before <= p_wall
    order by id limit 1 for update skip locked;
    if not found then
        return false;
    end if;

    -- One more than the chunk holds: it is where the next one begins.
    if next.calendar_id is not null then
        people := cuecard.calendar_people(next.calendar_id, next.from_user, p_limit + 1);
        next.from_user := people[p_limit + 1];
        devices := array(select d.id from cuecard.device d where d.user_id = any (people[:p_limit]));
    else
        devices := cuecard.changed_devices(next, next.from_device, p_limit + 1);
        next.from_device := devices[p_limit + 1];
        devices := devices[:p_limit];
    end if;
    perform cuecard.make_devices_due(devices, p_wall);

    if next.from_user is null or next.from_device is null or next.device_id is not null then
        delete from cuecard.change where id = next.id;
    else
        update cuecard.change c set from_user = next.from_user, from_device = next.from_device where c.id = next.id;
    end if;
    return true;
end
$$;
comment on function cuecard.fan_out is
    'Makes due the next devices of the oldest change that nobody else works on. False: no change is left to take.';
revoke execute on function cuecard.fan_out from public;
grant execute on function cuecard.fan_out to cuecard_worker;
