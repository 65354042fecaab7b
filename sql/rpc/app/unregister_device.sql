-- API: app
create or replace function cuecard.unregister_device(device_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
    who text := cuecard.signed_in_user();
begin
    -- The wake and Expo tokens stay until the running cards are settled: they may be the only way to take them down.
    update cuecard.device d
    set push_to_start_token = null, unregistered_at = coalesce(d.unregistered_at, clock_timestamp()),
        last_seen = clock_timestamp()
    where d.id = unregister_device.device_id and d.user_id = who;
    if not found then
        raise exception 'you have no device with this id'
            using errcode = '42501', hint = 'Log out with the device id and the account that registered it.';
    end if;
end
$$;
comment on function cuecard.unregister_device is 'Log-out: no more starts, and the running cards are taken down.';
revoke execute on function cuecard.unregister_device from public;
grant execute on function cuecard.unregister_device to authenticated;
