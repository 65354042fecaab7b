-- API: worker
create or replace function cuecard.provider_token(
    p_team_id text, p_key_id text, p_fingerprint text, p_wall timestamptz default clock_timestamp()
) returns jsonb
language sql stable security definer
set search_path = ''
as $$
    select jsonb_build_object('clock', extract(epoch from p_wall), 'token', t.token,
                              'issued_at', extract(epoch from t.issued_at))
    from (values (1)) always
    left join cuecard.provider_token t
        on t.team_id = p_team_id and t.key_id = p_key_id and t.key_fingerprint = p_fingerprint
$$;
comment on function cuecard.provider_token is 'The token in use for a key, if any, and the clock that its age is measured by.';
revoke execute on function cuecard.provider_token from public;
grant execute on function cuecard.provider_token to cuecard_worker;
