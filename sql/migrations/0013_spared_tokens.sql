-- So many tokens called bad at once mean that the setting is wrong, not the tokens: until then a lane's are kept, also
-- where they come to be refused one by one.
alter table cuecard.lane add column if not exists spares_tokens_until timestamptz;
comment on column cuecard.lane.spares_tokens_until is
    'APNs called so many of the lane''s tokens bad at once that none is cleared until then, by the decision clock.';
drop function if exists cuecard.drop_dead_tokens(uuid[], jsonb);
comment on column cuecard.event.time_zone is 'IANA name; null: floating, each device''s own zone, as an all-day event always is.';
