-- API: worker
create or replace function cuecard.finish_tick(
    p_tick uuid, p_summary jsonb, p_wall timestamptz default clock_timestamp()
) returns void
language sql security definer
set search_path = ''
as $$
    update cuecard.tick set finished_at = p_wall, summary = p_summary where id = p_tick
$$;
comment on function cuecard.finish_tick is 'Closes a tick with what it did.';
revoke execute on function cuecard.finish_tick from public;
grant execute on function cuecard.finish_tick to cuecard_worker;
