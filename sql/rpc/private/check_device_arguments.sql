-- API: private
create or replace function cuecard.check_device_arguments(
    device_id uuid, apns_environment text, time_zone text, locale text, expo_token text
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
    if device_id is null then
        raise exception 'device_id is missing'
            using errcode = '22004', hint = 'Send a UUID that the app makes once an install and keeps.';
    end if;
    if apns_environment not in ('sandbox', 'production') then
        raise exception 'apns_environment is "%"', left(apns_environment, 40)
            using errcode = '22023', hint = 'Send "sandbox" from builds run by Xcode, "production" from all others.';
    end if;
    if not exists (select from pg_catalog.pg_timezone_names z where z.name = time_zone) and time_zone is not null then
        raise exception 'time_zone "%" is unknown', left(time_zone, 60)
            using errcode = '22023', hint = 'Send an IANA name such as "Asia/Seoul" (TimeZone.current.identifier).';
    end if;
    if length(locale) > 64 then
        raise exception 'locale has % characters', length(locale)
            using errcode = '22023', hint = 'Send a BCP 47 identifier such as "ko-KR" (Locale.current.identifier).';
    end if;
    if length(expo_token) > 200 then
        raise exception 'expo_token has % characters', length(expo_token)
            using errcode = '22023', hint = 'Send the token as Expo gives it: ExponentPushToken[…].';
    end if;
end
$$;
comment on function cuecard.check_device_arguments is 'Refuses what register_device cannot take, naming the argument and the mend.';
revoke execute on function cuecard.check_device_arguments from public;
