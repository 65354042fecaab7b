-- API: worker
create or replace function cuecard.fan_out(p_limit integer) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
    next cuecard.change;
    last_device uuid;
    reached integer;
begin
    select * into next from cuecard.change order by id limit 1 for update skip locked;
    if not found then
        return false;
    end if;
    -- In device order, as everyone locks them; never a time, since only a plan knows one.
    with target as (
        select d.id from cuecard.device d
        where d.id in (select cuecard.change_targets(next)) and (next.after_device is null or d.id > next.after_device)
        order by d.id limit p_limit for update
    ), moved as (
        update cuecard.device d set next_due_at = '-infinity', revision = d.revision + 1
        from target where d.id = target.id returning d.id
    )
    select count(*), (select id from moved order by id desc limit 1) into reached, last_device from moved;
    if reached < p_limit then
        delete from cuecard.change where id = next.id;
    else
        update cuecard.change set after_device = last_device where id = next.id;
    end if;
    return true;
end
$$;
comment on function cuecard.fan_out is
    'Makes due the next devices of the oldest change that nobody else works on. False: no change is left to take.';
revoke execute on function cuecard.fan_out from public;
grant execute on function cuecard.fan_out to cuecard_worker;
