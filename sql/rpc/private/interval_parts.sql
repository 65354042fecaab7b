-- API: private
create or replace function cuecard.interval_parts(value interval) returns jsonb
language sql immutable strict
set search_path = ''
as $$
    -- Days are nominal and hours exact (RFC 5545 3.3.6), so they stay apart.
    select jsonb_build_object(
        'months', extract(year from value)::integer * 12 + extract(month from value)::integer,
        'days', extract(day from value)::integer,
        'seconds', (extract(hour from value) * 3600 + extract(minute from value) * 60
                    + floor(extract(second from value)))::bigint)
$$;
comment on function cuecard.interval_parts is 'An interval''s months, days and seconds, kept apart.';
revoke execute on function cuecard.interval_parts from public;
