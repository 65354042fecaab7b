-- API: private
create or replace function cuecard.check_device_arguments(
    device_id uuid, apns_environment text, time_zone text, locale text, expo_token text, os_version text, app_version text
) returns void
language plpgsql stable
set search_path = ''
as $$
declare
    too_long text;
begin
    if device_id is null then
        raise exception 'device_id is missing'
            using errcode = '22004', hint = 'Send a UUID that the app makes once an install and keeps.';
    end if;
    if apns_environment not in ('sandbox', 'production') then
        raise exception 'apns_environment is "%"', left(apns_environment, 40)
            using errcode = '22023', hint = 'Send "sandbox" from builds run by Xcode, "production" from all others.';
    end if;
    -- Files that lie beside the zones under their names are none.
    if time_zone ~ '^(posix/|right/|localtime$|posixrules$|Factory$)'
        or time_zone is not null and not exists (select from cuecard.time_zone z where z.name = check_device_arguments.time_zone)
        and not exists (select from pg_catalog.pg_timezone_names z where z.name = time_zone) then
        raise exception 'time_zone "%" is unknown', left(time_zone, 60)
            using errcode = '22023', hint = 'Send an IANA name such as "Asia/Seoul" (TimeZone.current.identifier).';
    end if;
    select argument.name into too_long
    from (values ('locale', locale, 64), ('expo_token', expo_token, 200), ('os_version', os_version, 64),
                 ('app_version', app_version, 64)) as argument (name, value, limit_)
    where length(argument.value) > argument.limit_ limit 1;
    if found then
        raise exception '% is too long', too_long
            using errcode = '22023', hint = 'A locale such as "ko-KR" and a version have 64 characters at most, an Expo token 200.';
    end if;
end
$$;
comment on function cuecard.check_device_arguments is 'Refuses what register_device cannot take, naming the argument and the mend.';
revoke execute on function cuecard.check_device_arguments from public;
