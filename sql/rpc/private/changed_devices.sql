-- API: private
create or replace function cuecard.changed_devices(change cuecard.change, from_device uuid, size integer) returns uuid[]
language sql stable
set search_path = ''
as $$
    -- One of the branches holds: a change names one thing.
    select array(
        (select d.id from cuecard.device d
         where d.user_id = change.user_id and d.id >= changed_devices.from_device order by d.id limit size)
        union all
        (select d.id from cuecard.device d
         where d.bundle_id = change.bundle_id and d.id >= changed_devices.from_device order by d.id limit size)
        union all
        -- is_live spelt out: the partial index of live runs is not found through a function
        (select distinct r.device_id from cuecard.run r
         where r.event_id = change.event_id and r.device_id >= changed_devices.from_device
           and r.state in ('claimed', 'accepted', 'confirmed', 'ending', 'unknown') order by r.device_id limit size)
        union all
        (select d.id from cuecard.device d where d.id = change.device_id)
        order by 1)
$$;
comment on function cuecard.changed_devices is
    'The next so many devices that a change of a user, an app, an event or a device touches, in order; a calendar: see calendar_people.';
revoke execute on function cuecard.changed_devices from public;
