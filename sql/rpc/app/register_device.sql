-- API: app
create or replace function cuecard.register_device(
    device_id uuid,
    bundle_id text default null,
    apns_environment text default null,
    time_zone text default null,
    locale text default null,
    push_to_start_token text default null,
    wake_token text default null,
    expo_token text default null,
    shows_personal boolean default null,
    shows_shared boolean default null,
    live_activities_enabled boolean default null,
    frequent_pushes_enabled boolean default null,
    os_version text default null,
    app_version text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
<<given>>
declare
    who constant text := cuecard.signed_in_user();
    start_token constant text := cuecard.checked_token(register_device.push_to_start_token, 'push_to_start_token');
    device_token constant text := cuecard.checked_token(register_device.wake_token, 'wake_token');
    known cuecard.device;
begin
    perform cuecard.check_device_arguments(register_device.device_id, register_device.apns_environment,
        register_device.time_zone, register_device.locale, register_device.expo_token,
        register_device.os_version, register_device.app_version);
    perform cuecard.lock_phone(register_device.device_id, start_token, device_token, register_device.expo_token);
    known := cuecard.own_device(register_device.device_id, who, register_device.bundle_id,
        register_device.apns_environment, start_token, device_token, register_device.expo_token);

    update cuecard.device d set
        bundle_id = coalesce(register_device.bundle_id, d.bundle_id),
        apns_environment = known.apns_environment,
        told_environment = coalesce(register_device.apns_environment, d.told_environment),
        environment_confirmed_at = known.environment_confirmed_at,
        time_zone = coalesce(register_device.time_zone, d.time_zone),
        locale = coalesce(nullif(register_device.locale, ''), d.locale),
        wake_token = nullif(coalesce(given.device_token, known.wake_token), ''),
        expo_token = nullif(coalesce(register_device.expo_token, d.expo_token), ''),
        shows_personal = coalesce(register_device.shows_personal, d.shows_personal),
        shows_shared = coalesce(register_device.shows_shared, d.shows_shared),
        live_activities_enabled = coalesce(register_device.live_activities_enabled, d.live_activities_enabled),
        frequent_pushes_enabled = coalesce(register_device.frequent_pushes_enabled, d.frequent_pushes_enabled),
        os_version = coalesce(register_device.os_version, d.os_version),
        app_version = coalesce(register_device.app_version, d.app_version),
        -- switched off: the token goes in this very transaction, so that no start can follow
        push_to_start_token = case
            when coalesce(register_device.live_activities_enabled, d.live_activities_enabled)
            then nullif(coalesce(given.start_token, known.push_to_start_token), '') end,
        suspect_since = case
            when given.start_token <> '' and given.start_token is distinct from d.push_to_start_token then null
            else d.suspect_since end,
        -- a token told again is alive again, even where APNs had called it dead before
        registered_at = case when given.start_token <> '' then clock_timestamp() else d.registered_at end,
        wake_registered_at = case when given.device_token <> '' then clock_timestamp() else d.wake_registered_at end,
        expo_registered_at = case when register_device.expo_token <> '' then clock_timestamp() else d.expo_registered_at end,
        expo_paused_until = case when register_device.expo_token is distinct from d.expo_token
            and register_device.expo_token is not null then null else d.expo_paused_until end,
        last_seen = clock_timestamp(),
        unregistered_at = null
    where d.id = known.id;
    perform cuecard.adopt_same_phone(known.id, start_token, device_token, register_device.expo_token);
    perform cuecard.make_due(known.id);
    return cuecard.registration(known.id);
end
$$;
comment on function cuecard.register_device is
    'Tells the server of a device: tokens, zone, wishes. Absent or null keeps what is stored; an empty string clears.';
revoke execute on function cuecard.register_device from public;
grant execute on function cuecard.register_device to authenticated;
