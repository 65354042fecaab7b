-- One JWT a key across all processes and hosts: its very string, since two signatures of one minute are two tokens.
create table if not exists cuecard.provider_token (
    team_id   text not null,
    key_id    text not null,
    token     text not null,
    issued_at timestamptz not null,
    primary key (team_id, key_id)
);
comment on table cuecard.provider_token is 'The provider token in use for each key; read by the worker''s functions alone.';
alter table cuecard.provider_token enable row level security;
