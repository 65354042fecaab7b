-- API: worker
create or replace function cuecard.peek_due(
    p_now timestamptz, p_environments text[], p_bundles text[], p_after uuid, p_limit integer
) returns table (device_id uuid, revision bigint)
language sql stable security definer
set search_path = ''
as $$
    select d.id, d.revision from cuecard.device d
    join cuecard.lane l using (apns_environment, bundle_id)
    where (p_after is null or d.id > p_after)
      and (d.next_due_at <= p_now or d.id in (select cuecard.change_targets(c) from cuecard.change c))
      and (l.paused_until is null or l.paused_until <= p_now)
      and cuecard.has_key(l, p_environments, p_bundles)
    order by d.id limit p_limit
$$;
comment on function cuecard.peek_due is 'What a tick would claim, changes not yet fanned out included; nothing is written.';
revoke execute on function cuecard.peek_due from public;
grant execute on function cuecard.peek_due to cuecard_worker;
