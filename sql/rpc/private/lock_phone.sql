-- API: private
create or replace function cuecard.lock_phone(
    device_id uuid, start_token text, device_token text, expo_token text
) returns void
language plpgsql
set search_path = ''
as $$
begin
    -- Two rows with one token would be two cards on one phone: registrations of a token go one after another.
    perform pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(token, 0) as key
        from unnest(array[start_token, device_token, expo_token]) as token where token <> '' order by 1) as keys;
    -- In device order, as everyone locks them.
    perform from cuecard.device d
    where d.id = device_id or d.push_to_start_token = start_token or d.wake_token = device_token
       or d.expo_token = lock_phone.expo_token
    order by d.id for update;
end
$$;
comment on function cuecard.lock_phone is 'Locks a device''s row and every other one that holds a token of it.';
revoke execute on function cuecard.lock_phone from public;
