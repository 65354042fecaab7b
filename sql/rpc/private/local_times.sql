-- API: private
create or replace function cuecard.local_times(times timestamp[]) returns json
language sql immutable
set search_path = ''
as $$
    select coalesce(json_agg(cuecard.local_time(t)), '[]') from unnest(times) as t where t is not null
$$;
comment on function cuecard.local_times is 'Local times as ISO 8601 text.';
revoke execute on function cuecard.local_times from public;
