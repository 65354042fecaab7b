-- API: private
create or replace function cuecard.adopt_same_phone(
    new_device uuid, start_token text, device_token text, expo_token text
) returns void
language plpgsql
set search_path = ''
as $$
begin
    -- Holding one of its tokens proves that it is the same install, whoever was signed in before.
    perform cuecard.carry_runs(other.id, new_device)
    from cuecard.device new
    join cuecard.device other
      on other.id <> new.id and other.bundle_id = new.bundle_id and other.apns_environment = new.apns_environment
    where new.id = new_device
      and (other.push_to_start_token = start_token or other.wake_token = device_token
           or other.expo_token = adopt_same_phone.expo_token);
end
$$;
comment on function cuecard.adopt_same_phone is
    'Reinstallation: another row that holds one of this device''s tokens is the same phone; its runs come along.';
revoke execute on function cuecard.adopt_same_phone from public;
