-- API: private
create or replace function cuecard.checked_token(token text, name text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
    -- Live Activity tokens are usually 160 digits and device tokens 64, but Apple promises no length.
    if token = '' or (token ~ '^([0-9a-fA-F]{2})+$' and length(token) <= 512) then
        return lower(token);
    end if;
    if token is not null then
        raise exception '% is not a push token', name
            using errcode = '22023', detail = format('It has %s characters.', length(token)),
                hint = 'Send the token''s bytes as hexadecimal digits, two a byte, 512 at most; an empty string clears it.';
    end if;
    return null;
end
$$;
comment on function cuecard.checked_token is 'A push token in lower case; empty and null pass; anything else is refused.';
revoke execute on function cuecard.checked_token from public;
