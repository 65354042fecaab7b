-- API: private
create or replace function cuecard.settle_reported_run(card cuecard.run, said text, activity_id text) returns cuecard.run
language sql
set search_path = ''
as $$
    update cuecard.run r set
        state = case
            when r.state = 'dismissed' then 'dismissed'
            -- iOS calls a card that the server ended "dismissed" too, once it leaves the screen
            when said = 'dismissed' and r.state <> 'ended' and r.end_sent_at is null then 'dismissed'
            else 'ended' end,
        reason = case
            when r.state in ('ended', 'dismissed') then r.reason
            when said = 'dismissed' and r.end_sent_at is null then 'dismissed_by_person'
            when r.state = 'ending' then r.reason
            else 'ended_by_app' end,
        activity_id = coalesce(r.activity_id, settle_reported_run.activity_id),
        update_token = null,
        gone_at = coalesce(r.gone_at, clock_timestamp()),
        settled_at = coalesce(r.settled_at, clock_timestamp())
    where r.id = card.id
    returning r.*
$$;
comment on function cuecard.settle_reported_run is 'The card has left the phone: by the person''s hand, or ended.';
revoke execute on function cuecard.settle_reported_run from public;
