-- API: app
create or replace function cuecard.register_activity(
    run_id uuid default null,
    activity_id text default null,
    update_token text default null,
    device_id uuid default null,
    event_id uuid default null,
    occurrence timestamp default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    who constant text := cuecard.signed_in_user();
    token constant text := cuecard.checked_token(register_activity.update_token, 'update_token');
    card cuecard.run;
begin
    if register_activity.activity_id is null then
        raise exception 'activity_id is missing' using errcode = '22004', hint = 'Send ActivityKit''s Activity.id.';
    end if;
    perform cuecard.check_activity_id(register_activity.activity_id);
    if register_activity.run_id is not null then
        card := cuecard.my_run(register_activity.run_id, register_activity.activity_id);
    else
        card := cuecard.app_started_run(register_activity.device_id, register_activity.event_id,
            register_activity.occurrence, register_activity.activity_id);
    end if;
    -- A second activity of one run is a second card: a run of its own, to be ended by its own token.
    if card.activity_id <> register_activity.activity_id then
        card := cuecard.surplus_run(card, register_activity.activity_id);
    end if;

    update cuecard.run r set
        activity_id = register_activity.activity_id,
        update_token = case when token is null then r.update_token else nullif(token, '') end,
        update_token_at = case when token is null then r.update_token_at else clock_timestamp() end,
        confirmed_at = coalesce(r.confirmed_at, clock_timestamp()),
        missing_at = null,
        -- the first word of a card that was given up: it is there after all, until its own end
        gone_at = case when r.activity_id is null then null else r.gone_at end,
        retry_at = case when token is distinct from r.update_token then null else r.retry_at end,
        state = case when r.state in ('claimed', 'accepted', 'unknown', 'failed') then 'confirmed' else r.state end,
        settled_at = case when r.state = 'failed' then null else r.settled_at end
    where r.id = card.id returning * into card;
    update cuecard.device d set last_seen = clock_timestamp(), suspect_since = null where d.id = card.device_id;
    perform cuecard.make_due(card.device_id);
    return jsonb_build_object('state', card.state, 'end', card.state <> 'confirmed' or card.user_id <> who);
end
$$;
comment on function cuecard.register_activity is
    'The app says that a card exists, and its update token. Answers whether the card is to be ended.';
revoke execute on function cuecard.register_activity from public;
grant execute on function cuecard.register_activity to authenticated;
