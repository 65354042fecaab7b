-- API: worker
create or replace function cuecard.record_outcomes(
    p_now timestamptz, p_outcomes jsonb, p_wall timestamptz default clock_timestamp()
) returns setof uuid
language plpgsql security definer
set search_path = ''
set lock_timeout = '10s'
as $$
declare
    answered uuid[];
begin
    -- An attempt knows its device even where the run went over to another one meanwhile.
    perform from cuecard.device d
    where d.id in (select a.device_id from cuecard.attempt a
                   join jsonb_to_recordset(p_outcomes) as o (attempt_id uuid) on o.attempt_id = a.id)
    order by d.id for update;

    -- The first answer counts, so that recording it twice does no harm.
    with first as (
        update cuecard.attempt a set outcome = o.outcome, status = o.status, reason = o.reason, answered_at = p_wall,
            receipt_id = o.receipt_id
        from jsonb_to_recordset(p_outcomes) as o (attempt_id uuid, outcome text, status integer, reason text, receipt_id text)
        where a.id = o.attempt_id and a.outcome = 'intended'
        returning a.id
    )
    select coalesce(array_agg(id), '{}') into answered from first;

    perform cuecard.apply_outcomes_to_runs(answered, p_outcomes, p_now, p_wall);
    perform cuecard.learn_environments(answered, p_outcomes, p_wall);
    perform cuecard.judge_lanes(answered, p_outcomes, p_now);
    perform cuecard.drop_dead_tokens(answered, p_outcomes, p_now);

    -- What was not accepted changes the plan: when to try again, or what else to do. A wake has its turn in the plan.
    update cuecard.device d set next_due_at = '-infinity', revision = d.revision + 1
    where d.id in (select a.device_id from cuecard.attempt a
                   where a.id = any (answered) and a.outcome <> 'accepted' and a.event <> 'wake');
    return query select * from cuecard.suspect_start_tokens(answered, p_wall);
end
$$;
comment on function cuecard.record_outcomes is
    'Records what APNs said of each attempt and what follows for its run, its token and its lane. Answers the devices whose start token is suspect from now on.';
revoke execute on function cuecard.record_outcomes from public;
grant execute on function cuecard.record_outcomes to cuecard_worker;
