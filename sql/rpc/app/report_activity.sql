-- API: app
create or replace function cuecard.report_activity(
    run_id uuid, activity_id text default null, state text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    said constant text := report_activity.state;
    card cuecard.run;
begin
    if said is null or said not in ('dismissed', 'ended', 'missing', 'stale', 'opened') then
        raise exception 'state is "%"', left(coalesce(said, ''), 40)
            using errcode = '22023', hint = 'Send dismissed, ended, missing, stale or opened.';
    end if;
    perform cuecard.check_activity_id(report_activity.activity_id);
    card := cuecard.my_run(report_activity.run_id, report_activity.activity_id);

    -- A late word about another activity says nothing of this card.
    if (card.activity_id <> report_activity.activity_id) is not true then
        if said in ('dismissed', 'ended') then
            card := cuecard.settle_reported_run(card, said, report_activity.activity_id);
        elsif said = 'missing' then
            -- Stored as it came; the first tick past the start's expiration acts on it.
            update cuecard.run r set missing_at = clock_timestamp() where r.id = card.id;
        elsif said = 'opened' then
            update cuecard.run r set opened_at = clock_timestamp() where r.id = card.id;
        end if;
    end if;
    -- What the app says of a card, but that there is none, shows that starts arrive.
    update cuecard.device d set last_seen = clock_timestamp(),
        suspect_since = case when said = 'missing' then d.suspect_since end
    where d.id = card.device_id;
    perform cuecard.make_due(card.device_id);
    return jsonb_build_object('state', card.state);
end
$$;
comment on function cuecard.report_activity is 'The app says what became of a card: dismissed, ended, missing, stale or opened.';
revoke execute on function cuecard.report_activity from public;
grant execute on function cuecard.report_activity to authenticated;
