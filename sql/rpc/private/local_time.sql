-- API: private
create or replace function cuecard.local_time(value timestamp) returns text
language sql immutable
set search_path = ''
as $$
    select to_char(value, 'YYYY-MM-DD"T"HH24:MI:SS')
$$;
comment on function cuecard.local_time is 'A local time as ISO 8601 text, in whole seconds.';
revoke execute on function cuecard.local_time from public;
