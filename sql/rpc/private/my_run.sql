-- API: private
create or replace function cuecard.my_run(run_id uuid, activity_id text) returns cuecard.run
language plpgsql
set search_path = ''
as $$
declare
    who text := cuecard.signed_in_user();
    device uuid;
    card cuecard.run;
begin
    -- Device first, then its runs: the order in which the tick locks them.
    select d.id into device from cuecard.device d
    where d.id = (select r.device_id from cuecard.run r where r.id = my_run.run_id) and d.user_id = who for update;
    -- The activity is the card's identity: where it is known, it leads to its own run.
    select r.* into card from cuecard.run r
    where r.device_id = device and (r.id = my_run.run_id or r.activity_id = my_run.activity_id)
    order by r.activity_id = my_run.activity_id desc nulls last limit 1 for update;
    if card.id is null then
        raise exception 'no device of yours has this run'
            using errcode = '42501', hint = 'Send the runId of the card''s attributes, signed in on the device that shows it.';
    end if;
    return card;
end
$$;
comment on function cuecard.my_run is 'The caller''s run, locked: the one of this activity, else the one named.';
revoke execute on function cuecard.my_run from public;
