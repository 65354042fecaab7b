-- API: private
create or replace function cuecard.has_key(lane cuecard.lane, environments text[], bundles text[]) returns boolean
language sql immutable
set search_path = ''
as $$
    select exists (
        select from unnest(environments, bundles) as key (environment, bundle)
        where key.environment = lane.apns_environment and (key.bundle is null or key.bundle = lane.bundle_id))
$$;
comment on function cuecard.has_key is 'Whether one of these keys serves the lane; a key without a bundle serves every app.';
revoke execute on function cuecard.has_key from public;
