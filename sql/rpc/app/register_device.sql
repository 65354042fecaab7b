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
    who text := cuecard.signed_in_user();
    start_token text := cuecard.checked_token(register_device.push_to_start_token, 'push_to_start_token');
    device_token text := cuecard.checked_token(register_device.wake_token, 'wake_token');
    known cuecard.device;
begin
    perform cuecard.check_device_arguments(register_device.device_id, register_device.apns_environment,
        register_device.time_zone, register_device.locale, register_device.expo_token);

    select * into known from cuecard.device d where d.id = register_device.device_id for update;
    if known.id is null then
        if register_device.bundle_id is null or register_device.apns_environment is null then
            raise exception 'a new device needs bundle_id and apns_environment'
                using errcode = '22004', hint = 'Send both with the first registration.';
        end if;
    elsif known.user_id <> given.who then
        if (start_token <> '' and start_token = known.push_to_start_token
                or device_token <> '' and device_token = known.wake_token
                or register_device.expo_token <> '' and register_device.expo_token = known.expo_token
                or known.unregistered_at is not null and known.push_to_start_token is null
                   and known.wake_token is null and known.expo_token is null) is not true then
            raise exception 'this device belongs to another account'
                using errcode = '42501', hint = 'Use a new device id, or present a push token of this device.';
        end if;
        -- Nothing of the former account's stays; its runs name it still, and the next tick ends them.
        update cuecard.device d set user_id = given.who, time_zone = 'UTC', locale = 'en', push_to_start_token = null,
            wake_token = null, expo_token = null, shows_personal = true, shows_shared = true,
            live_activities_enabled = true, frequent_pushes_enabled = false, os_version = null, app_version = null
        where d.id = known.id returning * into known;
    end if;
    if not exists (select from cuecard.app a where a.bundle_id = coalesce(register_device.bundle_id, known.bundle_id)) then
        raise exception 'there is no app "%"', coalesce(register_device.bundle_id, known.bundle_id)
            using errcode = '23503', hint = 'Check bundle_id, or insert its row into cuecard.app.';
    end if;

    insert into cuecard.device as d (id, user_id, bundle_id, apns_environment)
    values (register_device.device_id, given.who, coalesce(register_device.bundle_id, known.bundle_id),
            coalesce(register_device.apns_environment, known.apns_environment))
    on conflict (id) do update set
        bundle_id = excluded.bundle_id,
        apns_environment = excluded.apns_environment,
        last_seen = clock_timestamp(),
        unregistered_at = null;
    update cuecard.device d set
        time_zone = coalesce(register_device.time_zone, d.time_zone),
        locale = coalesce(nullif(register_device.locale, ''), d.locale),
        wake_token = nullif(coalesce(given.device_token, d.wake_token), ''),
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
            then nullif(coalesce(given.start_token, d.push_to_start_token), '') end,
        -- a token told again is alive again, even where APNs had called it dead before
        registered_at = case when given.start_token <> '' then clock_timestamp() else d.registered_at end
    where d.id = register_device.device_id;
    perform cuecard.adopt_same_phone(register_device.device_id);
    perform cuecard.make_due(register_device.device_id);
    return cuecard.registration(register_device.device_id);
end
$$;
comment on function cuecard.register_device is
    'Tells the server of a device: tokens, zone, wishes. Absent or null keeps what is stored; an empty string clears.';
revoke execute on function cuecard.register_device from public;
grant execute on function cuecard.register_device to authenticated;
