-- Where PostgREST exposes the schema public alone: the apps' RPCs under the same names and arguments there.
-- They run with the caller's rights and add none. Safe to run again.

create or replace function public.register_device(
    device_id uuid, bundle_id text default null, apns_environment text default null, time_zone text default null,
    locale text default null, push_to_start_token text default null, wake_token text default null,
    expo_token text default null, shows_personal boolean default null, shows_shared boolean default null,
    live_activities_enabled boolean default null, frequent_pushes_enabled boolean default null,
    os_version text default null, app_version text default null
) returns jsonb language sql set search_path = '' as $$
    select cuecard.register_device(device_id, bundle_id, apns_environment, time_zone, locale, push_to_start_token, wake_token,
        expo_token, shows_personal, shows_shared, live_activities_enabled, frequent_pushes_enabled, os_version, app_version)
$$;

create or replace function public.unregister_device(device_id uuid) returns void language sql set search_path = '' as $$
    select cuecard.unregister_device(device_id)
$$;

create or replace function public.register_activity(
    run_id uuid default null, activity_id text default null, update_token text default null, device_id uuid default null,
    event_id uuid default null, occurrence timestamp default null
) returns jsonb language sql set search_path = '' as $$
    select cuecard.register_activity(run_id, activity_id, update_token, device_id, event_id, occurrence)
$$;

create or replace function public.report_activity(run_id uuid, activity_id text default null, state text default null)
returns jsonb language sql set search_path = '' as $$
    select cuecard.report_activity(run_id, activity_id, state)
$$;

-- Supabase grants every new function of public to anon by itself.
revoke execute on function public.register_device, public.unregister_device, public.register_activity, public.report_activity
    from public, anon;
grant execute on function public.register_device, public.unregister_device, public.register_activity, public.report_activity
    to authenticated;
