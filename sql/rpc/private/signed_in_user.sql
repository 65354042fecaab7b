-- API: private
create or replace function cuecard.signed_in_user() returns text
language plpgsql stable
set search_path = ''
as $$
declare
    who text;
begin
    who := cuecard.current_user_id();  -- here, since a declaration is outside the handler below
    if who is null then
        raise exception 'nobody is signed in'
            using errcode = '28000', hint = 'Call with a user''s token: request.jwt.claims must hold a "sub".';
    end if;
    return who;
exception when invalid_text_representation then
    raise exception 'request.jwt.claims is not JSON'
        using errcode = '28000', hint = 'Set request.jwt.claims to the claims as a JSON object with a "sub".';
end
$$;
comment on function cuecard.signed_in_user is 'The signed-in user, or a clear refusal.';
revoke execute on function cuecard.signed_in_user from public;
