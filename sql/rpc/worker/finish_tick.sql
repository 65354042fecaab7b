-- API: worker
create or replace function cuecard.finish_tick(
    p_tick uuid, p_summary jsonb, p_attempt_days integer default 30, p_run_days integer default 90,
    p_wall timestamptz default clock_timestamp()
) returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
begin
    update cuecard.tick set finished_at = p_wall, summary = p_summary where id = p_tick;
    -- A little with each tick: what is old goes for good, and never much at once.
    delete from cuecard.tick where id in (
        select id from cuecard.tick where started_at < p_wall - make_interval(days => p_attempt_days)
        order by started_at limit 1000 for update skip locked);
    delete from cuecard.attempt where id in (
        select id from cuecard.attempt where intended_at < p_wall - make_interval(days => p_attempt_days)
        order by intended_at limit 1000 for update skip locked);
    delete from cuecard.run where id in (
        select id from cuecard.run
        where settled_at < p_wall - make_interval(days => p_run_days) and not cuecard.is_live(state)
        order by settled_at limit 1000 for update skip locked);
end
$$;
comment on function cuecard.finish_tick is
    'Closes a tick with what it did, and prunes: ticks and attempts after p_attempt_days, settled runs after p_run_days.';
revoke execute on function cuecard.finish_tick from public;
grant execute on function cuecard.finish_tick to cuecard_worker;
