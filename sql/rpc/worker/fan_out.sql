-- API: worker
create or replace function cuecard.fan_out(p_limit integer, p_wall timestamptz default clock_timestamp()) returns boolean
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
    next cuecard.change;
    room integer;
    chunk uuid[];
    people text[];
    devices uuid[] := '{}';
    is_work_done boolean := false;
begin
    for next in
        select * from cuecard.change where not_before is null or not_before <= p_wall
        order by id limit p_limit for update skip locked
    loop
        is_work_done := true;
        room := p_limit - cardinality(devices);
        -- One more than there is room for: it is where the next call begins.
        if next.calendar_id is not null then
            people := cuecard.calendar_people(next.calendar_id, next.from_user, room + 1);
            next.from_user := people[room + 1];
            chunk := array(select d.id from cuecard.device d where d.user_id = any (people[:room]));
        else
            chunk := cuecard.changed_devices(next, next.from_device, room + 1);
            next.from_device := chunk[room + 1];
            chunk := chunk[:room];
        end if;
        devices := devices || chunk;
        if next.from_user is null or next.from_device is null then
            delete from cuecard.change where id = next.id;
        else
            update cuecard.change c set from_user = next.from_user, from_device = next.from_device where c.id = next.id;
        end if;
        exit when cardinality(devices) >= p_limit;
    end loop;
    perform cuecard.make_devices_due(devices, p_wall);
    return is_work_done;
end
$$;
comment on function cuecard.fan_out is
    'Takes the oldest changes that nobody else works on and makes their devices due, p_limit at a time. False: none is left.';
revoke execute on function cuecard.fan_out from public;
grant execute on function cuecard.fan_out to cuecard_worker;
