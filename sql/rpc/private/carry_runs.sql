-- API: private
create or replace function cuecard.carry_runs(from_device uuid, to_device uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
    -- A key that both devices hold gets the next free generations on the new one.
    update cuecard.run r
    set device_id = to_device,
        generation = r.generation + coalesce((
            select max(taken.generation) from cuecard.run taken
            where taken.device_id = to_device and taken.event_id = r.event_id and taken.occurrence = r.occurrence), 0)
    where r.device_id = from_device;
    update cuecard.attempt set device_id = to_device where device_id = from_device;
    -- A tick that is at work on the old row may be about to record its answers.
    update cuecard.device d set claimed_until = greatest(d.claimed_until, former.claimed_until)
    from cuecard.device former where d.id = to_device and former.id = from_device;
    delete from cuecard.device where id = from_device;
end
$$;
comment on function cuecard.carry_runs is 'The same phone under a new device id: its cards go along, the old row goes.';
revoke execute on function cuecard.carry_runs from public;
