-- API: private
create or replace function cuecard.local_times(times timestamp[]) returns jsonb
language sql immutable
set search_path = ''
as $$
    select coalesce(jsonb_agg(to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS')), '[]') from unnest(times) as t where isfinite(t)
$$;
comment on function cuecard.local_times is 'Local times as ISO 8601 text.';
revoke execute on function cuecard.local_times from public;
