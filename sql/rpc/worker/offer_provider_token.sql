-- API: worker
create or replace function cuecard.offer_provider_token(
    p_team_id text, p_key_id text, p_fingerprint text, p_token text,
    p_wall timestamptz default clock_timestamp()
) returns jsonb
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
begin
    -- Many may offer at once; the first wins, and nobody sends a token that lost. Never two within 20 minutes.
    insert into cuecard.provider_token as t (team_id, key_id, key_fingerprint, token, issued_at)
    values (p_team_id, p_key_id, p_fingerprint, p_token, p_wall)
    on conflict (team_id, key_id, key_fingerprint) do update set token = excluded.token, issued_at = excluded.issued_at
    where t.issued_at <= p_wall - interval '20 min';
    return cuecard.provider_token(p_team_id, p_key_id, p_fingerprint, p_wall);
end
$$;
comment on function cuecard.offer_provider_token is
    'Offers a freshly minted token; answers the one that everybody uses, as provider_token does.';
revoke execute on function cuecard.offer_provider_token from public;
grant execute on function cuecard.offer_provider_token to cuecard_worker;
