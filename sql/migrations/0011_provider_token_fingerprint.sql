-- A key id that was once given a wrong private key shares no token with the right one: each has its own, so that neither
-- a mended key waits for the wrong one's token to age, nor two of them take turns, which Apple would block the key for.
alter table cuecard.provider_token add column if not exists key_fingerprint text not null default '';
alter table cuecard.provider_token drop constraint if exists provider_token_pkey;
alter table cuecard.provider_token add constraint provider_token_pkey primary key (team_id, key_id, key_fingerprint);
drop function if exists cuecard.provider_token(text, text, timestamptz);
drop function if exists cuecard.offer_provider_token(text, text, text, integer, timestamptz);
