-- API: private
create or replace function cuecard.is_work_due(p_now timestamptz default clock_timestamp()) returns boolean
language sql stable
set search_path = ''
as $$
    select exists (select from cuecard.change c where c.not_before is null or c.not_before <= p_now)
        or exists (
            select from cuecard.lane l
            -- One step into the due index a lane, however many devices are due: the limit keeps it a look-up.
            cross join lateral (
                select from cuecard.device d
                where d.apns_environment = l.apns_environment and d.bundle_id = l.bundle_id and d.next_due_at <= p_now
                order by d.next_due_at limit 1) due
            where coalesce(greatest(l.paused_until, l.probe_at), '-infinity') <= p_now)
        -- begin_tick voids plans of the future, of which the index holds the last, and looks up receipts.
        or coalesce((select max(d.planned_at) from cuecard.device d) > p_now + interval '5 min', false)
        or exists (
            select from cuecard.attempt a
            where a.receipt_id is not null and a.receipt_at is null
              and a.answered_at between p_now - interval '60 min' and p_now - interval '15 min')
$$;
comment on function cuecard.is_work_due is
    'Whether a tick would find anything to do: a queued change, a due device, a plan of the future, a receipt. A few index look-ups.';
revoke execute on function cuecard.is_work_due from public;
