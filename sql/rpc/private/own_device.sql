-- API: private
create or replace function cuecard.own_device(
    device_id uuid, who text, bundle_id text, apns_environment text, start_token text, device_token text, expo_token text
) returns cuecard.device
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
    known cuecard.device;
begin
    if bundle_id is not null and apns_environment is not null then
        insert into cuecard.device as d (id, user_id, bundle_id, apns_environment)
        values (device_id, who, bundle_id, apns_environment) on conflict do nothing;
    end if;
    select d.* into known from cuecard.device d where d.id = device_id for update;
    if known.id is null then
        raise exception 'a new device needs bundle_id and apns_environment'
            using errcode = '22004', hint = 'Send both with the first registration.';
    end if;
    if known.user_id <> who then
        if (start_token <> '' and start_token = known.push_to_start_token
                or device_token <> '' and device_token = known.wake_token
                or expo_token <> '' and expo_token = known.expo_token
                or known.unregistered_at is not null
                   and num_nonnulls(known.push_to_start_token, known.wake_token, known.expo_token) = 0) is not true then
            raise exception 'this device belongs to another account'
                using errcode = '42501', hint = 'Use a new device id, or present a push token of this device.';
        end if;
        -- Nothing of the former account's stays; its runs name it still, and the next tick ends them.
        update cuecard.device d set user_id = who, time_zone = 'UTC', locale = 'en', push_to_start_token = null,
            wake_token = null, expo_token = null, shows_personal = true, shows_shared = true,
            live_activities_enabled = true, frequent_pushes_enabled = false, os_version = null, app_version = null, suspect_since = null,
            environment_confirmed_at = null, tried_token = null, is_trying_other = false
        where d.id = device_id returning * into known;
    end if;
    if not exists (select from cuecard.app a where a.bundle_id = coalesce(own_device.bundle_id, known.bundle_id)) then
        raise exception 'there is no app "%"', left(coalesce(bundle_id, known.bundle_id), 200)
            using errcode = '23503', hint = 'Check bundle_id, or insert its row into cuecard.app.';
    end if;
    -- Apple's tokens belong to one app in one environment. What the app said before, and APNs corrected, is no change.
    if known.bundle_id <> bundle_id or coalesce(known.told_environment, known.apns_environment) <> apns_environment then
        known.push_to_start_token := null;
        known.wake_token := null;
        known.apns_environment := coalesce(apns_environment, known.apns_environment);
        known.environment_confirmed_at := null;
    end if;
    return known;
end
$$;
comment on function cuecard.own_device is
    'The caller''s device, locked: new, theirs already, or taken over from another account by a token of it.';
revoke execute on function cuecard.own_device from public;
