-- API: private
create or replace function cuecard.surplus_run(first cuecard.run, activity_id text) returns cuecard.run
language sql
set search_path = ''
as $$
    insert into cuecard.run (device_id, user_id, event_id, occurrence, generation, state, reason, activity_id,
        started_at, content)
    select first.device_id, first.user_id, first.event_id, first.occurrence, max(r.generation) + 1, 'ending',
           'second_card', surplus_run.activity_id, first.started_at, first.content
    from cuecard.run r
    where r.device_id = first.device_id and r.event_id = first.event_id and r.occurrence = first.occurrence
    returning *
$$;
comment on function cuecard.surplus_run is 'A second card for an occurrence that has one: a run that waits for its end.';
revoke execute on function cuecard.surplus_run from public;
